package hbaseconf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/beevik/etree"
)

// notXML says what a file is that cannot be XML at all, and what to do; it is
// empty where the file may be XML.
func notXML(data string) string {
	trimmed := strings.TrimSpace(strings.TrimPrefix(data, bomUTF8))
	switch {
	case len(data) == 0:
		return "is empty; write at least <configuration></configuration>"
	case len(trimmed) == 0:
		return "holds only blanks; write at least <configuration></configuration>"
	case trimmed[0] == '<', strings.HasPrefix(data, bomUTF16LE), strings.HasPrefix(data, bomUTF16BE), trimmed[0] == 0:
		if trimmed[0] == 0 && !strings.HasPrefix(data, "\x00<") {
			return binaryFile
		}
		return ""
	case strings.IndexByte(data[:min(len(data), 4096)], 0) >= 0:
		return binaryFile
	}
	text := trimmed[:min(len(trimmed), 4096)]
	switch {
	case templateMark(text) != "":
		return template(templateMark(text))
	case text[0] == '{' || text[0] == '[':
		return "is JSON, not XML" + wantsXML
	case yamlLine.MatchString(text):
		return "is YAML or a list of key: value, not XML" + wantsXML
	case strings.HasPrefix(text, "#!"), strings.Contains(text, "export "):
		return "is a shell script, not XML; name hbase-site.xml"
	case propertiesLine.MatchString(text):
		return "is a list of key=value, not XML" + wantsXML
	}
	return "does not begin with <, so it is not XML" + wantsXML
}

const (
	binaryFile = "is a binary file; name hbase-site.xml"
	wantsXML   = "; an HBase site file is <configuration><property><name>…</name><value>…</value></property></configuration>"
)

var (
	yamlLine       = regexp.MustCompile(`(?m)^(---\s*$|\s*[\w.-]+:(\s|$))`)
	propertiesLine = regexp.MustCompile(`(?m)^\s*[\w.-]+\s*=`)
	templateMarks  = regexp.MustCompile(`\{\{|\{%|<%|<#|@@\w+@@|###\w+###|\$\{(?:var|local|module)\.`)
	htmlTag        = regexp.MustCompile(`(?i)<!DOCTYPE\s+html|<html[\s>]|<body[\s>]|<div[\s>]|<br\s*/?>|&nbsp;`)
)

// TemplateMark finds in a text what only a template holds that nobody has
// rendered yet; it is empty where there is nothing of the kind.
func TemplateMark(text string) string { return templateMark(text) }

// templateMark finds what only a template holds that nobody has rendered yet.
func templateMark(text string) string {
	// One pass for each character is far quicker than the expression, and that
	// they stand together is rare.
	has := func(c byte, marks ...string) bool {
		return strings.IndexByte(text, c) >= 0 && slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
	}
	if has('{', "{{", "{%", "${var.", "${local.", "${module.") || has('%', "<%") || has('#', "<#", "###") || has('@', "@@") {
		return templateMarks.FindString(text)
	}
	return ""
}

func template(mark string) string {
	return fmt.Sprintf("is a template that was never rendered (it holds %s); give the file that your deployment makes out of it", mark)
}

// headBytes is how much of a broken file is looked at to tell what it is.
const headBytes = 64 << 10

// explain turns a fault of the XML into an error that also says what else the
// file may be.
func explain(path, text string, fault *malformed) error {
	line := 1 + strings.Count(text[:min(fault.at, len(text))], "\n")
	e := &SiteError{Path: path, Line: line, Fault: FaultMalformed, Reason: fault.reason}
	text = text[:min(len(text), headBytes)]
	switch {
	case htmlTag.MatchString(text):
		e.Fault, e.Reason = FaultNotSite, "is HTML, perhaps copied from a web page"+wantsXML
	case templateMark(text) != "":
		e.Fault, e.Reason = FaultTemplate, template(templateMark(text))
	case strings.HasPrefix(strings.TrimSpace(text), "<property"):
		e.Reason += "; it is a fragment: put it inside <configuration>…</configuration>"
	}
	return e
}

// notSite says what a well-formed XML file is that is plainly something else.
func notSite(doc *document) string {
	if strings.EqualFold(doc.root().Tag, "html") {
		return "is HTML, perhaps copied from a web page" + wantsXML
	}
	return ""
}

// refusal says why a file must not be rewritten though it can be read; nil
// where it may be.
func refusal(path string, doc *document) error {
	marked := templateMark(doc.text) != "" // perhaps only in a comment
	for i := range doc.elements {
		e := &doc.elements[i]
		line := func() int { return doc.lineAt(e.open.start) }
		if marked {
			if mark := elementMark(e.Element); mark != "" {
				return &SiteError{Path: path, Line: line(), Fault: FaultTemplate, Reason: template(mark)}
			}
		}
		if stackTag(e.Element) {
			return &SiteError{
				Path: path, Line: line(), Fault: FaultStack,
				Reason: "is a stack definition of a cluster manager (<" + e.Tag + ">), not a daemon's site file; change the property in the manager",
			}
		}
	}
	return nil
}

func elementMark(e *etree.Element) string {
	for _, a := range e.Attr {
		if mark := templateMark(a.Value); mark != "" {
			return mark
		}
	}
	for _, child := range e.Child {
		if text, ok := child.(*etree.CharData); ok {
			if mark := templateMark(text.Data); mark != "" {
				return mark
			}
		}
	}
	return ""
}

// stackTag knows the elements of Ambari's stack definitions.
func stackTag(e *etree.Element) bool {
	switch e.Tag {
	case "value-attributes", "depends-on", "property-type", "on-ambari-upgrade", "display-name":
		return true
	case "configuration":
		return e.SelectAttr("supports_final") != nil
	}
	return false
}
