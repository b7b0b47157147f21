package hbaseconf

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// expectation is what Hadoop's own Configuration and HBase's own heap check
// made of a file of testdata/hadoop-xml.
type expectation struct {
	File       string
	Loads      bool
	Properties map[string]string
	Unreadable []string
	HeapCheck  string   `json:"heap_check"`
	Memstore   *float64 `json:"memstore"`
	LowMark    *float64 `json:"memstore_low_mark"`
}

// fixed is an environment with a user of its own.
func fixed() Environment {
	env := map[string]string{"HOME": "/home/u", "USER": "u"}
	system := map[string]string{"user.name": "u", "user.home": "/home/u"}
	in := func(m map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { value, ok := m[name]; return value, ok }
	}
	return Environment{Env: in(env), System: in(system)}
}

func TestHadoopXML(t *testing.T) {
	f, err := os.Open("testdata/hadoop-xml/expected.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var want expectation
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		seen[want.File] = true
		t.Run(want.File, func(t *testing.T) { checkExpectation(t, want) })
	}
	files, err := filepath.Glob("testdata/hadoop-xml/*.xml")
	if err != nil || len(files) != len(seen) {
		t.Errorf("%d files, %d expectations (%v)", len(files), len(seen), err)
	}
}

func checkExpectation(t *testing.T, want expectation) {
	path := filepath.Join("testdata/hadoop-xml", want.File)
	site, err := ReadSite(path)
	if (err == nil) != want.Loads {
		t.Fatalf("loads: %v, want %v", err, want.Loads)
	}
	if err != nil {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil || string(site.Bytes()) != string(data) {
		t.Errorf("bytes differ (%v)", err)
	}
	c := Load(fixed(), site)
	home := strings.NewReplacer("$HOME", "/home/u", "$USER", "u")
	properties := map[string]string{}
	for name, value := range want.Properties {
		properties[name] = home.Replace(value)
	}
	if diff := cmp.Diff(properties, c.Settings().Map()); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	slices.Sort(want.Unreadable)
	if got := c.Unreadable(Builtin()); !slices.Equal(got, want.Unreadable) {
		t.Errorf("unreadable: %v, want %v", got, want.Unreadable)
	}
	heap, err := HeapOf(c.Get, 0)
	if err == nil {
		err = heap.Fits()
	}
	if want.HeapCheck != "" && (err == nil) != (want.HeapCheck == "ok") {
		t.Errorf("heap check: %v, want %s", err, want.HeapCheck)
	}
	if want.Memstore != nil && float32(*want.Memstore) != heap.Memstore {
		t.Errorf("memstore %v, want %v", heap.Memstore, *want.Memstore)
	}
	if want.LowMark != nil && float32(*want.LowMark) != heap.LowMark {
		t.Errorf("low mark %v, want %v", heap.LowMark, *want.LowMark)
	}
}
