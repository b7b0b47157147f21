package hbaseconf

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// seedFiles are the cases of testdata and generated ones.
func seedFiles(f *testing.F) {
	paths, err := filepath.Glob("testdata/hadoop-xml/*.xml")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	g := &Generator{Rand: rand.New(rand.NewPCG(1, 0))}
	for range 50 {
		f.Add(g.Site())
	}
}

// Whatever is read is written back byte for byte, and its values can be
// expanded, typed and judged.
func FuzzParseSite(f *testing.F) {
	seedFiles(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		site, err := ParseSite("testdata/none/hbase-site.xml", data)
		if err != nil {
			return
		}
		if !bytes.Equal(site.Bytes(), data) {
			t.Fatalf("%q became %q", data, site.Bytes())
		}
		c := Load(fixed(), site)
		_ = c.Unreadable(Builtin())
		_ = Feasible(c.Settings(), 1<<30)
		_ = site.Refusal()
	})
}

// Whatever is edited says what was asked for.
func FuzzEditSite(f *testing.F) {
	paths, _ := filepath.Glob("testdata/hadoop-xml/*.xml")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "hbase.regionserver.handler.count", "<77>")
		f.Add(data, "a", "x")
	}
	f.Fuzz(func(t *testing.T, data []byte, name, value string) {
		site, err := ParseSite("testdata/none/hbase-site.xml", data)
		if err != nil {
			return
		}
		edited, err := site.With(NewSettings(Setting{name, Value(value)}))
		if err != nil {
			return
		}
		if entry, _ := edited.Get(name); entry.Value != value {
			t.Fatalf("%q is %q, not %q", name, entry.Value, value)
		}
		again, err := edited.With(NewSettings(Setting{name, Value(value)}))
		if err != nil || !again.Equal(edited) {
			t.Fatalf("setting it again changes the file (%v)", err)
		}
	})
}

// What a person writes becomes a value that stays as it is when written again.
func FuzzValue(f *testing.F) {
	for _, p := range Builtin().All() {
		f.Add(p.Name, string(p.Default))
	}
	for _, text := range []string{"128MB", "10s", "40%", "1.5 GiB", "-1", "1e9", "5k, 9216", "file:/x", "TRUE"} {
		f.Add(FlushSize, text)
		f.Add(BlockCacheSize, text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		value, err := Builtin().Value(name, text)
		if err != nil {
			return
		}
		again, err := Builtin().Value(name, string(value))
		if err != nil || again != value {
			t.Fatalf("%s: %q became %q, and that %q (%v)", name, text, value, again, err)
		}
		if p, _ := Builtin().Lookup(name); p.readable(string(value)) != nil {
			t.Fatalf("%s: HBase cannot read %q", name, value)
		}
	})
}

// Numbers are read as Java reads them, without a panic.
func FuzzNumbers(f *testing.F) {
	for _, text := range []string{"0x1F", "-0x1", "0.3f", "1e400", "NaN", "0x1p-2", "٣", "1 g", "5e", "${a}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n32, err32 := javaInteger(text, 32)
		n64, err64 := javaInteger(text, 64)
		if err32 == nil && (err64 != nil || n32 != n64) {
			t.Fatalf("%q is %d in 32 bits, %d in 64 (%v)", text, n32, n64, err64)
		}
		_, _ = javaFloat(text, 32)
		_, _ = javaFloat(text, 64)
		_, _ = storageSize(text)
		c := LoadSettings(fixed(), "fuzz", settings("a", text, "b", "${a}${a}"))
		_, _ = c.Get("a")
		_, _ = c.Get("b")
	})
}

// A suggestion is a name that is known.
func FuzzSuggest(f *testing.F) {
	f.Add("hbase.regionserver.handler.cont")
	f.Fuzz(func(t *testing.T, name string) {
		if known := Builtin().Suggest(name); known != "" {
			if !Builtin().Known(known) {
				t.Fatalf("%q: %q is not known", name, known)
			}
		}
	})
}
