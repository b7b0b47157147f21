package profiles

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/hbaseconf"
)

func TestBuiltin(t *testing.T) {
	list, err := Builtin(hbaseconf.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 3 {
		t.Errorf("%d built-in profiles", len(list))
	}
	for _, p := range list {
		path := "builtin/" + p.Name + ".yaml"
		data, err := builtinFiles.ReadFile(path)
		if err != nil {
			t.Fatalf("a profile's file has another name than the profile: %v", err)
		}
		if p.Evidence.Origin != OriginPublished || p.Evidence.Source == "" || len(p.Evidence.Notes) == 0 {
			t.Errorf("%s does not say where it is from", path)
		}
		// What is applied is what can be read in the file.
		for name, value := range p.Settings.All() {
			if !strings.Contains(string(data), name+": "+string(value)+"\n") {
				t.Errorf("%s: %s=%s is not written in canonical text", path, name, value)
			}
		}
	}
}

func TestStore(t *testing.T) {
	home := t.TempDir()
	store := Open(home, hbaseconf.Builtin())
	p := sample()
	path, err := store.Save(p, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(home, "profiles", "four-classics.yaml"); path != want {
		t.Errorf("kept in %s, want %s", path, want)
	}
	var exists *Exists
	if _, err := store.Save(p, false); !errors.As(err, &exists) {
		t.Errorf("saved twice: %v", err)
	}
	if _, err := store.Save(p, true); err != nil {
		t.Errorf("force: %v", err)
	}
	sweep := t.TempDir()
	if err := WriteFile(filepath.Join(sweep, "profile.yaml"), p); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{p.Name, path, sweep, filepath.Join(sweep, "profile.yaml")} {
		found, err := store.Find(ref)
		if err != nil || found.Name != p.Name {
			t.Errorf("Find(%s) = %q, %v", ref, found.Name, err)
		}
	}
	if found, err := store.Find("published-ycsb-client"); err != nil || found.Settings.Len() == 0 {
		t.Errorf("a built-in profile: %v, %v", found.Name, err)
	}
}

func TestFindFaults(t *testing.T) {
	store := Open(t.TempDir(), hbaseconf.Builtin())
	folder := t.TempDir()
	big := filepath.Join(folder, "big.yaml")
	if err := os.WriteFile(big, make([]byte, maxFileBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ref, want string }{
		{"", "no profile is named"},
		{"nothing", `no profile "nothing": `},
		{"published-ycsb", "did you mean published-ycsb-client?"},
		{"Not A Name", `no profile "Not A Name"`},
		{"./nothing.yaml", "no such file"},
		{folder, "holds no profile.yaml"},
		{big, "is no profile"},
		{"/dev/zero", "is no profile"},
	} {
		_, err := store.Find(c.ref)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Find(%q): %v, want %s", c.ref, err, c.want)
		}
	}
}

// One damaged file must not hide the others, nor a stored profile be shadowed
// by a built-in one.
func TestListShowsWhatCannotBeRead(t *testing.T) {
	home := t.TempDir()
	store := Open(home, hbaseconf.Builtin())
	own := sample()
	own.Name = "published-ycsb-client"
	if _, err := store.Save(own, false); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"broken.yaml": "v: 1\nx: y\n", "notes.txt": "mine", "Bad Name.yaml": "v: 1"} {
		if err := os.WriteFile(filepath.Join(home, "profiles", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := store.List()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range list {
		names = append(names, one.Profile.Name)
		if one.Profile.Name == "broken" && !strings.Contains(one.Error, `unknown key "x"`) {
			t.Errorf("broken: %q", one.Error)
		}
		if one.Profile.Name == own.Name && one.BuiltIn {
			t.Error("the built-in profile hides the stored one")
		}
	}
	want := "broken published-random-writes published-random-writes-client published-ycsb-client"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
