package diagnose

import "math"

// From where on something counts as saturated, or as wrong with a measurement.
// Whoever judges figures of a load or a server takes the limits from here, so
// that a report, an inspection and a load never contradict each other.
const (
	FullHandlers = 0.9  // share of the handlers at work, on average
	FullCPU      = 0.85 // share of the processors
	FreeCPU      = 0.7  // up to which processors have room
	MuchGC       = 0.1  // share of the time in garbage collection
	MuchBlocked  = 0.01 // share of the time in which all writes stood still
	FullClient   = 0.85 // share of a load generator's processors
	// RateReached is the least share of a rate that counts as kept.
	RateReached = 0.99
	// LittleClose is by how much throughput × latency may differ from the
	// number of threads: starting and stopping takes as much.
	LittleClose = 0.02
)

// RandomShortfall is by how much of itself a random number of arrivals, rate a
// second over some seconds, may fall short: a Poisson process has the square
// root of it as its standard deviation.
func RandomShortfall(rate, seconds float64) float64 {
	if rate*seconds <= 0 {
		return 0
	}
	return 2 / math.Sqrt(rate*seconds)
}
