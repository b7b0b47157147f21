package lint

import (
	"slices"
	"strings"

	"hbtune/hbaseconf"
)

// nameRules look at the names of properties.
func nameRules() []Rule {
	return []Rule{
		{
			Code: "unknown-name", Severity: Warning, Title: "A name that no HBase reads, close to one that it does",
			Doc: "Names are case-sensitive and never guessed: the property that was meant stays at its default. A name of HBase that resembles no other is only noted, since a coprocessor or a tool may read it.",
			Bad: "base.regionserver.handler.count=60", Good: "hbase.regionserver.handler.count=60",
			check: unknownName,
		},
		{
			Code: "dead-name", Severity: Warning, Title: "A property that this version no longer reads",
			Doc: "It has no effect. That is a warning where something was tuned with it that is now tuned otherwise, and else only noted.",
			Bad: "hbase.bucketcache.percentage.in.combinedcache=0.9", Good: "hbase.regionserver.handler.count=60",
			check: deadName,
		},
		{
			Code: "too-new", Severity: Warning, Title: "A property that this version does not read yet",
			Doc: "It has no effect before an upgrade.",
			Bad: "version 2.4.18\nhfile.block.cache.memory.size=512m", Good: "version 2.6.4\nhfile.block.cache.memory.size=512m",
			check: tooNew,
		},
		{
			Code: "old-name-ignored", Severity: Warning, Title: "An old name beside the new one",
			Doc: "Where both are set HBase takes the new one. Whoever changes the old one changes nothing.",
			Bad: "hbase.regionserver.global.memstore.size=0.25\nhbase.regionserver.global.memstore.upperLimit=0.4", Good: "hbase.regionserver.global.memstore.size=0.25",
			check: oldNameIgnored,
		},
		{
			Code: "old-name", Severity: Info, Title: "An old name, still read",
			Doc: "It works as long as the new name is not set, and may be dropped in a later version.",
			Bad: "hbase.regionserver.global.memstore.upperLimit=0.35", Good: "hbase.regionserver.global.memstore.size=0.35",
			check: oldName,
		},
		{
			Code: "no-effect-without", Severity: Warning, Title: "A property that does nothing without another",
			Doc: "Some properties refine a feature that is off by default, and are not looked at until it is switched on.",
			Bad: "hbase.ipc.server.callqueue.scan.ratio=0.3", Good: "hbase.ipc.server.callqueue.read.ratio=0.5\nhbase.ipc.server.callqueue.scan.ratio=0.3",
			check: noEffectWithout,
		},
	}
}

// maxGuesses bounds the unknown names for which a similar one is looked for: a
// file with more of them holds something else than misspelt names.
const maxGuesses = 30

func unknownName(f *facts) []Finding {
	var found []Finding
	unknown, more := 0, 0
	guesses := map[string]string{} // names that differ only in digits share one
	for _, name := range f.unknown {
		if extension(name) || f.isDead(name) {
			continue
		}
		ours := strings.HasPrefix(name, "hbase.") || strings.HasPrefix(name, "hfile.")
		if unknown++; unknown > maxGuesses {
			if ours {
				more++
			}
			continue
		}
		shape := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return -1
			}
			return r
		}, name)
		meant, guessed := guesses[shape]
		if !guessed {
			meant = f.catalogue.Suggest(name)
			guesses[shape] = meant
		}
		switch {
		case strings.EqualFold(meant, name):
			found = append(found, f.meant(name, meant, "is not known to HBase: names are case-sensitive"))
		case meant != "" && hbaseconf.VersionBefore(f.version, "2.4"):
			// Names that older versions alone have are not known.
			found = append(found, f.meant(name, meant, "is not known to HBase 2.4 and later").as(Info))
		case meant != "":
			found = append(found, f.meant(name, meant, "is not known to HBase"))
		case ours:
			found = append(found, f.at(name, "is in no class of HBase 2.4 to 3.0: unless a coprocessor or a tool reads it, it has no effect").as(Info))
		}
	}
	if more > 0 {
		found = append(found, f.at("", "%s more are in no class of HBase 2.4 to 3.0", count(more, "name")).as(Info))
	}
	return found
}

func (f *facts) meant(name, meant, what string) Finding {
	x := f.at(name, "%s. %s was probably meant", what, meant)
	if value, ok := f.get(meant); ok && value != "" {
		x.Message += "; that stays at " + hbaseconf.Masked(meant, value)
	} else if !f.isSet(meant) {
		x.Message += "; that stays at its default"
	}
	value, _ := f.value(name)
	return x.write("%s=%s", meant, hbaseconf.Masked(name, value))
}

