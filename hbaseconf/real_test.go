package hbaseconf_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

// library returns the folder of a version's jars, which it installs if they are
// not there yet.
func library(t *testing.T, version string) string {
	t.Helper()
	cfg := localtest.PrivateConfig(t, local.Config{Version: version})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := local.Install(ctx, cfg, t.Output()); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cfg.Runtimes, version, "lib")
}

// answer is what Hadoop and HBase themselves make of a file.
type answer struct {
	Error      string
	Properties map[string]struct {
		Raw, Value         *string
		Int, Float         *int32
		Long, Double, Size *string
		Bool               *string
	}
	Memstore, LowMark, BlockCache, MinFree *int32
	Fits                                   bool
}

func (a *answer) UnmarshalJSON(data []byte) error {
	type plain answer
	aux := struct {
		*plain
		LowMark    *int32 `json:"low_mark"`
		BlockCache *int32 `json:"block_cache"`
		MinFree    *int32 `json:"min_free"`
	}{plain: (*plain)(a)}
	err := json.Unmarshal(data, &aux)
	a.LowMark, a.BlockCache, a.MinFree = aux.LowMark, aux.BlockCache, aux.MinFree
	return err
}

// ask runs the Java helper over files.
func ask(t *testing.T, lib, conf string, files []string, args ...string) (hbaseconf.Environment, int64, []answer) {
	t.Helper()
	classes := t.TempDir()
	jars := filepath.Join(lib, "*")
	if out, err := exec.Command("javac", "-nowarn", "-d", classes, "-cp", jars, "testdata/java/Oracle.java").CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	path := strings.Join([]string{classes, conf, jars}, string(os.PathListSeparator))
	java := exec.Command("java", append([]string{"-Xmx256m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=256m", "-Xss512k", "-cp", path, "Oracle"}, args...)...)
	java.Env = append(os.Environ(), "HBASECONF_ORACLE=oracle", "HBASECONF_EMPTY=")
	java.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	var stderr bytes.Buffer
	java.Stderr = &stderr
	out, err := java.Output()
	if err != nil {
		t.Fatalf("java: %v\n%s", err, stderr.String())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	var head struct {
		Heap       int64
		User, Home string
	}
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil {
		t.Fatalf("java said %q", lines.Text())
	}
	var answers []answer
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("java said %q: %v", lines.Text(), err)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(files) {
		t.Fatalf("%d answers for %d files\n%s", len(answers), len(files), stderr.String())
	}
	env := map[string]string{"HBASECONF_ORACLE": "oracle", "HBASECONF_EMPTY": ""}
	system := map[string]string{"user.name": head.User, "user.home": head.Home}
	return hbaseconf.Environment{Env: from(env), System: from(system)}, head.Heap, answers
}

func from(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { value, ok := m[name]; return value, ok }
}

// seed is that of HBASECONF_SEED, for a failure to be repeated or other files
// to be tried.
func seed(t *testing.T) uint64 {
	n := uint64(1)
	if text := os.Getenv("HBASECONF_SEED"); text != "" {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("HBASECONF_SEED: %v", err)
		}
	}
	t.Logf("seed %d; HBASECONF_SEED=… tries another", n)
	return n
}

