package lint

import (
	"strings"

	"hbtune/hbaseconf"
)

// fileRules look at a file as a whole.
func fileRules() []Rule {
	return []Rule{
		{
			Code: "template", Severity: Error, Title: "A template that was never rendered",
			Doc: "Deployment tools make site files out of templates. A template may be well-formed XML and still say nothing of what the servers run with, so nothing else is judged, and it is never rewritten. Give the file that the tool makes of it.",
			Bad: "hbase.regionserver.handler.count={{ handlers }}", Good: "hbase.regionserver.handler.count=60",
			check: template, last: true,
		},
		{
			Code: "stack-definition", Severity: Error, Title: "A stack definition of a cluster manager",
			Doc: "Such files describe properties to a cluster manager; no daemon reads them. Change the property in the manager, and give the site file that it distributes.",
			Bad: "<property><name>hbase.regionserver.handler.count</name><value>30</value><display-name>Handlers</display-name></property>", Good: "hbase.regionserver.handler.count=60",
			check: stackDefinition, last: true,
		},
		{
			Code: "sets-nothing", Severity: Warning, Title: "A file that sets no property",
			Doc: "Hadoop knows only <property>, <name> and <value>, in lower case, and passes over every other element without a word.",
			Bad: "<Property><Name>hbase.regionserver.handler.count</Name><Value>60</Value></Property>", Good: "hbase.regionserver.handler.count=60",
			check: setsNothing,
		},
		{
			Code: "overridden", Severity: Warning, Title: "A property that is set more than once",
			Doc: "The last place wins, unless an earlier one is final. The others do nothing, and mislead whoever reads or changes the file.",
			Bad: "hbase.regionserver.handler.count=60\nhbase.regionserver.handler.count=30", Good: "hbase.regionserver.handler.count=60",
			check: overridden,
		},
		{
			Code: "no-value", Severity: Info, Title: "A property without a value",
			Doc: "To Hadoop no value means not set: the default holds. To set an empty text is not possible.",
			Bad: "hbase.regionserver.handler.count=", Good: "hbase.regionserver.handler.count=60",
			check: noValue,
		},
		{
			Code: "literal-reference", Severity: Warning, Title: "A ${…} that stands for nothing",
			Doc: "What Hadoop cannot expand stays as it is written, so that a folder or a host is really named ${…}. Only ${name}, ${env.NAME} and ${env.NAME:-default} are expanded, without blanks.",
			Bad: "hbase.rootdir=hdfs://${name.node}:8020/hbase", Good: "name.node=nn1\nhbase.rootdir=hdfs://${name.node}:8020/hbase",
			check: literalReference,
		},
		{
			Code: "copy-of-defaults", Severity: Info, Title: "Defaults that were copied into the file",
			Doc: "Values equal to the defaults change nothing now, hide those that were chosen, and keep today's defaults when an upgrade brings better ones.",
			Bad: "hbase.regionserver.handler.count=30\nhfile.block.cache.size=0.4\nhbase.hregion.memstore.flush.size=134217728\nhbase.hregion.max.filesize=10737418240\nhbase.hstore.blockingStoreFiles=16", Good: "hbase.regionserver.handler.count=60\nhfile.block.cache.size=0.4",
			check: copyOfDefaults,
		},
		{
			Code: "server-property", Severity: Info, Title: "A server's property in a client's file",
			Doc: "Clients do not read it. Set it in the file of the servers, if that is what was meant.",
			Bad: "role client\nhbase.regionserver.handler.count=500", Good: "role client\nhbase.client.retries.number=7",
			check: serverProperty,
		},
		{
			Code: "table-attribute", Severity: Warning, Title: "An attribute of a table in a site file",
			Doc: "Attributes such as MAX_FILESIZE and BLOCKSIZE are given to a table or column family with alter; in a site file nothing reads them.",
			Bad: "MAX_FILESIZE=10737418240", Good: "hbase.hregion.max.filesize=21474836480",
			check: tableAttribute,
		},
	}
}

func refusalOf(f *facts, fault string) []Finding {
	if f.refusal == nil || f.refusal.Fault != fault {
		return nil
	}
	return []Finding{{File: f.refusal.Path, Line: f.refusal.Line, Message: f.refusal.Reason}}
}

func template(f *facts) []Finding {
	found := refusalOf(f, hbaseconf.FaultTemplate)
	if f.in.Env == nil {
		return found
	}
	for _, a := range f.in.Env.Assignments() {
		if mark := hbaseconf.TemplateMark(a.Text); mark != "" {
			return append(found, f.inEnv("", a.Line, "is a template that was never rendered (it holds %s); give the file that your deployment makes out of it", mark))
		}
	}
	return found
}

