package analyze

import (
	"hbtune/hbaseconf"
)

// Verdict is the answer in one word.
type Verdict string

// The verdicts of a whole analysis.
const (
	Improves         Verdict = "improves"
	NoDetectableGain Verdict = "no-detectable-gain"
	InsufficientData Verdict = "insufficient-data"
)

// Result is everything that an analysis found. It holds no NaN and no
// infinity: what could not be known is null or left out.
type Result struct {
	Verdict Verdict `json:"verdict"`
	// Summary is the verdict as one sentence.
	Summary     string             `json:"summary"`
	Objective   string             `json:"objective"`
	Constraints []string           `json:"constraints"`
	Equivalence float64            `json:"equivalence"`
	Baseline    hbaseconf.Settings `json:"baseline"`
	// Settings is what to set: empty unless the verdict is "improves".
	Settings hbaseconf.Settings `json:"settings"`
	Effect   *Effect            `json:"effect,omitempty"`
	// Unconfirmed names the best candidate of the exploration where no
	// confirmation decided on it.
	Unconfirmed *Unconfirmed `json:"unconfirmed,omitempty"`
	Curves      []Curve      `json:"curves"`
	Importance  []Importance `json:"importance"`
	// Surface is there where variants move several properties together.
	Surface *Surface `json:"surface,omitempty"`
	// Tradeoffs hold every variant against all objectives at once.
	Tradeoffs []Tradeoff `json:"tradeoffs"`
	Noise     Noise      `json:"noise"`
	Audit     []Finding  `json:"audit"`

	Conditions  []Condition  `json:"conditions"`
	Factors     []Factor     `json:"factors"`
	Comparisons []Comparison `json:"comparisons"`
	HitRate     []HitChart   `json:"hit_rate"`
	Drift       []Drift      `json:"drift"`
	Excluded    []Exclusion  `json:"excluded"`
	Warnings    []string     `json:"warnings"`
	// Explanations say in sentences what the numbers mean: what a recommended
	// value does and costs, how far it was tested.
	Explanations []string `json:"explanations"`
	Samples      int      `json:"samples"` // measurements used
}

// Effect is the recommended (or best) variant's objective over the baseline's:
// above 1 is better for throughput, below 1 for a latency.
type Effect struct {
	Ratio float64  `json:"ratio"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	// Confirmed says that fresh restarts were measured for this very question.
	Confirmed bool     `json:"confirmed"`
	Trials    []string `json:"trials"`
}

// Unconfirmed is a variant that looks best so far.
type Unconfirmed struct {
	Variant  string             `json:"variant"`
	Settings hbaseconf.Settings `json:"settings"`
	Ratio    float64            `json:"ratio"`
	Low      *float64           `json:"low"`
	High     *float64           `json:"high"`
	Reason   string             `json:"reason"`
}

// Comparison is one variant against the baseline in one condition, or over all
// of them (Workload "overall").
type Comparison struct {
	Variant  string             `json:"variant"`
	Settings hbaseconf.Settings `json:"settings"`
	Factor   string             `json:"factor,omitempty"`
	Workload string             `json:"workload"`
	Phase    string             `json:"phase"` // "explore", "confirm", "import"
	// N and BaselineN count restarts (imported: rows).
	N         int `json:"n"`
	BaselineN int `json:"baseline_n"`
	// Value and BaselineValue are geometric means of the objective; absent for
	// "overall", where conditions of different size meet.
	Value         *float64 `json:"value,omitempty"`
	BaselineValue *float64 `json:"baseline_value,omitempty"`
	Ratio         float64  `json:"ratio"`
	Low           *float64 `json:"low"`
	High          *float64 `json:"high"`
	P             *float64 `json:"p"`
	Holm          *float64 `json:"holm"`
	// Method is "pooled-t", "exact-u", "exact-signed-rank" or "welch-t".
	Method string `json:"method,omitempty"`
	// Verdict is "better", "worse", "equivalent", "not-detectable" or "too-few".
	Verdict string `json:"verdict"`
	// Breaks lists the constraints that the variant's own mean does not keep.
	Breaks []string `json:"breaks,omitempty"`
	// Ratios gives the other metrics over the baseline's.
	Ratios map[string]float64 `json:"ratios,omitempty"`
	Trials []string           `json:"trials"`
}

// Condition is a workload at one hit level; conditions are analysed apart.
type Condition struct {
	Name     string  `json:"name"`
	Workload string  `json:"workload"`
	Target   float64 `json:"hit_target,omitempty"`
	// Hit is what the baseline reached; HitLow and HitHigh span all variants.
	Hit     *float64 `json:"hit,omitempty"`
	HitLow  *float64 `json:"hit_low,omitempty"`
	HitHigh *float64 `json:"hit_high,omitempty"`
	Samples int      `json:"samples"`
}

// Factor is one thing that was varied.
type Factor struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	Log  bool   `json:"log"`
	// Load marks what belongs to the load, not to the configuration.
	Load       bool            `json:"load,omitempty"`
	Baseline   hbaseconf.Value `json:"baseline,omitempty"`
	Levels     int             `json:"levels"`
	complement string
	total      float64 // that factor and complement share
}

// Exclusion is a measurement that no fit uses, and why.
type Exclusion struct {
	Trial  string `json:"trial"`
	Reason string `json:"reason"`
}

// Importance is a property's share of what the settings changed.
type Importance struct {
	Property string   `json:"property"`
	Share    float64  `json:"share"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
}

