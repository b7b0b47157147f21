package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/envfile"
)

// example is a rule's example, by kind of line. A line is
// "name=value", a property; "export …" or "# …" and whatever is indented, a line
// of hbase-env.sh; "<…", a line of hbase-site.xml as such; or an option:
// "heap 16g", "role client", "version 2.4.18", "java 8", "regions 200".
type example struct {
	site, env []string
	options   []string
}

func splitExample(text string) example {
	var e example
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		word, _, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case slices.Contains([]string{"heap", "role", "version", "java", "regions"}, word):
			e.options = append(e.options, line)
		case word == "export", strings.HasPrefix(line, "HBASE_"), strings.HasPrefix(line, " "), strings.HasPrefix(line, "#"):
			e.env = append(e.env, strings.TrimPrefix(line, "  "))
		default:
			e.site = append(e.site, line)
		}
	}
	return e
}

// siteText is the hbase-site.xml of an example.
func (e example) siteText() string {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for _, line := range e.site {
		if strings.HasPrefix(line, "<") {
			b.WriteString(line + "\n")
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		fmt.Fprintf(&b, "<property><name>%s</name><value>%s</value></property>\n", name, value)
	}
	b.WriteString("</configuration>\n")
	return b.String()
}

// input is what Run takes for an example.
func (e example) input() (Input, error) {
	var in Input
	var err error
	for _, line := range e.options {
		word, value, _ := strings.Cut(line, " ")
		switch word {
		case "heap":
			in.Heap, err = hbaseconf.ParseBytes(value)
		case "role":
			in.Role = Role(value)
		case "version":
			in.Version = value
		case "java":
			in.Java, err = strconv.Atoi(value)
		case "regions":
			in.Regions, err = strconv.Atoi(value)
		}
		if err != nil {
			return in, fmt.Errorf("example: %s: %w", line, err)
		}
	}
	if e.site != nil {
		if in.Site, err = hbaseconf.ParseSite("hbase-site.xml", []byte(e.siteText())); err != nil {
			return in, fmt.Errorf("example: %w", err)
		}
	}
	if e.env != nil {
		if in.Env, err = envfile.Parse("hbase-env.sh", []byte(strings.Join(e.env, "\n")+"\n")); err != nil {
			return in, fmt.Errorf("example: %w", err)
		}
	}
	return in, nil
}
