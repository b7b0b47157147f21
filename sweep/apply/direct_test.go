package apply

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real.xml"), filepath.Join(dir, "hbase-site.xml")
	if err := os.WriteFile(file, []byte("one"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.xml", link); err != nil {
		t.Skip(err)
	}
	read := func(path string) string {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first, err := Edit(link, []byte("one"), []byte("two"))
	if err != nil || read(file) != "two" || read(first) != "one" {
		t.Fatalf("%v: %s, backup %s", err, read(file), first)
	}
	second, err := Edit(link, []byte("two"), []byte("three"))
	if err != nil || second == first || read(second) != "two" || read(first) != "one" {
		t.Fatalf("%v: backups %s, %s", err, first, second)
	}
	if _, err := Edit(link, []byte("one"), []byte("four")); err == nil || !strings.HasSuffix(err.Error(), "somebody changed it meanwhile; nothing was written") {
		t.Errorf("got %v", err)
	}
	if read(file) != "three" {
		t.Errorf("holds %s", read(file))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is no link any more")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("left behind: %v", entries)
	}
	if _, err := Edit(filepath.Join(dir, "none.xml"), nil, nil); err == nil {
		t.Error("a file that is not there is edited")
	}
}
