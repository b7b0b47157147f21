package hbaseconf

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const wants = "; an HBase site file is <configuration><property><name>…</name><value>…</value></property></configuration>"

// What people hand in instead of a site file, and what they are told.
func TestNotASiteFile(t *testing.T) {
	for _, c := range []struct{ text, fault, want string }{
		{"", FaultNotSite, "x.xml: is empty; write at least <configuration></configuration>"},
		{" \n\t", FaultNotSite, "x.xml: holds only blanks; write at least <configuration></configuration>"},
		{"\xEF\xBB\xBF", FaultNotSite, "x.xml: holds only blanks; write at least <configuration></configuration>"},
		{"hbase:\n  site:\n    a: b\n", FaultNotSite, "x.xml: is YAML or a list of key: value, not XML" + wants},
		{"---\n- a\n", FaultNotSite, "x.xml: is YAML or a list of key: value, not XML" + wants},
		{`{"a": 1}`, FaultNotSite, "x.xml: is JSON, not XML" + wants},
		{"hbase.rootdir=/hbase\n", FaultNotSite, "x.xml: is a list of key=value, not XML" + wants},
		{"#!/bin/sh\nexport HBASE_HEAPSIZE=8g\n", FaultNotSite, "x.xml: is a shell script, not XML; name hbase-site.xml"},
		{"\x7fELF\x02\x01\x01\x00\x00", FaultNotSite, "x.xml: is a binary file; name hbase-site.xml"},
		{"PK\x03\x04\x00\x00\x00", FaultNotSite, "x.xml: is a binary file; name hbase-site.xml"},
		{"\x00\x00\x00", FaultNotSite, "x.xml: is a binary file; name hbase-site.xml"},
		{"just text", FaultNotSite, "x.xml: does not begin with <, so it is not XML" + wants},
		{"<!DOCTYPE html>\n<html><body><p>x<br></body></html>", FaultNotSite, "x.xml:2: is HTML, perhaps copied from a web page" + wants},
		{"<html><body/></html>", FaultNotSite, "x.xml: is HTML, perhaps copied from a web page" + wants},
		{"<configuration><property><name>a</name><value>1&nbsp;</value></property></configuration>", FaultNotSite, "x.xml:1: is HTML, perhaps copied from a web page" + wants},
		{"<property><name>a</name></property>\n<property/>", FaultMalformed, "x.xml:2: a second root element; put everything inside one <configuration>; it is a fragment: put it inside <configuration>…</configuration>"},
		{"{% if a %}<configuration/>{% endif %}", FaultNotSite, "x.xml: is a template that was never rendered (it holds {%); give the file that your deployment makes out of it"},
		{"<configuration><% if a %></configuration>", FaultTemplate, "x.xml:1: is a template that was never rendered (it holds <%); give the file that your deployment makes out of it"},
		{"\n<?xml version=\"1.0\"?><configuration/>", FaultMalformed, "x.xml:2: blanks or empty lines before <?xml; remove them, a daemon does not start with them"},
		{"<configuration>\n<property>\n<name>a</nam></property></configuration>", FaultMalformed, "x.xml:3: </nam> closes nothing: <name> of line 3 is open"},
		{"<configuration>\n<property>\n", FaultMalformed, "x.xml:2: <property> is never closed"},
		{"<configuration><property><name>a</name><value>a & b</value></property></configuration>", FaultMalformed, "x.xml:1: & stands alone; write &amp;"},
		{"<configuration><xi:include href='a.xml'/></configuration>", FaultMalformed, "x.xml:1: the prefix xi: is used, but no xmlns:xi declares it"},
		{"<configuration>\n\xe9</configuration>", FaultEncoding, "x.xml: line 2 holds a byte (0xE9) that is not UTF-8; save the file as UTF-8 or declare its encoding in the first line"},
		{"<?xml version=\"1.0\" encoding=\"GBK\"?><c/>", FaultEncoding, "x.xml: is in the encoding GBK, which is not supported; convert it to UTF-8: iconv -f GBK -t UTF-8"},
		{"<?xml version=\"1.0\" encoding=\"UTF-16\"?><c/>", FaultEncoding, "x.xml: declares the encoding UTF-16 but is not written in it; correct the first line"},
		{"<c>\x01</c>", FaultMalformed, "x.xml:1: a control character (0x01); remove it"},
	} {
		_, err := ParseSite("x.xml", []byte(c.text))
		var fault *SiteError
		if !errors.As(err, &fault) || err.Error() != c.want || fault.Fault != c.fault {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line", c.text)
		}
	}
}

func TestReadSiteNeedsAFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadSite(dir); err == nil || err.Error() != dir+": is a folder; name the file, such as "+filepath.Join(dir, "hbase-site.xml") {
		t.Errorf("folder: %v", err)
	}
	if _, err := ReadSite(filepath.Join(dir, "nope.xml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// A template that is well-formed can be read, and says why it is not rewritten.
func TestRefusal(t *testing.T) {
	for text, fault := range map[string]string{
		"<configuration><property><name>a</name><value>{{ a }}</value></property></configuration>":                FaultTemplate,
		"<configuration><property><name>a</name>{% if b %}<value>1</value>{% endif %}</property></configuration>": FaultTemplate,
		"<configuration><property name='a' value='@@A@@'/></configuration>":                                       FaultTemplate,
		"<configuration><property><name>a</name><value>###A###</value></property></configuration>":                FaultTemplate,
		"<configuration><property><name>a</name><value>${var.a}</value></property></configuration>":               FaultTemplate,
		"<configuration supports_final='true'><property name='a' value='1'/></configuration>":                     FaultStack,
		"<configuration><property name='a' value='1'><depends-on/></property></configuration>":                    FaultStack,
		"<configuration><!-- {{ managed }} --><property name='a' value='${b}'/></configuration>":                  "",
		"<configuration><!-- ###### --><property name='a' value='1'/></configuration>":                            "",
	} {
		var got string
		var refused *SiteError
		if errors.As(parse(t, text).Refusal(), &refused) {
			got = refused.Fault
		}
		if got != fault {
			t.Errorf("%s: %q, want %q", text, got, fault)
		}
	}
}
