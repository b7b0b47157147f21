package sweep

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"hbtune/hbaseconf"
)

// Spec is what a sweep is asked to do, as spec.yaml has it.
type Spec struct {
	V      int        `yaml:"v"`
	Target TargetSpec `yaml:"target"`
	Data   DataSpec   `yaml:"data"`
	// Driver drives the loads: native, or java for HBase's own client, then by API:
	// table, mutator or async.
	Driver      string          `yaml:"driver,omitempty"`
	API         string          `yaml:"api,omitempty"`
	Workloads   []WorkloadSpec  `yaml:"workloads"`
	Parameters  []ParameterSpec `yaml:"parameters"`
	Objective   string          `yaml:"objective"`
	Constraints []string        `yaml:"constraints"`
	Equivalence float64         `yaml:"equivalence"`
	Design      DesignSpec      `yaml:"design"`
	Measure     MeasureSpec     `yaml:"measure"`
	Budget      time.Duration   `yaml:"budget"`
	Seed        uint64          `yaml:"seed"`
}

// TargetSpec names the HBase to tune.
type TargetSpec struct {
	Kind          string `yaml:"kind"` // "local"
	Version       string `yaml:"version"`
	RegionServers int    `yaml:"regionservers"`
	Heap          Size   `yaml:"heap"` // of each RegionServer
	Storage       string `yaml:"storage"`
	// Unchecked applies also variants that HBase is known to refuse, to see what
	// it says.
	Unchecked bool `yaml:"unchecked,omitempty"`
}

// DataSpec is the table that is read.
type DataSpec struct {
	Rows      int64 `yaml:"rows"`
	ValueSize Size  `yaml:"value_size"`
	Regions   int   `yaml:"regions"`
}

// ParameterSpec is one property with the values to try; the value that the
// target has is always tried too.
type ParameterSpec struct {
	Property        string  `yaml:"property"`
	Values          []Text  `yaml:"values"`
	Complement      string  `yaml:"complement,omitempty"`
	ComplementTotal float64 `yaml:"complement_total,omitempty"`
}

// Levels says how a block deals with several values of a parameter.
type Levels string

const (
	// AllLevels makes every block hold every candidate once.
	AllLevels Levels = "all"
	// AlternateLevels deals the values of a parameter to the blocks in turn: each
	// is compared with the sentinel of its own block, in half the restarts.
	AlternateLevels Levels = "alternate"
)

// DesignSpec says how often what is measured.
type DesignSpec struct {
	Blocks int    `yaml:"blocks"`
	Levels Levels `yaml:"levels"`
	// Sentinels is how often a block measures the baseline.
	Sentinels int `yaml:"sentinels"`
	Confirm   int `yaml:"confirm"` // pairs of fresh restarts, winner and baseline
}

// MeasureSpec bounds the parts of one measurement.
type MeasureSpec struct {
	WarmupCap time.Duration `yaml:"warmup_cap"`
	// SettleCap bounds the wait for a flat hit rate when a server that is warm
	// already is taken to another hit level.
	SettleCap time.Duration `yaml:"settle_cap"`
	Window    time.Duration `yaml:"window"`
}

//go:embed spec_default.yaml
var defaultSpec []byte

//go:embed spec_quick.yaml
var quickSpec []byte

// DefaultSpec is the spec of a sweep that was given none.
func DefaultSpec(quick bool) (Spec, error) {
	var s Spec
	if err := decodeSpec("the built-in spec", defaultSpec, &s); err != nil {
		return Spec{}, err
	}
	if quick {
		if err := decodeSpec("the built-in quick spec", quickSpec, &s); err != nil {
			return Spec{}, err
		}
	}
	return s, nil
}

// ReadSpec reads a spec file. What the file leaves out is as in the built-in
// spec; a list that it gives replaces the built-in one.
func ReadSpec(path string, quick bool) (Spec, error) {
	s, err := DefaultSpec(quick)
	if err != nil {
		return Spec{}, err
	}
	data, err := hbaseconf.ReadFile(path) // a pipe would be waited for for ever
	if err != nil {
		return Spec{}, err
	}
	if err := decodeSpec(path, data, &s); err != nil {
		return Spec{}, err
	}
	if err := s.readWorkloads(filepath.Dir(path)); err != nil {
		return Spec{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Encode writes the spec, completed with every default.
func (s Spec) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("write the spec: %w", err)
	}
	return b.Bytes(), nil
}

func decodeSpec(path string, data []byte, s *Spec) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	err := dec.Decode(s)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty: write what is to differ from the built-in spec, at least \"v: 1\"", path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, plainYAML(err))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: a second document follows after \"---\": keep one spec in a file", path)
	}
	return nil
}

var (
	unknownKey = regexp.MustCompile(`^line (\d+): field (\S+) not found in type (\S+)$`)
	wrongType  = regexp.MustCompile("^line (\\d+): cannot unmarshal \\S+ (`[^`]*`)? ?into (\\S+)$")
)

// plainYAML turns the decoder's messages into ones that name line and key and
// no Go type.
func plainYAML(err error) error {
	var types *yaml.TypeError
	if !errors.As(err, &types) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var all []error
	for _, message := range types.Errors {
		if m := unknownKey.FindStringSubmatch(message); m != nil {
			all = append(all, fmt.Errorf("line %s: unknown key %q: remove it, or see the completed spec.yaml of any sweep for the keys there are", m[1], m[2]))
			continue
		}
		if m := wrongType.FindStringSubmatch(message); m != nil {
			all = append(all, fmt.Errorf("line %s: %s is not %s", m[1], strings.Trim(m[2], "`"), plainType(m[3])))
			continue
		}
		all = append(all, errors.New(message))
	}
	return errors.Join(all...)
}

func plainType(goType string) string {
	switch {
	case strings.HasPrefix(goType, "int"), strings.HasPrefix(goType, "uint"):
		return "a whole number"
	case strings.HasPrefix(goType, "float"):
		return "a number"
	case goType == "time.Duration":
		return "a duration such as 30s, 5m or 1h"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	default:
		return "of the right form (" + goType + ")"
	}
}

// Text is a scalar as it was written, with its line.
type Text struct {
	Text string
	Line int
}

// UnmarshalYAML keeps the text and the line.
func (t *Text) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: a single value is wanted here", node.Line)
	}
	t.Text, t.Line = node.Value, node.Line
	return nil
}

// MarshalYAML writes the text.
func (t Text) MarshalYAML() (any, error) { return t.Text, nil }

// Size is a number of bytes, written with a unit: 512MB, 1000B.
type Size int64

// UnmarshalYAML reads a size with its unit.
func (s *Size) UnmarshalYAML(node *yaml.Node) error {
	n, err := hbaseconf.ParseBytes(node.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	*s = Size(n)
	return nil
}

// MarshalYAML writes the size in the largest unit that divides it.
func (s Size) MarshalYAML() (any, error) { return hbaseconf.Bytes(s).String(), nil }