// Curve is one factor's effect in one condition.
type Curve struct {
	Factor   string `json:"factor"`
	Unit     string `json:"unit,omitempty"`
	Workload string `json:"workload"`
	// Response is the objective's name, or "ratio" over all conditions.
	Response string `json:"response"`
	Log      bool   `json:"log"`
	// Model is "none" where there is too little to fit: the points stand alone.
	Model  string             `json:"model"`
	Params map[string]float64 `json:"params"`
	// Intervals holds low and high of every parameter.
	Intervals map[string][2]float64 `json:"intervals,omitempty"`
	LOOError  *float64              `json:"loo_error"`
	Optimum   *Optimum              `json:"optimum,omitempty"`
	Points    []Point               `json:"points"`
	// Band rows are x, fit, low, high.
	Band [][4]float64 `json:"band,omitempty"`
	// Models lists the families tried, best first.
	Models []ModelScore `json:"models,omitempty"`
	// Baseline is where the baseline stands on the x axis.
	Baseline *float64 `json:"baseline,omitempty"`
	Note     string   `json:"note,omitempty"`
	// Knee is where more concurrency begins to buy less throughput than it costs
	// latency; only concurrency has one.
	Knee *Knee `json:"knee,omitempty"`
}

// ModelScore tells how a family fared: a smaller AICc is better.
type ModelScore struct {
	Model    string  `json:"model"`
	AICc     float64 `json:"aicc"`
	LOOError float64 `json:"loo_error"`
}

// Optimum is where a curve is best.
type Optimum struct {
	X    float64  `json:"x"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	// InsideRange is false where the best lies at or beyond an end of what was
	// measured.
	InsideRange bool `json:"inside_range"`
}

// Point is one measurement on a curve.
type Point struct {
	Trial string  `json:"trial"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	// Adjusted is y with the block's own level taken out: what was fitted.
	Adjusted float64 `json:"adjusted"`
	Block    int     `json:"block,omitempty"`
}

// Noise says how much repeats differ, as standard deviations of the logarithm
// (0.02 is about 2 %), and what could be seen through it.
type Noise struct {
	WithinRestart   *float64 `json:"within_restart"`
	BetweenRestarts *float64 `json:"between_restarts"`
	// DetectableRatio is the smallest ratio that Pairs pairs of restarts show
	// with 80 % probability.
	DetectableRatio *float64 `json:"detectable_ratio"`
	Pairs           int      `json:"pairs"`
	Freedom         int      `json:"degrees_of_freedom"`
	Statement       string   `json:"statement"`
}

// Drift is how the baseline moved within a block, last sentinel over first.
type Drift struct {
	Block    int      `json:"block"`
	Workload string   `json:"workload"`
	Ratio    float64  `json:"ratio"`
	Removed  bool     `json:"removed"` // interpolated away before comparing
	Trials   []string `json:"trials"`
}

// HitChart is throughput against the measured data-block hit rate.
type HitChart struct {
	Workload string     `json:"workload"`
	Points   []HitPoint `json:"points"`
	// HitMicros and MissMicros are a and b of 1/X = h·a + (1−h)·b: what an
	// operation costs the whole system with and without the block in cache.
	HitMicros  *float64     `json:"hit_us,omitempty"`
	MissMicros *float64     `json:"miss_us,omitempty"`
	HitRange   *[2]float64  `json:"hit_us_interval,omitempty"`
	MissRange  *[2]float64  `json:"miss_us_interval,omitempty"`
	Error      *float64     `json:"error,omitempty"` // relative
	Band       [][4]float64 `json:"band,omitempty"`
	// Free holds, for throughput, mean and p99, the curve that the data choose
	// without a law.
	Free []HitFit `json:"free,omitempty"`
	Note string   `json:"note,omitempty"`
}

// HitFit is a response against the hit rate, by the family of curves that
// predicts it best. Band rows are hit rate, fit, low, high.
type HitFit struct {
	Response string       `json:"response"`
	Model    string       `json:"model"`
	LOOError *float64     `json:"loo_error"`
	Band     [][4]float64 `json:"band,omitempty"`
}

// HitPoint is one measurement on a hit-rate chart.
type HitPoint struct {
	Trial      string  `json:"trial"`
	Variant    string  `json:"variant"`
	Hit        float64 `json:"hit"`
	Throughput float64 `json:"throughput"`
	MeanMicros float64 `json:"mean_us,omitempty"`
	P99Micros  float64 `json:"p99_us,omitempty"`
	Target     float64 `json:"target,omitempty"`
}

// Finding is something in a measurement that should not be believed as it
// stands.
type Finding struct {
	Trial    string `json:"trial,omitempty"`
	Row      int    `json:"row,omitempty"`
	File     string `json:"file,omitempty"`
	Code     string `json:"code"`
	Severity string `json:"severity"` // "warning" or "info"
	Message  string `json:"message"`
}
