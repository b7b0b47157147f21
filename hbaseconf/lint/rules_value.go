package lint

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"hbtune/hbaseconf"
)

// valueRules look at one value by itself.
func valueRules() []Rule {
	return []Rule{
		{
			Code: "placeholder", Severity: Error, Title: "A place-holder that nobody filled in",
			Doc: "A name in capitals, or one between marks, stands where a value should. The daemon fails when it reads it.",
			Bad: "hbase.regionserver.handler.count=RS_HANDLER_COUNT", Good: "hbase.regionserver.handler.count=60",
			check: placeholder,
		},
		{
			Code: "not-a-number", Severity: Error, Title: "A value that HBase cannot read as a number",
			Doc: "Hadoop takes plain decimal or 0x numbers, without units, separators, per cent or exponents. Only a few properties take units such as 256m. The daemon fails at the first use of the value: most at the start, some when a region opens.",
			Bad: "hbase.hregion.memstore.flush.size=256MB", Good: "hbase.hregion.memstore.flush.size=268435456",
			check: notANumber,
		},
		{
			Code: "not-a-boolean", Severity: Warning, Title: "A switch that is neither true nor false",
			Doc: "For anything but true and false HBase silently takes the default.",
			Bad: "hbase.regionserver.wal.enablecompression=yes", Good: "hbase.regionserver.wal.enablecompression=true",
			check: notABoolean,
		},
		{
			Code: "out-of-range", Severity: Warning, Title: "A value outside of what HBase accepts or can use",
			Doc: "Depending on the property HBase takes the default, the nearest value allowed, or behaves as nobody meant.",
			Bad: "hbase.ipc.server.callqueue.handler.factor=4", Good: "hbase.ipc.server.callqueue.handler.factor=0.2",
			check: outOfRange,
		},
		{
			Code: "unknown-word", Severity: Warning, Title: "A word that HBase does not know",
			Doc: "Where HBase chooses by a word it mostly takes the default for one that it does not know, and capitals may count.",
			Bad: "hbase.ipc.server.callqueue.type=lifo", Good: "hbase.ipc.server.callqueue.type=codel",
			check: unknownWord,
		},
		{
			Code: "refused", Severity: Error, Title: "Values with which HBase does not start",
			Doc: "HBase checks some values at its start, or when a region opens, and gives up.",
			Bad: "hbase.lru.blockcache.single.percentage=0.5", Good: "hbase.lru.blockcache.single.percentage=0.25",
			check: refused,
		},
	}
}

var placeholderText = regexp.MustCompile(`^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|@[\w.-]+@|__\w+__|%[A-Z_]+%|<[\w -]+>|\[[A-Z_ ]+\]|(?i:changeme|todo|xxx+|tbd|fixme|your[_-].*))$`)

// broken lists what fails to be read and is, or is not, a place-holder.
func (f *facts) broken(placeholders bool) []string {
	var names []string
	for _, name := range f.unreadable {
		if p, ok := f.catalogue.Lookup(name); ok && p.Takes(hbaseconf.NoEffect) {
			continue
		}
		value, _ := f.value(name)
		if placeholderText.MatchString(strings.TrimSpace(value)) == placeholders {
			names = append(names, name)
		}
	}
	return names
}

func placeholder(f *facts) []Finding {
	var found []Finding
	for _, name := range f.broken(true) {
		x := f.at(name, "%q is a place-holder, not a number: the daemon fails when it reads it", f.shown(name))
		if p, ok := f.catalogue.Lookup(name); ok {
			x = x.write("a value; the default is %s", p.DefaultText(f.version))
		}
		found = append(found, x)
	}
	return found
}

var (
	exponent  = regexp.MustCompile(`^[0-9.]+[eE][+-]?[0-9]+$`)
	thousands = regexp.MustCompile(`^[0-9]{1,3}(?:[,_ '][0-9]{3})+$`)
)

func notANumber(f *facts) []Finding {
	var found []Finding
	for _, name := range f.broken(false) {
		if name == bucketSize {
			continue // has a rule of its own
		}
		found = append(found, f.explain(name))
	}
	return found
}

