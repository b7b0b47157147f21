package load

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hbtune/sweep/trial"
)

// setting is a property of workload files that means something.
type setting struct {
	section, name, doc string
	set                func(*Scenario, string) error
	// get writes the value; said is false where it need not be.
	get func(*Scenario) (value string, said bool)
}

// proportion is the property of one kind's share.
type proportion struct {
	name string
	of   func(*trial.Mix) *float64
}

func proportions() []proportion {
	return []proportion{
		{"readproportion", func(m *trial.Mix) *float64 { return &m.Read }},
		{"updateproportion", func(m *trial.Mix) *float64 { return &m.Update }},
		{"insertproportion", func(m *trial.Mix) *float64 { return &m.Insert }},
		{"scanproportion", func(m *trial.Mix) *float64 { return &m.Scan }},
		{"readmodifywriteproportion", func(m *trial.Mix) *float64 { return &m.ReadModifyWrite }},
	}
}

// settings lists every property that means something, in the order in which they
// are printed.
func settings() []setting {
	const table, mix, rows, scans, pace, own = "the table", "what is done", "to which rows", "scans", "how fast, how long", "hbtune's own"
	list := []setting{
		count(table, "recordcount", "rows that are loaded before", func(s *Scenario) *int64 { return &s.Workload.Rows }, 1),
		whole(table, "fieldcount", "columns of a row", func(s *Scenario) *int { return &s.Workload.Columns }, 1),
		whole(table, "fieldlength", "bytes of a column's value, at most where lengths vary", func(s *Scenario) *int { return &s.Workload.ValueBytes }, 1),
		whole(table, "minfieldlength", "least bytes where lengths vary", func(s *Scenario) *int { return &s.Workload.MinValueBytes }, 1),
		choice(table, "fieldlengthdistribution", "how lengths vary", func(s *Scenario) *string { return &s.Workload.Lengths }, trial.Constant, trial.Uniform, trial.Zipfian),
		{
			table, "insertorder", "where a row lies: ordered deals rows out to the regions in turn, hashed strews them over all",
			func(s *Scenario, v string) (err error) {
				s.Workload.Hashed, err = pick(v, "hashed", "ordered")
				return err
			},
			func(s *Scenario) (string, bool) { return name(s.Workload.Hashed, "hashed", "ordered"), true },
		},
	}
	for _, p := range proportions() {
		list = append(list, number(mix, p.name, "share of "+shareOf(p.name)+" in all operations", func(s *Scenario) *float64 { return p.of(&s.Workload.Mix) }))
	}
	return append(list,
		every(mix, "readallfields", "reads and scans ask for all columns, else for one at random", func(s *Scenario) *int { return &s.Workload.ReadColumns }),
		every(mix, "writeallfields", "updates write all columns, else one at random", func(s *Scenario) *int { return &s.Workload.WriteColumns }),
		truth(mix, "dataintegrity", "every byte that is read is compared", func(s *Scenario) *bool { return &s.Verify }),
		choice(rows, "requestdistribution", "how the rows are drawn", func(s *Scenario) *string { return &s.Workload.Keys.Kind },
			trial.Uniform, trial.Zipfian, trial.Latest, trial.Hotspot, trial.Sequential, trial.Exponential),
		onlyFor(trial.Hotspot, number(rows, "hotspotdatafraction", "share of the rows that is hot", func(s *Scenario) *float64 { return &s.Workload.Keys.HotRows })),
		onlyFor(trial.Hotspot, number(rows, "hotspotopnfraction", "share of the operations that goes there", func(s *Scenario) *float64 { return &s.Workload.Keys.HotDraws })),
		onlyFor(trial.Exponential, number(rows, "exponential.percentile", "per cent of the operations that are about the latest rows", func(s *Scenario) *float64 { return &s.Workload.Keys.Percent })),
		onlyFor(trial.Exponential, number(rows, "exponential.frac", "share of all rows that those are", func(s *Scenario) *float64 { return &s.Workload.Keys.Within })),
		ifScans(whole(scans, "minscanlength", "least rows of a scan", func(s *Scenario) *int { return &s.Workload.Scan.Min }, 1)),
		ifScans(whole(scans, "maxscanlength", "most rows of a scan", func(s *Scenario) *int { return &s.Workload.Scan.Max }, 1)),
		ifScans(choice(scans, "scanlengthdistribution", "how the number of rows varies", func(s *Scenario) *string { return &s.Workload.Scan.Distribution }, trial.Uniform, trial.Zipfian)),
		whole(pace, "threadcount", "operations under way at most", func(s *Scenario) *int { return &s.Workload.Threads }, 1),
		number(pace, "target", "operations to start in a second, whether or not those before have ended", func(s *Scenario) *float64 { return &s.Workload.Rate }),
		setting{
			pace, "maxexecutiontime", "seconds that are measured, after the warm-up",
			func(s *Scenario, v string) error {
				n, err := strconv.ParseInt(v, 10, 32)
				if err != nil || n < 0 {
					return errors.New("a number of seconds is wanted")
				}
				s.Duration = time.Duration(n) * time.Second
				return nil
			},
			func(s *Scenario) (string, bool) { return strconv.Itoa(int(s.Duration.Seconds())), s.Duration > 0 },
		},
		whole(own, "hbtune.readcolumns", "columns that a read or scan asks for: 1 at random, else the first ones", func(s *Scenario) *int { return &s.Workload.ReadColumns }, 0),
		whole(own, "hbtune.writecolumns", "columns that an update writes: 1 at random, else the first ones", func(s *Scenario) *int { return &s.Workload.WriteColumns }, 0),
		whole(own, "hbtune.batch", "rows that a read, update or insert handles in one call", func(s *Scenario) *int { return &s.Workload.Batch }, 0),
		truth(own, "hbtune.poisson", "operations of a target start at random times", func(s *Scenario) *bool { return &s.Workload.Poisson }),
		truth(own, "hbtune.ownwrites", "updates go to a table of their own, made afresh", func(s *Scenario) *bool { return &s.OwnWrites }),
		number(own, "hbtune.hit", "hit rate of data blocks to calibrate the working set for", func(s *Scenario) *float64 { return &s.Workload.HitTarget }),
		count(own, "hbtune.workingset", "rows that are drawn from", func(s *Scenario) *int64 { return &s.Workload.WorkingSet }, 0),
		whole(own, "hbtune.regions", "regions that the table is split into", func(s *Scenario) *int { return &s.Regions }, 0),
		truth(own, "hbtune.queue", "each thread appends batches to a partition of its own", func(s *Scenario) *bool { return &s.Workload.Queue }),
		whole(own, "hbtune.followers", "threads that read the partitions of a queue", func(s *Scenario) *int { return &s.Workload.Followers }, 0),
	)
}

