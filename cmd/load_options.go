package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"hbtune/hbaseconf"
	"hbtune/sweep/hbase"
	"hbtune/sweep/load"
)

// complete takes the scenario from preset or file, lets the flags that were
// given change it, and checks all of it together.
func (o *loadOptions) complete(given func(flag string) bool) error {
	if err := o.flagsAlone(given); err != nil {
		return err
	}
	if err := o.output.check(); err != nil {
		return err
	}
	if o.suite != "" {
		_, err := load.PlanSuite(o.suite, o.suiteOptions(given))
		if err != nil {
			return fmt.Errorf("--suite: %w", err)
		}
		return o.place.check()
	}
	var err error
	if o.file != "" {
		text, readErr := hbaseconf.ReadFile(o.file)
		if readErr != nil {
			return fmt.Errorf("--workload: %w", readErr)
		}
		o.scenario, err = load.ParseScenario(o.file, string(text))
	} else if o.scenario, err = load.PresetScenario(o.preset); err != nil {
		err = fmt.Errorf("--preset %w", err)
	}
	if err != nil {
		return err
	}
	if err := o.change(given); err != nil {
		return err
	}
	cfg := o.config()
	return errors.Join(cfg.Validate(), o.shape().Validate(), o.place.check())
}

// flagsAlone checks what can be said of flags without a scenario.
func (o *loadOptions) flagsAlone(given func(string) bool) error {
	switch {
	case given("preset") && o.file != "":
		return errors.New("--preset and --workload both say what to do: use one of them")
	case o.suite != "" && (given("preset") || o.file != ""):
		return errors.New("--suite has workloads of its own: leave out --preset and --workload")
	case o.suite != "" && o.duration <= 0:
		return fmt.Errorf("--duration %v is not positive", o.duration)
	case given("value-bytes") && o.valueBytes < 1:
		return fmt.Errorf("--value-bytes %d: a value has at least one byte", o.valueBytes)
	case o.records <= 0:
		return fmt.Errorf("--records %d: there must be at least one row", o.records)
	case !(o.readShare >= 0 && o.readShare <= 1):
		return fmt.Errorf("--read-share %v is not between 0 and 1", o.readShare)
	case given("read-share") && o.file != "":
		return errors.New("--read-share changes --preset mixed; a file has its proportions")
	case !(o.hit >= 0 && o.hit < 1):
		return fmt.Errorf("--hit %v is not between 0 and 1 (0.9 means that nine of ten data blocks are in the cache)", o.hit)
	case o.hit > 0 && o.workingSet > 0:
		return errors.New("--hit finds the working set that --working-set gives: use one of them")
	case o.warmupCap <= 0:
		return fmt.Errorf("--warmup-cap %v is not positive", o.warmupCap)
	case given("batch") && o.batch < 1:
		return fmt.Errorf("--batch %d: a call handles at least one row", o.batch)
	case slices.ContainsFunc(o.batches, func(n int) bool { return n < 1 }):
		return fmt.Errorf("--batches %v: a call handles at least one row", o.batches)
	case given("fields") && o.fields < 1:
		return fmt.Errorf("--fields %d: a row has at least one column", o.fields)
	case len(o.threads) == 0:
		return errors.New("--threads is empty")
	case o.suite == "" && len(o.threads) > 1:
		return fmt.Errorf("--threads %v: one load has one number of threads; a --suite takes several", o.threads)
	case len(o.regions) == 0:
		return errors.New("--regions is empty")
	case o.suite != load.SuiteRandom && len(o.regions) > 1:
		return fmt.Errorf("--regions %v: only --suite random takes several numbers", o.regions)
	case o.suite != "" && (o.output.hlog != "" || o.output.format != "text"):
		return errors.New("--hlog and --format are about one load; a --suite prints its tables, or with --json everything")
	case o.suite != "" && o.print:
		return errors.New("--print shows one workload; a --suite has several")
	case o.output.chart != "" && o.suite != load.SuiteRandom:
		return errors.New("--chart draws what --suite random measures")
	case o.poisson && o.rate == "":
		return errors.New("--poisson says how the operations of a --rate are spaced: give one")
	case !slices.Contains([]load.CacheState{load.KeepCache, load.ClearCache, load.WarmCache}, load.CacheState(o.cache)):
		return fmt.Errorf("--cache %q is unknown: use keep, clear or warm", o.cache)
	case o.suite == "" && (len(o.hits) > 0 || len(o.batches) > 0):
		return errors.New("--hits and --batches are levels of a --suite; one load has --hit and --batch")
	}
	if err := hbase.CheckTable(o.table); err != nil {
		return fmt.Errorf("--table %w", err)
	}
	return nil
}