// explain says what is wrong with a number, and what was meant.
func (f *facts) explain(name string) Finding {
	value, _ := f.value(name)
	var read *hbaseconf.ReadError
	if errors.As(f.unexpanded[name], &read) {
		return f.at(name, "%v", read.Err)
	}
	p, _ := f.catalogue.Lookup(name)
	text := strings.Trim(strings.TrimSpace(value), "\u00a0\u2018\u2019\u201c\u201d\"'")
	why := "is not a number to HBase"
	switch {
	case value == "" || strings.TrimSpace(value) == "":
		return f.at(name, "is blank, which is a value and not a number to HBase: the daemon fails when it reads it").write("remove it, or give a number")
	case text != strings.TrimSpace(value):
		why += ", because of the quotes or blanks that an editor put around it"
	case exponent.MatchString(text):
		why = "is not an integer to HBase (an unquoted number has gone through a template engine)"
	case thousands.MatchString(text):
		text = strings.NewReplacer(",", "", "_", "", " ", "", "'", "").Replace(text)
		why += ", because of the separators"
	case text != "" && (text[len(text)-1] > '9' || text[len(text)-1] == '%'):
		why += ", which takes no unit here"
	}
	x := f.at(name, "%q %s: the daemon fails when it reads it", hbaseconf.Masked(name, value), why)
	if meant, err := f.catalogue.Value(name, text); err == nil {
		return x.set(string(meant))
	}
	if p.Range.Bounded() {
		return x.write("a number, %s", p.Range)
	}
	return x.write("a number")
}

func notABoolean(f *facts) []Finding {
	var found []Finding
	for _, name := range f.known {
		p, ok := f.catalogue.Lookup(name)
		value, _ := f.get(name)
		text := strings.ToLower(strings.TrimSpace(value))
		if !ok || p.Kind != hbaseconf.Bool || text == "true" || text == "false" || p.Takes(hbaseconf.NoEffect) || value == "" {
			continue
		}
		x := f.at(name, "%q is neither true nor false: HBase silently takes the default, %s", value, p.DefaultText(f.version))
		switch text {
		case "yes", "on", "1", "enabled":
			x = x.write("%s=true, if that was meant", name)
		case "no", "off", "0", "disabled":
			x = x.write("%s=false, if that was meant", name)
		}
		found = append(found, x)
	}
	return found
}

// ownRange lists the properties whose range has a rule of its own.
func ownRange(name string) bool {
	return slices.Contains([]string{memstoreSize, memstoreOld, memstoreLow, memstoreLowOld, bucketSize, maxFileSize, compactionMaxSize, compactionMin, compactionMinOld}, name)
}

func outOfRange(f *facts) []Finding {
	var found []Finding
	for _, name := range f.known {
		p, ok := f.catalogue.Lookup(name)
		if !ok || !p.Kind.Number() || !p.Range.Bounded() || ownRange(name) || p.Takes(hbaseconf.NoEffect) || f.inConflict(name) || !p.ReadIn(f.version) {
			continue
		}
		x, err := f.conf.Double(name, 0)
		if p.Kind == hbaseconf.Size {
			var n int64
			n, err = f.conf.Size(name, 0)
			x = float64(n)
		}
		if err != nil || p.Range.Contains(x) {
			continue
		}
		found = append(found, f.at(name, "%s is out of range: a value is %s", f.shown(name), p.Range))
	}
	return found
}

func unknownWord(f *facts) []Finding {
	var found []Finding
	for _, name := range f.known {
		p, ok := f.catalogue.Lookup(name)
		if !ok || p.Kind != hbaseconf.Enum || name == bucketEngine || f.inConflict(name) || !p.ReadIn(f.version) {
			continue
		}
		text := f.text(name)
		known, err := f.catalogue.Value(name, text)
		switch {
		case err != nil:
			found = append(found, f.at(name, "%q is not known to HBase; it knows %s", text, p.Range))
		case string(known) != text && !p.Range.FoldCase && strings.EqualFold(string(known), text):
			found = append(found, f.at(name, "%q is not known to HBase: capitals count", text).write("%s=%s", name, known))
		}
	}
	return found
}

// inConflict reports whether HBase itself refuses the value of a property.
func (f *facts) inConflict(name string) bool {
	return slices.ContainsFunc(f.conflicts, func(c hbaseconf.Conflict) bool { return slices.Contains(c.Properties, name) })
}

// refused reports what HBase refuses beyond what other rules explain better.
func refused(f *facts) []Finding {
	var found []Finding
	for _, c := range f.conflicts {
		name, set := f.anySet(c.Properties...)
		if !set || ownConflict(c) || slices.Contains(f.unreadable, name) {
			continue
		}
		x := f.at(name, "HBase does not start, or opens no region: %s", c.Reason)
		if len(c.Properties) > 1 {
			x.Message += " (" + strings.Join(c.Properties, ", ") + ")"
		}
		found = append(found, x)
	}
	return found
}

// ownConflict tells conflicts that have a rule of their own.
func ownConflict(c hbaseconf.Conflict) bool {
	return slices.ContainsFunc(c.Properties, func(name string) bool {
		return slices.Contains([]string{memstoreSize, memstoreOld, bucketSize, bucketEngine}, name)
	})
}