func stackDefinition(f *facts) []Finding { return refusalOf(f, hbaseconf.FaultStack) }

func setsNothing(f *facts) []Finding {
	return when(f.in.Site != nil && f.in.Site.Len() == 0 && strings.Contains(strings.ToLower(string(f.in.Site.Bytes())), "<property"), func() Finding {
		return f.at("", "sets no property at all: Hadoop passes over whatever is not <property>, <name> and <value> in lower case").
			write("<property><name>…</name><value>…</value></property>")
	})
}

// maxPlaces bounds how many places of one property are told one by one.
const maxPlaces = 10

func overridden(f *facts) []Finding {
	if f.in.Site == nil {
		return nil
	}
	var found []Finding
	places := map[string]int{}
	for _, o := range f.in.Site.Overridden() {
		if o.Entry.Value == "" {
			continue // no-value tells
		}
		if places[o.Entry.Name]++; places[o.Entry.Name] > maxPlaces {
			continue
		}
		winner := "line " + grouped(int64(o.Winner.Line))
		if o.Winner.File != o.Entry.File {
			winner = o.Winner.File + ":" + grouped(int64(o.Winner.Line))
		}
		why := "comes later"
		if o.Winner.Line < o.Entry.Line {
			why = "is final"
		}
		x := f.at(o.Entry.Name, "has no effect here: %s %s and sets %s", winner, why, hbaseconf.Masked(o.Entry.Name, o.Winner.Value))
		x.File, x.Line = o.Entry.File, o.Entry.Line
		if o.Entry.Value == o.Winner.Value {
			x = x.as(Info)
		}
		found = append(found, x.write("remove this one"))
	}
	for _, name := range f.names {
		if more := places[name] - maxPlaces; more > 0 {
			found = append(found, f.at(name, "is set in %s more without effect", count(more, "place")).write("remove all but this one"))
		}
	}
	return found
}

func noValue(f *facts) []Finding {
	if f.in.Site == nil {
		return nil
	}
	var found []Finding
	for _, o := range f.in.Site.Overridden() {
		if o.Entry.Value != "" {
			continue
		}
		holds := "its default"
		if o.Winner.Name != "" {
			holds = "line " + grouped(int64(o.Winner.Line))
		}
		x := f.at(o.Entry.Name, "has no value, which leaves the property unset: %s holds", holds)
		x.File, x.Line = o.Entry.File, o.Entry.Line
		found = append(found, x)
	}
	return found
}

func literalReference(f *facts) []Finding {
	var found []Finding
	for _, name := range f.names {
		value, _ := f.value(name)
		start := strings.Index(value, "${")
		if start < 0 || hbaseconf.TemplateMark(value) != "" {
			continue
		}
		reference, _, closed := strings.Cut(value[start:], "}")
		if !closed || strings.HasPrefix(reference, "${env.") {
			continue // the daemon's environment may have it
		}
		x := f.at(name, "%s} stands for nothing and stays as it is written", hbaseconf.Masked(name, reference))
		if rest, ok := strings.CutPrefix(reference, "${env:"); ok {
			x = x.write("${env.%s}", rest)
		}
		found = append(found, x)
	}
	return found
}

// fewCopies is how many values may be those of the defaults without a word.
const fewCopies = 5

func copyOfDefaults(f *facts) []Finding {
	equal := 0
	for _, name := range f.names {
		if below, ok := f.defaultOf(name); ok && f.catalogue.Same(name, below, hbaseconf.Value(f.values[name])) {
			equal++
		}
	}
	return when(f.in.Site != nil && equal >= fewCopies && 2*equal >= len(f.names), func() Finding {
		x := f.at("", "%d of the %d properties set have the value of the defaults: they change nothing and keep today's defaults at the next upgrade", equal, len(f.names))
		return x.write("keep only what differs from the defaults")
	})
}

func serverProperty(f *facts) []Finding {
	if f.role != Client {
		return nil
	}
	var found []Finding
	for _, name := range f.known {
		p, ok := f.catalogue.Lookup(name)
		if !ok || !p.InSite() || p.In(hbaseconf.Client) || p.In(hbaseconf.HDFS) || p.In(hbaseconf.ZooKeeper) || p.Takes(hbaseconf.NoEffect) {
			continue
		}
		found = append(found, f.at(name, "is read by %s, not by clients: no effect in this file", p.ScopeText()))
	}
	return found
}

func tableAttribute(f *facts) []Finding {
	var found []Finding
	for _, name := range f.known {
		if p, ok := f.catalogue.Lookup(name); ok && !p.InSite() && p.Name == name {
			found = append(found, f.at(name, "is no property of a site file: nothing reads it here").write("alter 'TABLE', …, or the property that it stands for (%s)", p.DefaultText("")))
		}
	}
	return found
}
