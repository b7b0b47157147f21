package profiles

import (
	"strings"
	"testing"

	"hbtune/hbaseconf"
)

func TestCompareSite(t *testing.T) {
	side, err := SiteSide("hbase-site.xml", []byte(`<configuration>
  <property><name>hfile.block.cache.size</name><value>0.40</value></property>
  <property><name>hbase.regionserver.handler.count</name><value>${n}</value></property>
  <property><name>n</name><value>60</value></property>
  <property><name>hbase.regionserver.global.memstore.upperLimit</name><value>0.35</value></property>
</configuration>`))
	if err != nil {
		t.Fatal(err)
	}
	d := Compare(profileOf("p", settings(handlers, "90", cache, "0.4", memstore, "0.3", "MAX_FILESIZE", "2097152")), side, hbaseconf.Builtin())
	var out strings.Builder
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "diff-site.txt", []byte(out.String()))
	if d.Differences() != 2 {
		t.Errorf("%d differences", d.Differences())
	}
}

func TestSiteSideNamesTheFile(t *testing.T) {
	if _, err := SiteSide("my.xml", []byte("<configuration><property>")); err == nil || !strings.Contains(err.Error(), "my.xml") {
		t.Errorf("%v", err)
	}
}

func TestCompareProfiles(t *testing.T) {
	a := profileOf("a", settings(handlers, "90", cache, "0.4"))
	b := profileOf("b", settings(cache, "0.4", pool, "16"))
	d := Compare(a, ProfileSide(b), hbaseconf.Builtin())
	var out strings.Builder
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "diff-profiles.txt", []byte(out.String()))
	if d.Differences() != 2 {
		t.Errorf("%d differences", d.Differences())
	}
}

func TestCompareNothing(t *testing.T) {
	var out strings.Builder
	none := func(hbaseconf.Property) (bool, string) { return false, "r" }
	for _, p := range []Profile{profileOf("p", settings()), profileOf("p", settings(cache, "0.4"))} {
		if err := Compare(p, Side{Name: "x", Reads: none}, hbaseconf.Builtin()).Write(&out); err != nil {
			t.Fatal(err)
		}
	}
	want := "Profile p sets nothing.\nleft out: hfile.block.cache.size=0.4 (r)\nNothing in profile p is for x.\n"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}
