package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
)

// The part of SARIF 2.1.0 that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifText    `json:"shortDescription"`
		Full    *sarifText   `json:"fullDescription,omitempty"`
		Default sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

func (s Severity) level() string {
	if s == Info {
		return "note"
	}
	return string(s)
}

// WriteSARIF writes the report in SARIF 2.1.0, for code review tools; version is
// that of hbtune.
func (r Report) WriteSARIF(out io.Writer, version string) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "hbtune lint", Version: version}}, Results: []sarifResult{}}
	codes := []string{}
	for _, rule := range append(Rules(), loadRules()...) {
		codes = append(codes, rule.Code)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: rule.Code, Short: sarifText{rule.Title}, Full: &sarifText{rule.Doc}, Default: sarifDefault{rule.Severity.level()},
		})
	}
	for _, one := range r.Findings {
		message := one.Message
		if one.Property != "" {
			message = one.Property + ": " + message
		}
		if one.Fix != "" {
			message += ". Instead: " + one.Fix
		}
		place := sarifPhysical{Artifact: sarifArtifact{fileURI(one.File)}}
		if one.Line > 0 {
			place.Region = &sarifRegion{one.Line}
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: one.Code, RuleIndex: slices.Index(codes, one.Code), Level: one.Severity.level(),
			Message: sarifText{message}, Locations: []sarifLocation{{place}},
		})
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

// fileURI is a path as SARIF wants it: relative to where the tool ran, or with
// its scheme.
func fileURI(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
	}
	return u.String()
}
