package profiles

import (
	"strings"
	"testing"

	"hbtune/hbaseconf"
)

func TestExportGolden(t *testing.T) {
	p := profileOf("p---q", settings(
		handlers, "60",
		"hbase.hregion.max.filesize", "1073741824",
		"hbase.hregion.memstore.flush.size", "268435456",
		"hbase.hstore.blockingStoreFiles", "20",
		"MAX_FILESIZE", "2147483648",
	))
	p.Summary = "made for <writes>\x01\n& reads"
	for _, format := range Formats() {
		data, err := Export(p, format, "it's", hbaseconf.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "export-"+string(format)+".txt", data)
	}
}

// What is exported as a site file is read as one, with the same values.
func TestExportedSiteIsASite(t *testing.T) {
	builtIn, err := Builtin(hbaseconf.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(builtIn, sample()) {
		data, err := Export(p, FormatSite, "", hbaseconf.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		side, err := SiteSide("site.xml", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if d := Compare(p, side, hbaseconf.Builtin()); d.Differences() != 0 {
			t.Errorf("%s: %+v", p.Name, d)
		}
	}
}

func TestExportFaults(t *testing.T) {
	for _, c := range []struct {
		p      Profile
		format Format
		table  string
		want   string
	}{
		{profileOf("p", settings()), FormatSite, "", "sets nothing"},
		{profileOf("p", settings(handlers, "60")), "ini", "", `format "ini": use one of [site shell properties]`},
		{profileOf("p", settings(handlers, "60")), FormatShell, "t", "no property that a table can override"},
		{profileOf("p", settings("MAX_FILESIZE", "2097152")), FormatShell, "", "--table"},
		{profileOf("p", settings("MAX_FILESIZE", "2097152")), FormatSite, "", "no property of hbase-site.xml"},
	} {
		_, err := Export(c.p, c.format, c.table, hbaseconf.Builtin())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.format, err, c.want)
		}
	}
}