// extension tells names that are for others to define, or for parts of HBase
// whose code is not looked at.
func extension(name string) bool {
	first, rest, _ := strings.Cut(name, ".")
	second, rest, more := strings.Cut(rest, ".")
	switch first {
	case "hadoop", "dfs", "fs", "yarn", "mapred", "mapreduce", "net", "ha", "ssl", "s3",
		"phoenix", "ranger", "xasecure", "atlas", "trace", "hive", "tez", "lily", "opentsdb", "kylin":
		return true
	case "io":
		return second == "serializations" || more && (second == "compression" || second == "file")
	case "hbase":
		switch second {
		case "coprocessor", "rest", "thrift", "backup", "spark", "mapreduce", "mapred", "oozie", "test", "rsgroup":
			return more
		case "regionserver":
			return strings.HasPrefix(rest, "thrift.")
		}
		return strings.HasPrefix(second, "IntegrationTest")
	}
	return false
}

// dead are names of old versions that are in no code of 2.x, with what took
// their place; the catalogue has those that were tuned much.
func dead(name string) (instead string, ok bool) {
	switch name {
	case "hbase.master":
		return "clients find the Master through ZooKeeper or hbase.masters", true
	case "hbase.regionserver.separate.hlog.for.meta":
		return "hbase:meta always has a log of its own", true
	case "hbase.assignment.usezk", "hbase.assignment.zkevent.workers",
		"hbase.master.assignment.timeoutmonitor.period", "hbase.master.assignment.timeoutmonitor.timeout":
		return "regions are assigned by procedures", true
	case "hbase.offheapcache.percentage", "hbase.offheapcache.slab.proportions", "hbase.offheapcache.slab.sizes":
		return "hbase.bucketcache.ioengine and hbase.bucketcache.size took its place", true
	case "hbase.online.schema.update.enable":
		return "tables are always altered online", true
	case "hbase.regionserver.class", "hbase.rpc.engine", "hbase.regionserver.nbreservationblocks",
		"hbase.regionserver.optionallogflushinterval", "hbase.regionserver.optionallogrollinterval",
		"hbase.regionserver.disallow.writes.when.recovering", "hbase.table.archive.directory":
		return "", true
	}
	return "", false
}

// isDead reports whether a name is one that this version no longer reads.
func (f *facts) isDead(name string) bool {
	_, ok := dead(name)
	return ok && !hbaseconf.VersionBefore(f.version, "2.0")
}

func deadName(f *facts) []Finding {
	var found []Finding
	for _, name := range f.known {
		p, _ := f.catalogue.Lookup(name)
		if p.Name != name || !p.Gone(f.version) && !neverRead(p) {
			continue
		}
		x := f.at(name, "is no longer read by HBase %s: it has no effect", f.version).drop().as(Info)
		if name == bucketPercentage {
			x = x.as(Warning)
			x.Message += ". What it divided is now hbase.bucketcache.size, all of it for data blocks, and the block cache on the heap, for index and bloom blocks"
		}
		found = append(found, x)
	}
	for _, name := range f.unknown {
		if !f.isDead(name) {
			continue
		}
		x := f.at(name, "is no longer read by HBase 2.x: it has no effect").drop().as(Info)
		if instead, _ := dead(name); instead != "" {
			x.Message += "; " + instead
		}
		found = append(found, x)
	}
	for _, name := range f.others {
		lines := hbaseconf.KnownLines(name)
		if f.lineKnown && len(lines) > 0 && !slices.Contains(lines, f.line) && f.olderLine(lines) {
			found = append(found, f.at(name, "is no longer in the code of HBase %s: it has no effect", f.line).drop().as(Info))
		}
	}
	return found
}

func neverRead(p hbaseconf.Property) bool {
	return p.Takes(hbaseconf.NoEffect) && len(p.Effect) == 1 && p.Versions() == ""
}

// olderLine reports whether one of the lines of releases is older.
func (f *facts) olderLine(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return hbaseconf.VersionBefore(line, f.line) })
}

func tooNew(f *facts) []Finding {
	var found []Finding
	for _, name := range f.known {
		if p, _ := f.catalogue.Lookup(name); p.Name == name && !p.ReadIn(f.version) && !p.Gone(f.version) {
			found = append(found, f.at(name, "is not read by HBase %s: %s", f.version, p.Versions()))
		}
	}
	if !f.lineKnown {
		return found
	}
	for _, name := range f.others {
		if lines := hbaseconf.KnownLines(name); len(lines) > 0 && !slices.Contains(lines, f.line) && !f.olderLine(lines) {
			found = append(found, f.at(name, "is not in the code of HBase %s, only since %s", f.line, lines[0]))
		}
	}
	return found
}

