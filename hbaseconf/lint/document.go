package lint

import (
	"fmt"
	"io"
	"strings"

	"hbtune/hbaseconf"
)

// loadRules describe the faults with which a file is not read at all. Reading
// itself finds them.
func loadRules() []Rule {
	return []Rule{
		{Code: hbaseconf.FaultMalformed, Severity: Error, Title: "A file that is not well-formed XML", Doc: "No daemon starts with it."},
		{Code: hbaseconf.FaultInclude, Severity: Error, Title: "An included file that cannot be had", Doc: "No daemon starts where an included file is missing and there is no xi:fallback. Files outside of the folder of the site file are not read."},
		{Code: hbaseconf.FaultEncoding, Severity: Error, Title: "Bytes that are not in the encoding that the file declares", Doc: "XML parsers refuse them."},
		{Code: hbaseconf.FaultTooLarge, Severity: Error, Title: "A file too large to be a configuration", Doc: "Nothing above 16 MB is read."},
		{Code: hbaseconf.FaultNotSite, Severity: Error, Title: "A file that is something else", Doc: "JSON, YAML, HTML, a list of key=value, a binary, an empty file: the message says what it seems to be."},
	}
}

// FindRule finds the rule of a code.
func FindRule(code string) (Rule, bool) {
	for _, rule := range append(Rules(), loadRules()...) {
		if rule.Code == code {
			return rule, true
		}
	}
	return Rule{}, false
}

// Markdown writes what all rules are about, each with what is said of its
// example.
func Markdown(out io.Writer) error {
	rules := Rules()
	var b strings.Builder
	fmt.Fprintf(&b, "# Rules of `hbtune lint`\n\nThis page is written by a test out of the %d rules themselves; `hbtune lint --explain CODE` prints one of them. An error means that a daemon does not start or does what cannot have been meant, a warning that something costs performance or safety or has no effect, a note that it is worth knowing. A finding may be milder than its rule.\n\n", len(rules))
	b.WriteString("| code | severity | finds |\n|---|---|---|\n")
	for _, rule := range append(rules, loadRules()...) {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", rule.Code, rule.Code, rule.Severity.noun(), cell(rule.Title))
	}
	for _, rule := range append(rules, loadRules()...) {
		text, err := rule.Text()
		if err != nil {
			return err
		}
		b.WriteString("\n" + text)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("write rules: %w", err)
	}
	return nil
}

func (s Severity) noun() string {
	if s == Info {
		return "note"
	}
	return string(s)
}

func cell(text string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "|", "\\|").Replace(text)
}

// Text is what one rule is about, in Markdown.
func (r Rule) Text() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s (%s). %s\n", r.Code, cell(r.Title), r.Severity.noun(), cell(r.Doc))
	if r.Bad == "" {
		return b.String(), nil
	}
	in, err := splitExample(r.Bad).input()
	if err != nil {
		return "", fmt.Errorf("rule %s: %w", r.Code, err)
	}
	fmt.Fprintf(&b, "\n```\n%s\n```\n\nis answered with\n\n```\n", strings.ReplaceAll(r.Bad, "\r", "␍"))
	for _, one := range Run(in).Findings {
		if one.Code != r.Code {
			continue
		}
		line := one.Severity.noun() + ": "
		if one.Property != "" {
			line += one.Property + ": "
		}
		b.WriteString(line + one.Message + "\n")
		if one.Fix != "" {
			b.WriteString("    instead: " + one.Fix + "\n")
		}
	}
	fmt.Fprintf(&b, "```\n\nand this with nothing:\n\n```\n%s\n```\n", r.Good)
	return b.String(), nil
}
