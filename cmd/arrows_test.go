package cmd

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hbtune/hbaseconf"
)

const module = "hbtune/"

// rooms lists every room with what it may import of ours; hbaseconf and, above
// it, sweep/trial are open to all. docs/architecture.md draws the same picture.
var rooms = map[string][]string{
	"hbaseconf":     {},
	"sweep/trial":   {},
	"sweep/hbase":   {},
	"sweep/metrics": {},
	"sweep/local":   {},
	"sweep/journal": {},
	// Judges figures, and knows none of those who read them.
	"sweep/diagnose": {},
	"sweep/apply":    {"sweep/hbase", "sweep/metrics", "sweep/local", "sweep/journal"},
	"sweep/load":     {"sweep/hbase", "sweep/metrics", "sweep/local", "sweep/journal", "sweep/diagnose"},
	"sweep/inspect":  {"sweep/hbase", "sweep/metrics", "sweep/diagnose"},
	"analyze":        {"sweep/journal", "sweep/diagnose", "analyze/surface"},
	// Mathematics alone: analyze stands above it.
	"analyze/surface": {},
	"sweep":           {"sweep/apply", "sweep/load", "sweep/hbase", "sweep/metrics", "sweep/local", "sweep/journal"},
	"analyze/report":  {"analyze", "sweep/journal"},
	"profiles":        {"sweep/apply", "sweep/hbase", "sweep/metrics", "sweep/local", "sweep/journal"},
	"cmd":             {"sweep", "analyze/report", "profiles", "sweep/apply", "sweep/load", "sweep/inspect", "analyze", "sweep/hbase", "sweep/metrics", "sweep/local", "sweep/journal", "sweep/diagnose"},
}

// roomOf is the room that a package stands in: the longest one it lies below.
func roomOf(path string) (string, bool) {
	path, ours := strings.CutPrefix(path, module)
	for ours && path != "." {
		if _, ok := rooms[path]; ok {
			return path, true
		}
		path = filepath.ToSlash(filepath.Dir(path))
	}
	return "", false
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range packages(t) {
		room, ok := roomOf(p.ImportPath)
		if !ok {
			t.Errorf("%s stands in no room: give it a place in docs/architecture.md and in this test", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			if !strings.HasPrefix(path, module) {
				continue
			}
			imported, _ := roomOf(path)
			common := imported == "hbaseconf" || imported == "sweep/trial" && room != "hbaseconf"
			if imported != room && !common && !slices.Contains(rooms[room], imported) {
				t.Errorf("%s imports %s: %s may not know %s", p.ImportPath, path, room, imported)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	c.Dir = ".."
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list
		case err != nil:
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

const maxLines = 500

// goFiles calls visit for every Go file of the module that people wrote.
func goFiles(t *testing.T, visit func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != ".." && (strings.HasPrefix(name, ".") || name == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(string(data), "// Code generated") {
			visit(path, data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFilesStayShort(t *testing.T) {
	goFiles(t, func(path string, data []byte) {
		if n := strings.Count(string(data), "\n"); n > maxLines {
			t.Errorf("%s has %d lines: past %d a file is two", path, n, maxLines)
		}
	})
}

// namesProperties lists the folders and files whose code may name properties
// besides the catalogue: sweep/local writes the configuration of a cluster of
// its own, and siteconfig.go gives the client's properties their fields.
var namesProperties = []string{"hbaseconf", "sweep/local", "sweep/hbase/siteconfig.go"}

// Code that names a property decides something about it that the catalogue
// should tell, where it can be looked up and kept true for every version.
func TestPropertyNamesStandInTheCatalogue(t *testing.T) {
	catalogue := hbaseconf.Builtin()
	goFiles(t, func(path string, data []byte) {
		room, _ := roomOf(module + filepath.ToSlash(filepath.Dir(strings.TrimPrefix(path, "../"))))
		file := strings.TrimPrefix(filepath.ToSlash(path), "../")
		if strings.HasSuffix(path, "_test.go") || slices.Contains(namesProperties, room) || slices.Contains(namesProperties, file) {
			return
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if _, known := catalogue.Lookup(text); known && strings.Contains(text, ".") {
				t.Errorf("%s names %s: ask the catalogue", files.Position(literal.Pos()), text)
			}
			return true
		})
	})
}