// TestReadsAsHadoopDoes asks Hadoop's own Configuration and HBase's own heap
// rule about thousands of generated files and finds no difference.
func TestReadsAsHadoopDoes(t *testing.T) {
	lib := library(t, local.DefaultVersion)
	const count = 5000
	conf := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(conf, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, text := range hbaseconf.Included {
		write(name, []byte(text))
	}
	g := &hbaseconf.Generator{Rand: rand.New(rand.NewPCG(seed(t), 0))}
	files := make([]string, count)
	for i := range files {
		files[i] = write(fmt.Sprintf("site%d.xml", i), g.Site())
	}
	env, heap, answers := ask(t, lib, conf, files)
	loaded, different := 0, 0
	for i, a := range answers {
		site, err := hbaseconf.ReadSite(files[i])
		if a.Error == "" {
			loaded++
		}
		if difference := compare(site, err, a, env, heap); difference != "" {
			data, _ := os.ReadFile(files[i])
			t.Errorf("file %d: %s\n%q", i, difference, data)
			if different++; different == 10 {
				t.Fatal("and perhaps more")
			}
		}
	}
	t.Logf("%d files, %d of which load", count, loaded)
	if loaded < count/3 || loaded > count*19/20 {
		t.Errorf("the generator is out of balance")
	}
}

func compare(site *hbaseconf.Site, err error, a answer, env hbaseconf.Environment, heapBytes int64) string {
	if (err == nil) != (a.Error == "") {
		return fmt.Sprintf("error %v, Hadoop's %s", err, a.Error)
	}
	if err != nil {
		return ""
	}
	c := hbaseconf.Load(env, site)
	if len(c.Names()) != len(a.Properties) {
		return fmt.Sprintf("properties %q, Hadoop's %v", c.Names(), a.Properties)
	}
	for name, want := range a.Properties {
		for what, pair := range map[string][2]string{
			"raw":    {raw(c, name), text(want.Raw)},
			"value":  {value(c, name), text(want.Value)},
			"int":    {read(c.Int(name, 0)), number(want.Int)},
			"long":   {read(c.Long(name, 0)), text(want.Long)},
			"float":  {bits32(c.Float(name, 0)), number(want.Float)},
			"double": {bits64(c.Double(name, 0)), text(want.Double)},
			"bool":   {bothWays(c, name), text(want.Bool)},
			"size":   {read(c.Size(name, -1)), text(want.Size)},
		} {
			if pair[0] != pair[1] {
				return fmt.Sprintf("%s of %q: %q, Hadoop's %q", what, name, pair[0], pair[1])
			}
		}
	}
	return compareHeap(c, a, heapBytes)
}

func compareHeap(c *hbaseconf.Configuration, a answer, heapBytes int64) string {
	heap, err := hbaseconf.HeapOf(c.Get, heapBytes)
	if err == nil {
		err = heap.Fits()
	}
	if (err == nil) != a.Fits {
		return fmt.Sprintf("heap rule: %v, HBase's %v", err, a.Fits)
	}
	for what, pair := range map[string][2]string{
		"memstore": {bits32(heap.Memstore, nil), number(a.Memstore)}, "low mark": {bits32(heap.LowMark, nil), number(a.LowMark)},
		"block cache": {bits32(heap.BlockCache, nil), number(a.BlockCache)}, "free heap": {bits32(heap.MinFree, nil), number(a.MinFree)},
	} {
		if pair[1] != refused && pair[0] != pair[1] {
			return fmt.Sprintf("%s: %s, HBase's %s", what, pair[0], pair[1])
		}
	}
	return ""
}

const refused = "refused"

func text(s *string) string {
	if s == nil {
		return refused
	}
	return *s
}

func number(n *int32) string {
	if n == nil {
		return refused
	}
	return fmt.Sprint(*n)
}

func read[T any](x T, err error) string {
	if err != nil {
		return refused
	}
	return fmt.Sprint(x)
}

func bits32(x float32, err error) string {
	if x != x {
		return read(int32(0x7fc00000), err) // Java has one NaN
	}
	return read(int32(math.Float32bits(x)), err)
}

func bits64(x float64, err error) string {
	if x != x {
		return read(int64(0x7ff8000000000000), err)
	}
	return read(int64(math.Float64bits(x)), err)
}

// bothWays reads a boolean with either default.
func bothWays(c *hbaseconf.Configuration, name string) string {
	first, err := c.Bool(name, true)
	second, _ := c.Bool(name, false)
	return read(fmt.Sprint(first, second), err)
}

func raw(c *hbaseconf.Configuration, name string) string {
	entry, ok := c.Entry(name)
	if !ok {
		return refused
	}
	return entry.Value
}

func value(c *hbaseconf.Configuration, name string) string {
	text, ok := c.Get(name)
	if _, err := c.Expanded(name); err != nil || !ok {
		return refused
	}
	return text
}