func shareOf(property string) string {
	switch kind := strings.TrimSuffix(property, "proportion"); kind {
	case "readmodifywrite":
		return "reads followed by an update of the same row"
	default:
		return kind + "s"
	}
}

// onlyFor leaves a setting out of what is printed for other distributions.
func onlyFor(kind string, s setting) setting {
	get := s.get
	s.get = func(sc *Scenario) (string, bool) {
		v, said := get(sc)
		return v, said && sc.Workload.Keys.Kind == kind
	}
	return s
}

func ifScans(s setting) setting {
	get := s.get
	s.get = func(sc *Scenario) (string, bool) {
		v, _ := get(sc)
		return v, sc.Workload.Mix.Scan > 0
	}
	return s
}

func whole(section, property, doc string, field func(*Scenario) *int, least int) setting {
	return setting{
		section, property, doc,
		func(s *Scenario, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < least {
				return fmt.Errorf("a whole number from %d on is wanted", least)
			}
			*field(s) = n
			return nil
		},
		func(s *Scenario) (string, bool) { n := *field(s); return strconv.Itoa(n), n > 0 },
	}
}

func count(section, property, doc string, field func(*Scenario) *int64, least int64) setting {
	return setting{
		section, property, doc,
		func(s *Scenario, v string) error {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil || n < least {
				return fmt.Errorf("a whole number from %d on is wanted", least)
			}
			*field(s) = n
			return nil
		},
		func(s *Scenario) (string, bool) { n := *field(s); return strconv.FormatInt(n, 10), n > 0 },
	}
}

func number(section, property, doc string, field func(*Scenario) *float64) setting {
	return setting{
		section, property, doc,
		func(s *Scenario, v string) error {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil || !(x >= 0) {
				return errors.New("a number that is not negative is wanted")
			}
			*field(s) = x
			return nil
		},
		func(s *Scenario) (string, bool) {
			x := *field(s)
			return strconv.FormatFloat(x, 'f', -1, 64), x != 0 || strings.HasSuffix(property, "proportion")
		},
	}
}

func choice(section, property, doc string, field func(*Scenario) *string, values ...string) setting {
	return setting{
		section, property, doc + ": " + strings.Join(values, ", "),
		func(s *Scenario, v string) error {
			for _, value := range values {
				if strings.EqualFold(v, value) {
					*field(s) = value
					return nil
				}
			}
			if property == "fieldlengthdistribution" && strings.EqualFold(v, "histogram") {
				return fmt.Errorf("histograms of lengths are not read; use one of %s", strings.Join(values, ", "))
			}
			return fmt.Errorf("use one of %s", strings.Join(values, ", "))
		},
		func(s *Scenario) (string, bool) { return *field(s), *field(s) != "" },
	}
}

func truth(section, property, doc string, field func(*Scenario) *bool) setting {
	return setting{
		section, property, doc,
		func(s *Scenario, v string) (err error) {
			*field(s), err = pick(v, "true", "false")
			return err
		},
		func(s *Scenario) (string, bool) { return "true", *field(s) },
	}
}

// every is a property that says whether all columns are meant, or one.
func every(section, property, doc string, field func(*Scenario) *int) setting {
	return setting{
		section, property, doc,
		func(s *Scenario, v string) error {
			all, err := pick(v, "true", "false")
			*field(s) = 1
			if all {
				*field(s) = 0
			}
			return err
		},
		func(s *Scenario) (string, bool) { return name(*field(s) == 0, "true", "false"), true },
	}
}

func pick(v, yes, no string) (bool, error) {
	switch {
	case strings.EqualFold(v, yes):
		return true, nil
	case strings.EqualFold(v, no):
		return false, nil
	}
	return false, fmt.Errorf("%s or %s is wanted", yes, no)
}

func name(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
