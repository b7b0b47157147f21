package lint

import (
	"fmt"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/envfile"
)

// Whatever the values, linting does not fail, names a place and a rule for
// everything, and prints no secret; what it would write is read as it is meant.
func FuzzRun(f *testing.F) {
	for _, rule := range Rules() {
		e := splitExample(rule.Bad)
		f.Add(strings.Join(e.site, "\n"), strings.Join(e.env, "\n"), int64(8<<30), 10, "2.6.4")
	}
	f.Add("hbase.hregion.max.filesize=“ ”\nhbase.bucketcache.size=NaN\nhbase.bucketcache.ioengine=offheap", "export HBASE_OPTS=-Xmx", int64(-1), -1, "0.94")
	codes := map[string]bool{}
	for _, rule := range Rules() {
		codes[rule.Code] = true
	}
	const secret = "hunter2hunter2"
	f.Fuzz(func(t *testing.T, siteText, envText string, heap int64, regions int, version string) {
		in := Input{Options: Options{Heap: hbaseconf.Bytes(heap), Regions: regions, Version: version}}
		text := example{site: append(strings.Split(siteText, "\n"), "ssl.keystore.password="+secret)}.siteText()
		var err error
		if in.Site, err = hbaseconf.ParseSite("hbase-site.xml", []byte(text)); err != nil {
			return
		}
		if in.Env, err = envfile.Parse("hbase-env.sh", []byte(envText+"\nexport A='-DkeyStorePassword="+secret+"'\n")); err != nil {
			return
		}
		for _, role := range []Role{RegionServer, Master, Client} {
			in.Role = role
			r := Run(in)
			for _, one := range r.Findings {
				if one.File == "" || !codes[one.Code] || one.Severity.rank() < 0 || one.Message == "" || strings.Contains(one.Message, "%!") {
					t.Errorf("%+v", one)
				}
			}
			if strings.Contains(fmt.Sprint(r), secret) {
				t.Errorf("a secret is printed: %v", r)
			}
			c := Config{Input: in, Report: r}
			fixed, done, err := c.Fix()
			if err != nil || fixed == nil {
				continue
			}
			for _, one := range done {
				entry, set := fixed.Get(one.edit.name)
				if one.edit.value == "" && set || one.edit.value != "" && entry.Value != one.edit.value {
					t.Errorf("%+v left %+v", one, entry)
				}
			}
		}
	})
}
