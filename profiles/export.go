package profiles

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"hbtune/hbaseconf"
)

// Format is how a profile is written for other tools.
type Format string

// The formats of Export.
const (
	FormatSite       Format = "site"       // hbase-site.xml
	FormatShell      Format = "shell"      // statements for the HBase shell, for one table
	FormatProperties Format = "properties" // name=value
)

// Formats lists them for messages.
func Formats() []Format { return []Format{FormatSite, FormatShell, FormatProperties} }

// Export writes a profile in a format; table is the table that shell
// statements alter.
func Export(p Profile, format Format, table string, catalogue *hbaseconf.Catalogue) ([]byte, error) {
	if p.Settings.Len() == 0 {
		return nil, fmt.Errorf("profile %s sets nothing, so there is nothing to export", p.Name)
	}
	switch format {
	case FormatSite:
		return exportSite(p, catalogue)
	case FormatShell:
		return exportShell(p, table, catalogue)
	case FormatProperties:
		return exportProperties(p), nil
	}
	return nil, fmt.Errorf("format %q: use one of %v", format, Formats())
}

// exportSite writes a site file of its own, whose properties can be pasted into
// another or which another can include.
func exportSite(p Profile, catalogue *hbaseconf.Catalogue) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("<?xml version=\"1.0\"?>\n<configuration>\n")
	fmt.Fprintf(&out, "  <!-- %s -->\n", commentText(title(p)))
	n := 0
	for name, value := range p.Settings.All() {
		if property, _ := catalogue.Lookup(name); !property.InSite() {
			continue
		}
		n++
		out.WriteString("  <property>\n    <name>")
		if err := xml.EscapeText(&out, []byte(name)); err != nil {
			return nil, err
		}
		out.WriteString("</name>\n    <value>")
		if err := xml.EscapeText(&out, []byte(value)); err != nil {
			return nil, err
		}
		out.WriteString("</value>\n  </property>\n")
	}
	if n == 0 {
		return nil, fmt.Errorf("profile %s has no property of hbase-site.xml: use --format %s", p.Name, FormatShell)
	}
	out.WriteString("</configuration>\n")
	return out.Bytes(), nil
}

// commentText takes apart the dashes that would end an XML comment.
func commentText(text string) string {
	for strings.Contains(text, "--") {
		text = strings.ReplaceAll(text, "--", "- -")
	}
	return text
}

// exportShell writes one alter statement: properties that have an attribute of
// their own by that, others that a table may override as configuration, and
// names in a comment what has to be set elsewhere.
func exportShell(p Profile, table string, catalogue *hbaseconf.Catalogue) ([]byte, error) {
	if table == "" {
		return nil, fmt.Errorf("--format %s alters one table: name it with --table", FormatShell)
	}
	attributes := tableAttributes(catalogue)
	var set, configuration, elsewhere []string
	for name, value := range p.Settings.All() {
		property, _ := catalogue.Lookup(name)
		attribute, has := attributes[name]
		if _, set := p.Settings.Get(attribute); has && set {
			continue // what is said of tables themselves is nearer
		}
		switch {
		case !property.In(hbaseconf.Table):
			elsewhere = append(elsewhere, name)
		case !property.InSite():
			set = append(set, name+" => "+rubyString(string(value)))
		case has:
			set = append(set, attribute+" => "+rubyString(string(value)))
		default:
			configuration = append(configuration, rubyString(name)+" => "+rubyString(string(value)))
		}
	}
	if len(configuration) > 0 {
		set = append(set, "CONFIGURATION => {"+strings.Join(configuration, ", ")+"}")
	}
	if len(set) == 0 {
		return nil, fmt.Errorf("profile %s has no property that a table can override: use --format %s", p.Name, FormatSite)
	}
	slices.Sort(set)
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", title(p))
	for _, name := range elsewhere {
		fmt.Fprintf(&out, "# not an attribute of a table, set it in hbase-site.xml: %s\n", name)
	}
	fmt.Fprintf(&out, "alter %s, %s\n", rubyString(table), strings.Join(set, ", "))
	return out.Bytes(), nil
}

// tableAttributes maps properties to the attribute by which a table overrides
// them; the catalogue has such attributes default to the property.
func tableAttributes(catalogue *hbaseconf.Catalogue) map[string]string {
	attributes := map[string]string{}
	for _, property := range catalogue.All() {
		if property.In(hbaseconf.Table) && !property.InSite() && property.Computed != "" {
			attributes[property.Computed] = property.Name
		}
	}
	return attributes
}

// rubyString quotes a text for the HBase shell.
func rubyString(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

func exportProperties(p Profile) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", title(p))
	for name, value := range p.Settings.All() {
		// Of the characters that properties files escape, names hold none.
		fmt.Fprintf(&out, "%s=%s\n", name, strings.ReplaceAll(string(value), `\`, `\\`))
	}
	return out.Bytes()
}

// title is one line that says where exported settings come from.
func title(p Profile) string {
	line := "profile " + p.Name
	if p.Summary != "" {
		line += ": " + p.Summary
	}
	if p.Evidence.Sweep != "" {
		line += " (sweep " + p.Evidence.Sweep + ")"
	}
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, line)
	return strings.Join(strings.Fields(line), " ")
}