// oldNames pairs old names with the new one that wins over them.
func (f *facts) oldNames() [][2]string {
	pairs := [][2]string{{memstoreLowOld, memstoreLow}}
	for _, name := range f.known {
		p, _ := f.catalogue.Lookup(name)
		switch {
		case p.Name != name:
			pairs = append(pairs, [2]string{name, p.Name})
		case p.ReplacedBy != "":
			pairs = append(pairs, [2]string{name, p.ReplacedBy})
		}
	}
	return pairs
}

// wins reports whether the new name is in force, so that the old one is not
// looked at.
func (f *facts) wins(name string) bool {
	_, ok := f.get(name)
	return ok && f.isSet(name)
}

func oldNameIgnored(f *facts) []Finding {
	var found []Finding
	for _, pair := range f.oldNames() {
		if f.isSet(pair[0]) && f.wins(pair[1]) {
			entry, _ := f.conf.Entry(pair[1])
			found = append(found, f.at(pair[0], "is ignored: its new name %s is set to %s (line %d)", pair[1], f.shown(pair[1]), entry.Line).drop())
		}
	}
	return found
}

func oldName(f *facts) []Finding {
	var found []Finding
	for _, pair := range f.oldNames() {
		p, _ := f.catalogue.Lookup(pair[1])
		if !f.isSet(pair[0]) || f.wins(pair[1]) || !p.ReadIn(f.version) {
			continue
		}
		x := f.at(pair[0], "is the old name of %s", pair[1])
		if pair[0] == memstoreLowOld {
			x.Message += ", which is a share of the memstore, not of the heap"
			if f.shared {
				x = x.write("%s=%s", pair[1], figure(float64(f.shares.LowMark)))
			}
		} else {
			x = x.write("%s=%s", pair[1], f.shown(pair[0]))
		}
		found = append(found, x)
	}
	return found
}

// need is a condition without which a property does nothing.
type need struct {
	prefix string // a name, or the beginning of names if it ends in a dot
	met    func(*facts) bool
	text   string
}

func needs() []need {
	is := func(name string, words ...string) func(*facts) bool {
		return func(f *facts) bool { return slices.Contains(words, strings.ToLower(f.text(name))) }
	}
	return []need{
		{scanRatio, func(f *facts) bool { return f.float(readRatio, 0) > 0 || f.float(scanRatio, 0) == 0 }, readRatio + " above 0"},
		{"hbase.ipc.server.callqueue.codel.", is(queueType, "codel", "pluggable"), queueType + "=codel"},
		{"hbase.ipc.server.queue.max.call.delay", is(queueType, "deadline"), queueType + "=deadline"},
		{"hbase.ipc.server.scan.vtime.weight", is(queueType, "deadline"), queueType + "=deadline"},
		{"hbase.bucketcache.", func(f *facts) bool { return f.text(bucketEngine) != "" }, bucketEngine},
		{"hbase.wal.regiongrouping.", func(f *facts) bool {
			return strings.EqualFold(f.text(walProvider), "multiwal") || strings.EqualFold(f.text("hbase.wal.meta_provider"), "multiwal")
		}, walProvider + "=multiwal"},
		{"hbase.hregion.memstore.mslab.chunksize", is(mslabEnabled, "true"), mslabEnabled + "=true"},
		{"hbase.hregion.memstore.mslab.max.allocation", is(mslabEnabled, "true"), mslabEnabled + "=true"},
		{"hbase.hregion.memstore.chunkpool.", is(mslabEnabled, "true"), mslabEnabled + "=true"},
		{throughputOffPeak, func(f *facts) bool { return f.long(offPeakStart, -1) >= 0 }, offPeakStart},
		{"hbase.hstore.compaction.ratio.offpeak", func(f *facts) bool { return f.long(offPeakStart, -1) >= 0 }, offPeakStart},
		{allocatorCount, is(allocatorPool, "true", ""), allocatorPool + "=true"},
		{allocatorBuffer, is(allocatorPool, "true", ""), allocatorPool + "=true"},
	}
}

func noEffectWithout(f *facts) []Finding {
	var found []Finding
	for _, n := range needs() {
		if n.met(f) {
			continue
		}
		for _, name := range f.names {
			if name != n.prefix && !(strings.HasSuffix(n.prefix, ".") && strings.HasPrefix(name, n.prefix)) || name == bucketEngine || f.isDeadProperty(name) {
				continue
			}
			if !f.chosen(name) {
				continue // nothing was meant to change
			}
			found = append(found, f.at(name, "has no effect without %s", n.text).write("set %s, or remove this", n.text))
		}
	}
	return found
}

func (f *facts) isDeadProperty(name string) bool {
	p, ok := f.catalogue.Lookup(name)
	return ok && p.Takes(hbaseconf.NoEffect)
}
