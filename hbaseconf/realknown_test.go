package hbaseconf_test

import (
	"archive/zip"
	"encoding/binary"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/local"
)

// propertyName is the form of the names that known.tsv lists.
var propertyName = regexp.MustCompile(`^(?:hbase|hfile|zookeeper|replication|io\.storefile)\.[A-Za-z0-9][A-Za-z0-9._-]*$`)

// TestKnownNamesAreThoseOfTheCode looks into the classes of every HBase that is
// installed and belongs to a line of releases known here: each text in them that is formed like the name of a property is
// known, so that no name of HBase is ever called unknown.
func TestKnownNamesAreThoseOfTheCode(t *testing.T) {
	jars := installed(t, "hbase-*.jar")
	names := map[string]bool{}
	for _, jar := range jars {
		if base := filepath.Base(jar); strings.Contains(base, "shaded") || strings.Contains(base, "protocol") || strings.Contains(base, "tests") {
			continue
		}
		z, err := zip.OpenReader(jar)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if filepath.Ext(f.Name) == ".class" {
				for _, text := range constants(t, f) {
					names[text] = names[text] || propertyName.MatchString(text)
				}
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for name, is := range names {
		if !is {
			continue
		}
		found++
		if !hbaseconf.Builtin().Known(name) && !strings.HasPrefix(name, "hbase.pb") {
			t.Errorf("%s is in the code and not known", name)
		}
	}
	if found < 1000 {
		t.Errorf("only %d names in %d jars", found, len(jars))
	}
}

// installed lists the jars of that pattern of every installed HBase that belongs
// to a known line of releases. Others may lie beside them: the client's tests
// also install HBase 1.7.
func installed(t *testing.T, pattern string) []string {
	t.Helper()
	runtimes := filepath.Dir(filepath.Dir(library(t, local.DefaultVersion)))
	jars, err := filepath.Glob(filepath.Join(runtimes, "*", "lib", pattern))
	if err != nil {
		t.Fatal(err)
	}
	jars = slices.DeleteFunc(jars, func(jar string) bool {
		_, known := hbaseconf.ReleaseLine(versionOf(jar))
		return !known
	})
	if len(jars) == 0 {
		t.Fatalf("no %s in %s", pattern, runtimes)
	}
	return jars
}

// versionOf is the version whose folder a jar lies in.
func versionOf(jar string) string { return filepath.Base(filepath.Dir(filepath.Dir(jar))) }

// constants lists the texts in the constant pool of a class.
func constants(t *testing.T, f *zip.File) []string {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil || len(data) < 10 {
		t.Fatal(f.Name, err)
	}
	var texts []string
	at := 10
	for n := int(binary.BigEndian.Uint16(data[8:])) - 1; n > 0; n-- {
		switch data[at] {
		case 1:
			length := int(binary.BigEndian.Uint16(data[at+1:]))
			texts = append(texts, string(data[at+3:at+3+length]))
			at += 3 + length
		case 5, 6: // long and double take two places
			n--
			at += 9
		case 7, 8, 16, 19, 20:
			at += 3
		case 15:
			at += 4
		default:
			at += 5
		}
	}
	return texts
}
