package metrics

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fakeServer answers as a RegionServer whose answers were recorded. Any answer
// can be changed on the way, and every request is counted.
type fakeServer struct {
	URL string

	mu     sync.Mutex
	beans  map[string][]map[string]any // by pattern
	change func(request int, pattern string, beans []map[string]any) []map[string]any
	status int
	count  map[string]int // requests by pattern
}

func newFake(t *testing.T, version string) *fakeServer {
	t.Helper()
	f := &fakeServer{count: map[string]int{}}
	data, err := os.ReadFile(filepath.Join("testdata", version+"-jmx.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &f.beans); err != nil {
		t.Fatal(err)
	}
	conf, err := os.ReadFile(filepath.Join("testdata", recorded+"-conf.json"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/jmx", f.jmx)
	mux.HandleFunc("/conf", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("format") != "json" {
			http.Error(w, "the real one answers in XML here", http.StatusBadRequest)
			return
		}
		_, _ = w.Write(conf)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	f.URL = server.URL
	return f
}

func (f *fakeServer) jmx(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	pattern := r.URL.Query().Get("qry")
	name, attribute, one := strings.Cut(r.URL.Query().Get("get"), "::")
	if one {
		pattern = name
	}
	f.count[pattern]++
	if f.status != 0 {
		w.WriteHeader(f.status)
		return
	}
	beans := f.beans[pattern]
	if f.change != nil {
		copied, err := json.Marshal(beans)
		if err != nil {
			panic(err)
		}
		beans = nil
		if err := json.Unmarshal(copied, &beans); err != nil {
			panic(err)
		}
		beans = f.change(f.count[pattern], pattern, beans)
	}
	if beans == nil {
		beans = []map[string]any{}
	}
	if one && len(beans) == 1 {
		only := map[string]any{"name": name}
		if x, found := beans[0][attribute]; found {
			only[attribute] = x
		}
		beans = []map[string]any{only}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"beans": beans})
}

// isServerBean tells the bean with the RegionServer's own figures from others.
func isServerBean(pattern string) bool { return strings.HasSuffix(pattern, "sub=Server") }