// change lets flags have the last word, and fills in what neither they nor the
// file says.
func (o *loadOptions) change(given func(string) bool) error {
	s := o.scenario
	w := &s.Workload
	fixed := map[string]float64{"get": 1, "put": 0}
	switch share, is := fixed[o.preset]; {
	case !given("read-share") || o.file != "":
	case is && share == o.readShare:
	case o.preset != "mixed":
		return fmt.Errorf("--read-share %v contradicts --preset %s: use --preset mixed", o.readShare, o.preset)
	default:
		w.Mix.Read, w.Mix.Update = o.readShare, 1-o.readShare
	}
	w.ReadShare = min(w.Mix.Read+w.Mix.Scan, 1)
	if w.Rows == 0 || given("records") {
		w.Rows = o.records
	}
	if w.Threads == 0 || given("threads") {
		w.Threads = o.threads[0]
	}
	if given("fields") {
		w.Columns = o.fields
		w.ReadColumns, w.WriteColumns = min(w.ReadColumns, o.fields), min(w.WriteColumns, o.fields)
	}
	if given("value-bytes") {
		w.ValueBytes = o.valueBytes
	}
	if given("batch") {
		w.Batch = o.batch
	}
	if given("followers") {
		if !w.Queue {
			return errors.New("--followers read what --preset log writes")
		}
		w.Followers = o.followers
	}
	if s.Regions == 0 || given("regions") {
		s.Regions = o.regions[0]
	}
	if w.Queue {
		s.Regions = w.Threads
	}
	if s.Duration == 0 || given("duration") {
		s.Duration = o.duration
	}
	if given("hit") {
		w.HitTarget = o.hit
	}
	if given("working-set") {
		w.WorkingSet = o.workingSet
	}
	s.Verify = s.Verify || o.verify
	if o.hit > 0 && w.ReadShare+w.Mix.ReadModifyWrite == 0 {
		return errors.New("--hit: a load that only writes has no hit rate")
	}
	if o.rate != "" {
		rate, err := load.ParseRate(o.rate)
		if err != nil {
			return fmt.Errorf("--rate %w", err)
		}
		w.Rate, w.Poisson = rate, o.poisson
	}
	w.Table = o.table
	switch {
	case w.Queue:
		w.Table += "_log"
	case s.OwnWrites:
		w.WriteTable = o.table + "_w"
		if o.client > 0 {
			w.WriteTable += fmt.Sprint(o.client)
		}
	}
	return nil
}

func (o *loadOptions) shape() load.Shape {
	return load.ShapeOf(o.scenario.Workload, o.scenario.Regions, o.seed)
}

func (o *loadOptions) config() load.Config {
	return load.Config{
		Workload:  o.scenario.Workload,
		Seed:      o.seed ^ o.client<<32,
		Duration:  o.scenario.Duration,
		WarmupCap: o.warmupCap,
		Verify:    o.scenario.Verify,
		DebtDone:  o.quiesce,
	}
}

func listPresets(w io.Writer) error {
	for _, p := range load.Presets() {
		if _, err := fmt.Fprintf(w, "%-13s %s\n", p.Name, p.About); err != nil {
			return err
		}
	}
	return nil
}
