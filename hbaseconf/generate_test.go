package hbaseconf

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// Generator writes site files with every quirk of Hadoop's reader, combined at
// random.
type Generator struct {
	*rand.Rand
	entities bool
	prefix   string // of the XInclude namespace, empty if it is not declared
}

func (g *Generator) one(choices ...string) string { return choices[g.IntN(len(choices))] }
func (g *Generator) chance(percent int) bool      { return g.IntN(100) < percent }

// Site writes a file; a few are broken on purpose.
func (g *Generator) Site() []byte {
	text := g.document()
	if g.chance(15) {
		text = g.damage(text)
	}
	switch g.IntN(12) {
	case 0:
		return append([]byte{0xEF, 0xBB, 0xBF}, text...)
	case 1:
		return utf16LE(strings.Replace(text, `encoding="UTF-8"`, `encoding="UTF-16"`, 1))
	}
	return []byte(text)
}

func utf16LE(text string) []byte {
	out := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

func (g *Generator) document() string {
	var b strings.Builder
	b.WriteString(g.one(`<?xml version="1.0"?>`, `<?xml version="1.0" encoding="UTF-8"?>`, `<?xml version='1.0' encoding="UTF-8" standalone="no" ?>`, "", ""))
	if g.chance(3) {
		b.Reset()
		b.WriteString("\n" + `<?xml version="1.0"?>`)
	}
	b.WriteString(g.one("\n", "\r\n", "", "<!-- a comment -->\n", `<?xml-stylesheet type="text/xsl" href="configuration.xsl"?>`+"\n"))
	g.entities = g.chance(15)
	if g.entities {
		b.WriteString(`<!DOCTYPE configuration [<!ENTITY n "77"> <!ENTITY m '&n;7'>` + "\n<!-- > -->" + `<!ENTITY q "a&#38;amp;b &#x20AC;">]>` + "\n")
	}
	root := g.one("configuration", "configuration", "configuration", "conf", "properties")
	g.prefix = ""
	attributes := ""
	if g.chance(40) {
		g.prefix = g.one("xi", "xi", "x")
		attributes = fmt.Sprintf(` xmlns:%s="http://www.w3.org/2001/XInclude"`, g.prefix)
	}
	attributes += g.one("", "", "", ` xmlns="urn:x"`, ` version="1"`)
	fmt.Fprintf(&b, "<%s%s>", root, attributes)
	for range g.IntN(9) {
		b.WriteString(g.filler() + g.child(0))
	}
	fmt.Fprintf(&b, "%s</%s>%s", g.filler(), root, g.one("", "\n", "\n<!-- end -->\n", "<?end?>"))
	if g.chance(1) {
		b.WriteString("<configuration/>")
	}
	return b.String()
}

func (g *Generator) filler() string {
	return g.one("", "\n  ", "\r\n\t", " ", "<!-- <property> -->", "\n\n", "stray", "<?pi x?>", "<![CDATA[ <x> ]]>", "<description>d</description>")
}

// child is something that may stand in the root.
func (g *Generator) child(depth int) string {
	switch g.IntN(16) {
	case 0:
		return g.include()
	case 1:
		return g.attributeForm()
	case 2:
		return g.one("<Property><name>a</name><value>1</value></Property>", "<other/>", "<name>b</name>", "<value>9</value>", "<final>true</final>", "<fallback/>")
	case 3:
		if depth < 3 {
			return "<group>" + g.child(depth+1) + g.child(depth+1) + "</group>"
		}
	}
	return g.property(depth)
}

func (g *Generator) name() string {
	return g.one("a", "b", "c", "d", "a.b", "a.b",
		"hbase.regionserver.handler.count", "hbase.regionserver.global.memstore.size", "hbase.regionserver.global.memstore.upperLimit",
		"hbase.regionserver.global.memstore.size.lower.limit", "hbase.regionserver.global.memstore.lowerLimit",
		"hfile.block.cache.size", "hfile.block.cache.memory.size", "hbase.regionserver.free.heap.min.memory.size",
		"hbase.ipc.server.reservoir.enabled", "hbase.server.allocator.pool.enabled", "fs.default.name", "fs.defaultFS", "user.name", "")
}

func (g *Generator) value() string {
	switch g.IntN(7) {
	case 0:
		return g.one("${a}", "${b}-${c}", "${a.b}", "x${d}y", "${${a}}", "${a", "$${a}", "${ a }", "${}", "${a}${a}", "${b${c}}", "$a", "${a.b}${nope}${a}",
			"${user.name}", "${user.home}/x", "${env.HBASECONF_ORACLE}", "${env.NOPE}", "${env.NOPE:-def}", "${env.NOPE-def}", "${env.HBASECONF_ORACLE:-x}", "${env.}",
			"${env.HBASECONF_EMPTY:-e}", "${env.HBASECONF_EMPTY-e}", "${env:HOME}", "${env.NOPE:x}", "${env.NO:PE:-d-e}", "${env.N-}", "${env.N:-}", "${fs.default.name}")
	case 1:
		return g.one("0.4", "0.3f", ".5", "5.", "1e-1", "0.8", "0.81", "0.404", "0.405", "0.53", "0.59", "1.2F", "0.25d", "40%", "NaN", "Infinity", "-0.1", "0", "1", "0x1p-2", "1e400", "inf", "1_0", "0.1 f")
	case 2:
		return g.one("30", " 30 ", "\n30\n", "0x1F", "0X1f", "-0x1f", "+5", "-5", "--5", "30.0", "1e9", "1,000", "10k", "128MB", "256m", "1g", "1 g", "5e", "7 bytes", "9b",
			"2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "“30”", "\u00A030", "٣٠", "３０", "𝟛𝟘", "0x", "1l")
	case 3:
		return g.one("true", "TRUE", " False ", "yes", "1", "false")
	case 4:
		return g.one("", " ", "\n", "\t", "\r\n", "&lt;x&gt;", "&amp;", "&#65;", "&#x20AC;", "&#10;", "&#13;", "a]]b", "'\"", "é €", "a&#9;b")
	case 5:
		if g.entities {
			return g.one("&n;", "&m;", "x&q;y", "&nope;")
		}
	}
	return g.one("v1", "v2", "w", "77")
}

// text is a value as it stands between tags.
func (g *Generator) text() string {
	switch g.IntN(10) {
	case 0:
		return "<![CDATA[" + g.one("7", " ", "", "<&>", "${a}", "]] >") + "]]>" + g.value()
	case 1:
		return g.value() + "<!-- x -->" + g.value()
	case 2:
		return g.value() + "<?pi?>" + g.value()
	case 3:
		return g.value() + g.one("<b>", "<value>", "<name>", "<final>") + "&#88;" // closed by element
	}
	return g.value()
}

// element writes <tag>text</tag>, closing what text left open.
func (g *Generator) element(tag, text string) string {
	for _, inner := range []string{"b", "value", "name", "final"} {
		if strings.HasSuffix(text, "<"+inner+">&#88;") {
			text += "</" + inner + ">" + g.one("", "z")
		}
	}
	if text == "" && g.chance(50) {
		return "<" + tag + "/>"
	}
	return "<" + tag + ">" + text + "</" + tag + g.one("", "", "", " ") + ">"
}

func (g *Generator) property(depth int) string {
	name := g.one("", "", "", " ", "\n ") + g.name() + g.one("", "", " ", "\r\n")
	parts := []string{g.element("name", name), g.element("value", g.text())}
	if g.chance(6) {
		parts = parts[:1]
	}
	if g.chance(6) {
		parts = append(parts, g.element("value", g.text()))
	}
	if g.chance(15) {
		parts = append(parts, g.element("final", g.one("true", "true", " true ", "false", "TRUE", "")))
	}
	if g.chance(10) {
		parts = append(parts, g.element(g.one("source", "tag", "description", "Value", "x:value"), "s"))
	}
	if g.chance(5) && depth < 3 {
		parts = append(parts, g.child(depth+1))
	}
	if g.chance(10) {
		g.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	var b strings.Builder
	b.WriteString(g.one("<property>", "<property>", "<property>", `<property xmlns:x="urn:y">`))
	for _, part := range parts {
		b.WriteString(g.one("", "\n    ", "\r\n  ", "stray", "<!-- c -->") + part)
	}
	return b.String() + g.one("", "\n  ") + "</property>"
}

func (g *Generator) attributeForm() string {
	quote := g.one(`"`, `'`)
	attribute := func(key, value string) string {
		return " " + key + "=" + quote + strings.NewReplacer(quote, "", "<", "").Replace(value) + quote
	}
	text := "<property" + attribute("name", g.one("", " ")+g.name())
	if g.chance(85) {
		text += attribute("value", g.value())
	}
	if g.chance(20) {
		text += attribute("final", g.one("true", "false", " true"))
	}
	if g.chance(10) {
		text += attribute(g.one("value", "x", "xml:lang"), "2")
	}
	if g.chance(30) {
		return text + ">" + g.one("", "<value>5</value>", "<value/>", "\n", "<name>b</name>") + "</property>"
	}
	return text + g.one("/>", " />")
}

func (g *Generator) include() string {
	tag := g.one("include", "xi:include")
	if g.prefix != "" && g.chance(80) {
		tag = g.prefix + ":include"
	}
	href := g.one("included.xml", "included.xml", "nested.xml", "sub/inner.xml", "missing.xml", "broken.xml", "itself.xml", "final.xml")
	fallback, _, prefixed := strings.Cut(tag, ":")
	if prefixed {
		fallback += ":fallback"
	} else {
		fallback = "fallback"
	}
	switch g.IntN(5) {
	case 0:
		return "<" + tag + ` href="` + href + `"><` + fallback + "/></" + tag + ">"
	case 1:
		return "<" + tag + ` href="` + href + `"><` + fallback + ">" + g.property(3) + "</" + fallback + "></" + tag + ">"
	case 2:
		return "<" + tag + `/>`
	}
	return "<" + tag + ` href="` + href + `"/>`
}

// damage drops, doubles or swaps a stretch of the text.
func (g *Generator) damage(text string) string {
	runes := []rune(text)
	if len(runes) < 10 {
		return text
	}
	at := g.IntN(len(runes) - 1)
	end := min(len(runes), at+1+g.IntN(4))
	switch g.IntN(3) {
	case 0:
		runes = append(runes[:at:at], runes[end:]...)
	case 1:
		runes = append(runes[:end:end], runes[at:]...)
	case 2:
		runes[at] = []rune("<>&\"'/=;! \x01\uFFFEé-]")[g.IntN(15)]
	}
	return string(runes)
}

// Included are the files that generated ones may include.
var Included = map[string]string{
	"included.xml":  `<configuration><property><name>a</name><value>inc</value></property><property name="hfile.block.cache.size" value="0.35"/></configuration>`,
	"final.xml":     `<configuration><property><name>b</name><value>fin</value><final>true</final></property></configuration>`,
	"nested.xml":    `<configuration xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="included.xml"/><property><name>c</name><value>${a}</value></property></configuration>`,
	"sub/inner.xml": `<configuration xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="included.xml"/><property><name>d</name><value>in</value></property></configuration>`,
	"broken.xml":    `<configuration><property></configuration>`,
	"itself.xml":    `<configuration xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="itself.xml"/></configuration>`,
}
