package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"hbtune/hbaseconf"
)

// maxFileBytes is far above any real profile: a larger file is another file.
const maxFileBytes = 1 << 20

// file is a profile as it is written: settings stay nodes, so that their values
// are read as the text they are and a fault can name its line.
type file struct {
	Version  int          `yaml:"v"`
	Name     string       `yaml:"name"`
	Summary  string       `yaml:"summary,omitempty"`
	Settings yaml.Node    `yaml:"settings"`
	Evidence fileEvidence `yaml:"evidence"`
}

type fileEvidence struct {
	Evidence `yaml:",inline"`
	Baseline yaml.Node `yaml:"baseline,omitempty"`
}

// Parse reads a profile and checks it against the catalogue. Its faults name
// path and line. Values may be written with units where the property has one.
func Parse(path string, data []byte, catalogue *hbaseconf.Catalogue) (Profile, error) {
	f, err := decode(data)
	if err != nil {
		return Profile{}, located(path, err)
	}
	p := Profile{Version: f.Version, Name: f.Name, Summary: f.Summary, Evidence: f.Evidence.Evidence}
	var faults []error
	read := func(node yaml.Node, key string, check checker) hbaseconf.Settings {
		settings, err := parseSettings(node, key, check)
		if err != nil {
			faults = append(faults, err)
		}
		return settings
	}
	p.Settings = read(f.Settings, "settings", func(name, text string) (hbaseconf.Value, error) {
		return checkSetting(name, text, catalogue)
	})
	// The baseline tells what was; it is never applied, so anything may be there.
	p.Evidence.Baseline = read(f.Evidence.Baseline, "evidence.baseline", func(_, text string) (hbaseconf.Value, error) {
		return hbaseconf.Value(text), nil
	})
	if err := p.validate(); err != nil {
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return Profile{}, located(path, err)
	}
	return p, nil
}

// lineError is a fault with its line; 0 means that none is known.
type lineError struct {
	line int
	err  error
}

func (e lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e lineError) Unwrap() error { return e.err }

// located puts the path in front of every fault: "a.yaml:3: …".
func located(path string, err error) error {
	switch e := err.(type) {
	case lineError:
		if e.line > 0 {
			return fmt.Errorf("%s:%d: %w", path, e.line, e.err)
		}
		return fmt.Errorf("%s: %w", path, e.err)
	case interface{ Unwrap() []error }:
		var all []error
		for _, one := range e.Unwrap() {
			all = append(all, located(path, one))
		}
		return errors.Join(all...)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func decode(data []byte) (file, error) {
	var f file
	if len(data) > maxFileBytes {
		return f, fmt.Errorf("%d bytes are no profile", len(data))
	}
	// The version comes first: of a newer file one can't say that a key is wrong.
	var head struct {
		Version *int `yaml:"v"`
	}
	if err := yaml.Unmarshal(data, &head); err != nil {
		return f, readable(err)
	}
	if head.Version == nil {
		return f, errors.New("no profile: it has no \"v: 1\"")
	}
	if *head.Version != FormatVersion {
		return f, fmt.Errorf("v: %d is not read by this hbtune, which knows %d", *head.Version, FormatVersion)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		return f, readable(err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return f, errors.New("a second document follows: keep one profile in a file")
	}
	return f, nil
}

var (
	unknownField = regexp.MustCompile(`^line (\d+): field (.+) not found in type .+$`)
	withLine     = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.+)$`)
	goType       = regexp.MustCompile("cannot unmarshal !!(\\w+) (?:`(.*)` )?into .+")
)

// readable turns the library's faults, which speak of Go types, into ones that
// speak of the file.
func readable(err error) error {
	messages := []string{err.Error()}
	var many *yaml.TypeError
	if errors.As(err, &many) {
		messages = many.Errors
	}
	var faults []error
	for _, message := range messages {
		fault := lineError{}
		if m := unknownField.FindStringSubmatch(message); m != nil {
			fmt.Sscan(m[1], &fault.line)
			fault.err = fmt.Errorf("unknown key %q: remove it or correct its spelling", m[2])
		} else if m := withLine.FindStringSubmatch(message); m != nil {
			fmt.Sscan(m[1], &fault.line)
			fault.err = errors.New(goType.ReplaceAllString(m[2], "$2 ($1) is not what belongs here"))
		} else {
			fault.err = errors.New(strings.TrimPrefix(message, "yaml: "))
		}
		faults = append(faults, fault)
	}
	return errors.Join(faults...)
}

// checker makes a property's value of a text, or says what is wrong.
type checker func(name, text string) (hbaseconf.Value, error)

func parseSettings(node yaml.Node, key string, check checker) (hbaseconf.Settings, error) {
	var settings hbaseconf.Settings
	if node.IsZero() || node.Tag == "!!null" {
		return settings, nil
	}
	if node.Kind != yaml.MappingNode {
		return settings, lineError{node.Line, fmt.Errorf("%s: give a mapping of properties to values", key)}
	}
	var faults []error
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, text := node.Content[i], node.Content[i+1]
		var value hbaseconf.Value
		var err error
		if _, twice := settings.Get(name.Value); twice {
			err = fmt.Errorf("%s is given twice", name.Value)
		} else if text.Kind != yaml.ScalarNode {
			err = fmt.Errorf("%s: give one value", name.Value)
		} else {
			value, err = check(name.Value, text.Value)
		}
		if err != nil {
			faults = append(faults, lineError{name.Line, err})
			continue
		}
		settings = settings.With(hbaseconf.Setting{Name: name.Value, Value: value})
	}
	return settings, errors.Join(faults...)
}

func checkSetting(name, text string, catalogue *hbaseconf.Catalogue) (hbaseconf.Value, error) {
	value, err := catalogue.Value(name, text)
	if err != nil {
		return "", err
	}
	property, _ := catalogue.Lookup(name)
	switch {
	case property.Name != name:
		return "", fmt.Errorf("%s is an old name of %s: write that", name, property.Name)
	case property.ReplacedBy != "":
		return "", fmt.Errorf("%s is an old name, %s replaced it: write that", name, property.ReplacedBy)
	case property.Takes(hbaseconf.NoEffect):
		return "", fmt.Errorf("%s has no effect in current versions of HBase: remove it", name)
	}
	return value, nil
}

// Marshal writes a profile as Parse reads it.
func (p Profile) Marshal() ([]byte, error) {
	f := file{
		Version: FormatVersion, Name: p.Name, Summary: p.Summary,
		Settings: settingsNode(p.Settings),
		Evidence: fileEvidence{Evidence: p.Evidence},
	}
	if p.Evidence.Baseline.Len() > 0 {
		f.Evidence.Baseline = settingsNode(p.Evidence.Baseline)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(f); err != nil {
		return nil, fmt.Errorf("write profile %s: %w", p.Name, err)
	}
	return out.Bytes(), nil
}

// settingsNode writes values as the plain text that they are: 60, not "60".
func settingsNode(s hbaseconf.Settings) yaml.Node {
	node := yaml.Node{Kind: yaml.MappingNode}
	for name, value := range s.All() {
		node.Content = append(node.Content,
			&yaml.Node{Kind: yaml.ScalarNode, Value: name},
			&yaml.Node{Kind: yaml.ScalarNode, Value: string(value)})
	}
	return node
}
