// Package diagnose tells what a running HBase suffers from, out of figures that
// somebody else has read: settings in numbers, what counters did over a window,
// how gauges stood, and what clients saw. It is pure, and the one place that says
// from where on something is saturated: sweep/inspect has the figures of a
// running cluster, sweep/load and analyze those of measurements (OfLoad).
//
// A rule is one small function (Rules) that concludes only what the figures
// carry. Every conclusion says which numbers it rests on, what to do, what would
// be the tempting mistake, and what would refute it.
package diagnose

import (
	"slices"

	"hbtune/hbaseconf"
)

// Observation is what was seen.
type Observation struct {
	Seconds  float64 // length of the window
	Servers  []Server
	Client   *Client  // what a load generator saw; nil without one
	Messages []string // of exceptions and logs, as far as somebody collected them
	Drift    []Drift  // between a file and what runs
}

// Drift is a property with another value in a file than in a running server.
type Drift struct {
	Server   string `json:"server"`
	Property string `json:"property"`
	File     string `json:"file"` // path and line
	InFile   string `json:"in_file"`
	Running  string `json:"running"` // empty where nothing is set
	Source   string `json:"source"`  // what won in the server: "hbase-default.xml", …
	// Restarted tells that the server has started since the file was written.
	Restarted bool `json:"restarted_since"`
}

// Server is one RegionServer over the window, or several as if they were one.
type Server struct {
	Name    string
	Servers int // how many; 0 is one
	// Sizing is what the settings make of all of them together; without handlers
	// it is unknown, and rules that judge servers say nothing.
	Sizing hbaseconf.Sizing
	CPUs   float64 // processors that it may use, 0 if unknown
	// Grown is by how much counters grew; Mean, Max, First and Last are gauges
	// over the samples. All under the names of sweep/metrics.
	Grown, Mean, Max, First, Last map[string]float64
	Regions                       []Region
	// FlushSeconds is how long the longest flush that still runs has been
	// running, 0 if that is not known.
	FlushSeconds float64
	// PauseSeconds is the longest pause of the Java machine in which it collected
	// garbage, StallSeconds that of one in which it did not.
	PauseSeconds, StallSeconds float64
	// NetworkShare is how full the network is, 0 to 1; 0 if unknown.
	NetworkShare float64
}

// Region is one region over the window.
type Region struct {
	Table         string
	Name          string
	Reads, Writes float64 // in the window
}

// Client is what the side that makes the load saw.
type Client struct {
	Threads        int     // that were asked for
	RunningThreads int     // of the process, pools included; 0 if unknown
	Workers        int     // that work; 0 if unknown
	Connections    int     // open to one server; 0 if unknown
	Throughput     float64 // operations/s
	Target         float64 // operations/s that were asked for, 0 for as many as possible
	Shortfall      float64 // of the target that chance may explain, 0 to 1
	MeanSeconds    float64 // of one operation
	CPUShare       float64 // of the client's machine, 0 to 1; 0 if unknown
	NotFoundShare  float64 // of the reads
	Rows           float64 // in the working set, 0 if unknown
	// Flat tells that more threads brought no more throughput.
	Flat bool
	// SlowerBy is how many times the latency grew as threads grew by
	// ThreadsBy; 0 if only one load was seen.
	SlowerBy, ThreadsBy float64
}

// Conclusion is what the figures say.
type Conclusion struct {
	Code     string   `json:"code"`
	Servers  []string `json:"servers"` // empty where it is about all, or about the clients
	Message  string   `json:"message"`
	Evidence []string `json:"evidence"` // the numbers that it rests on
	Advice   string   `json:"advice"`
	Not      string   `json:"not"`     // what would not help, though it is tempting
	Refuted  string   `json:"refuted"` // what would show that it is wrong
	// Weight orders conclusions: causes above symptoms.
	weight int
}

// Rule looks for one thing.
type Rule struct {
	Code  string
	check func(Observation) []Conclusion
}

// Diagnose says what an observation shows, causes first.
func Diagnose(o Observation) []Conclusion {
	all := []Conclusion{}
	for _, rule := range Rules() {
		for _, c := range rule.check(o) {
			c.Code = rule.Code
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Conclusion) int { return b.weight - a.weight })
	return all
}

// Rules lists what is looked for.
func Rules() []Rule { return slices.Concat(clientRules(), callRules(), writeRules(), serverRules()) }

// each asks about every server.
func each(check func(o Observation, s Server) *Conclusion) func(Observation) []Conclusion {
	return func(o Observation) []Conclusion {
		var list []Conclusion
		for _, s := range o.Servers {
			if s.Sizing.Handlers == 0 {
				continue
			}
			if c := check(o, s); c != nil {
				c.Servers = []string{s.Name}
				list = append(list, *c)
			}
		}
		return list
	}
}

// once asks about the whole.
func once(check func(o Observation) *Conclusion) func(Observation) []Conclusion {
	return func(o Observation) []Conclusion {
		if c := check(o); c != nil {
			return []Conclusion{*c}
		}
		return nil
	}
}

// ByCode finds a conclusion.
func ByCode(list []Conclusion, code string) (Conclusion, bool) {
	i := slices.IndexFunc(list, func(c Conclusion) bool { return c.Code == code })
	if i < 0 {
		return Conclusion{}, false
	}
	return list[i], true
}
