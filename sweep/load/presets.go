package load

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed presets/*.properties
var presetFiles embed.FS

// Preset is a workload that comes with hbtune.
type Preset struct {
	Name string
	// About is what the file's comment says, in one line; Text is the file.
	About, Text string
}

// Presets lists them by name.
func Presets() []Preset {
	entries, err := presetFiles.ReadDir("presets")
	if err != nil {
		panic(err) // they are part of the program
	}
	var list []Preset
	for _, e := range entries {
		text, err := presetFiles.ReadFile("presets/" + e.Name())
		if err != nil {
			panic(err)
		}
		list = append(list, Preset{strings.TrimSuffix(e.Name(), ".properties"), aboutOf(string(text)), string(text)})
	}
	return list
}

// aboutOf joins the comment that a file begins with.
func aboutOf(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		comment, is := strings.CutPrefix(line, "#")
		if !is {
			break
		}
		words = append(words, strings.TrimSpace(comment))
	}
	return strings.Join(words, " ")
}

// PresetScenario is a preset's scenario.
func PresetScenario(name string) (*Scenario, error) {
	all := Presets()
	i := slices.IndexFunc(all, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, p := range all {
			names[i] = p.Name
		}
		return nil, fmt.Errorf("%q is unknown: use one of %s", name, strings.Join(names, ", "))
	}
	return ParseScenario(name, all[i].Text)
}
