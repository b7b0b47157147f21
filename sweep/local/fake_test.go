package local

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The tests of this package that are not on a real HBase run Up and its kin on
// real processes that listen on real ports, but are this very test program:
// a `java` that is a script starts it, and runFake plays the daemon's part.
// How a daemon is to misbehave is written into files of the scripts' folder.

const fakeEnv = "HBTUNE_TEST_FAKE"

func TestMain(m *testing.M) {
	switch os.Getenv(fakeEnv) {
	case "daemon":
		runFake(os.Args)
	case "up":
		runUp(os.Args[1])
	}
	goleak.VerifyTestMain(m)
}

// machine is a stand-in for what has to be installed.
type machine struct {
	dir string
	cfg Config
}

// newMachine puts a java and a mvn of our own where the real ones would be.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{dir: t.TempDir()}
	m.cfg = Config{Home: filepath.Join(m.dir, "home")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m.script(t, "jdk/bin/java", fmt.Sprintf(`if [ "$1" = -version ]; then echo 'openjdk version "17.0.1" 2021-10-19' >&2; exit 0; fi
exec env %s=daemon FAKE_DIR=%s %s "$@"
`, fakeEnv, m.dir, self))
	m.script(t, "bin/mvn", `echo . >>`+m.dir+`/mvn-calls
for a in "$@"; do case $a in -DoutputDirectory=*) lib=${a#*=};; esac; done
mkdir -p "$lib" && : >"$lib/hbase-server-1.jar"
`)
	t.Setenv("JAVA_HOME", filepath.Join(m.dir, "jdk"))
	t.Setenv("PATH", filepath.Join(m.dir, "bin")+":"+os.Getenv("PATH"))
	t.Cleanup(func() {
		for _, name := range []string{"zk", "master", "rs1", "rs2"} {
			_ = os.Remove(filepath.Join(m.dir, "fake-"+name))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := Delete(ctx, m.cfg); err != nil && !errors.Is(err, ErrNoCluster) {
			t.Errorf("removing the cluster: %v", err)
		}
	})
	return m
}

func (m *machine) script(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// set makes a daemon behave in some way from its next look on; "" ends it.
func (m *machine) set(t *testing.T, daemon, behaviour string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, "fake-"+daemon), []byte(behaviour), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Behaviours of a fake daemon.
const (
	diesAtStart = "dies"      // prints testdata/logs/heap-rule.log
	neverReady  = "not ready" // runs, but does not serve
	ignoresTerm = "stubborn"
	killsItself = "killed"
	endsLater   = "ends later" // at the first look at its figures, once
)

// runFake plays one daemon; it does not return.
func runFake(args []string) {
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, "fake daemon:", err)
		os.Exit(3)
	}
	i := slices.Index(args, "-cp")
	confDir := args[i+1][strings.LastIndexByte(args[i+1], ':')+1:]
	name, class := filepath.Base(confDir), args[i+2]
	behaviourFile := filepath.Join(os.Getenv("FAKE_DIR"), "fake-"+name)
	behaviour := func() string {
		b, _ := os.ReadFile(behaviourFile)
		return string(b)
	}
	if behaviour() == diesAtStart {
		log, _ := os.ReadFile(filepath.Join(os.Getenv("FAKE_DIR"), "log"))
		_, _ = os.Stderr.Write(log)
		os.Exit(1)
	}
	if behaviour() == killsItself {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	// Should the test be killed, its daemons are not to stay for ever.
	time.AfterFunc(10*time.Minute, func() { os.Exit(4) })
	site := readFakeSite(filepath.Join(confDir, "hbase-site.xml"))
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	listen := func(port string) net.Listener {
		l, err := net.Listen("tcp4", "127.0.0.1:"+port)
		if err != nil {
			fail(err)
		}
		return l
	}
	start := time.Now().UnixMilli()
	switch {
	case strings.Contains(class, "HQuorumPeer"):
		listen(site["hbase.zookeeper.property.clientPort"])
	case strings.Contains(class, "HMaster"):
		listen(site["hbase.master.port"])
		go serveFakeMaster(listen(site["hbase.master.info.port"]), filepath.Dir(confDir), behaviour)
	default:
		listen(site["hbase.regionserver.port"])
		// What the Master knows of its servers goes through a file here.
		server := fmt.Sprintf("localhost,%s,%d", site["hbase.regionserver.port"], start)
		if err := os.WriteFile(filepath.Join(confDir, "registered"), []byte(server), 0o644); err != nil {
			fail(err)
		}
		go serveFakeBean(listen(site["hbase.regionserver.info.port"]), behaviour, func() map[string]any {
			if behaviour() == endsLater {
				_ = os.Remove(behaviourFile)
				os.Exit(0)
			}
			return map[string]any{"tag.serverName": server, "regionServerStartTime": start, "regionCount": 2}
		})
	}
	for range stop {
		if behaviour() != ignoresTerm {
			os.Exit(0)
		}
	}
}

func serveFakeMaster(l net.Listener, confDirs string, behaviour func() string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/jmx", func(w http.ResponseWriter, _ *http.Request) {
		var live []string
		files, _ := filepath.Glob(filepath.Join(confDirs, "*", "registered"))
		for _, f := range files {
			name, _ := os.ReadFile(f)
			live = append(live, string(name))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"beans": []any{map[string]any{
			"masterFinishedInitializationTime": 1, "tag.liveRegionServers": strings.Join(live, ";"),
		}}})
	})
	mux.HandleFunc("/procedures.jsp", func(w http.ResponseWriter, _ *http.Request) {
		if behaviour() == neverReady {
			fmt.Fprint(w, "<td>7</td><td>RUNNABLE</td>")
		}
		fmt.Fprint(w, "<h1>Locks</h1>")
	})
	mux.HandleFunc("/rits.jsp", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"rits":[]}`) })
	_ = http.Serve(l, mux)
}

func serveFakeBean(l net.Listener, behaviour func() string, bean func() map[string]any) {
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		beans := []any{}
		if behaviour() != neverReady {
			beans = append(beans, bean())
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"beans": beans})
	}))
}

func readFakeSite(path string) map[string]string {
	var site struct {
		Properties []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"property"`
	}
	data, _ := os.ReadFile(path)
	_ = xml.Unmarshal(data, &site)
	values := map[string]string{}
	for _, p := range site.Properties {
		values[p.Name] = p.Value
	}
	return values
}
