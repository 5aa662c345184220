package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"

	"github.com/keplersim/keplersim/sim/check/finding"
)

func init() {
	RegisterFormat("sarif", "what --check found, in SARIF 2.1.0 for editors and CI", sarifOne, sarif)
}

// The parts of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format) that we write.
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
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string           `json:"id"`
		ShortDescription sarifText        `json:"shortDescription"`
		Help             *sarifText       `json:"help,omitempty"`
		Default          sarifRuleDefault `json:"defaultConfiguration"`
	}
	sarifRuleDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Occurrences  uint64            `json:"occurrenceCount,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		State        string            `json:"baselineState,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
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

const sarifVersion = "2.1.0"

func sarifOne(w io.Writer, r *Run) error { return sarif(w, []*Run{r}) }

func sarif(w io.Writer, runs []*Run) error {
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: sarifVersion}
	driver := sarifDriver{Name: "keplersim", InformationURI: "https://github.com/keplersim/keplersim"}
	numbers := map[*finding.Rule]int{}
	for i, rule := range finding.Rules {
		numbers[rule] = i
		one := sarifRule{ID: rule.ID, ShortDescription: sarifText{rule.Title}, Default: sarifRuleDefault{rule.Severity.String()}}
		if rule.Cure != "" {
			one.Help = &sarifText{rule.Cure}
		}
		driver.Rules = append(driver.Rules, one)
	}
	text := sourceText{}
	for _, r := range runs {
		run := sarifRun{Tool: sarifTool{driver}, Results: []sarifResult{}}
		for _, f := range CausesFirst(r.Mistakes) {
			result := sarifResult{RuleID: f.Rule.ID, RuleIndex: numbers[f.Rule], Level: f.Rule.Severity.String(),
				Message: sarifText{f.String()}, Occurrences: f.Count, Fingerprints: map[string]string{fingerprintName: text.fingerprint(f)}}
			if r.Baselined {
				result.State = map[bool]string{false: "new", true: "unchanged"}[f.Known]
			}
			result.locate(f, r.File)
			run.Results = append(run.Results, result)
		}
		log.Runs = append(log.Runs, run)
	}
	written, err := json.MarshalIndent(log, "", "  ")
	if err != nil {
		return fmt.Errorf("SARIF: %w", err)
	}
	_, err = fmt.Fprintln(w, string(written))
	return err
}

// locate adds the places of a finding to a result. Code scanning shows no result without a place, so a finding without one, such as a leak,
// gets the first line of the file that was run.
func (r *sarifResult) locate(f *finding.Finding, file string) {
	for i := range f.Places {
		p := &f.Places[i]
		if p.File == "" {
			continue
		}
		where := sarifAt(p.File, p.Line)
		if where.Message = (&sarifText{p.Name() + " " + p.Does}); r.Locations == nil {
			r.Locations = append(r.Locations, where)
		} else {
			where.ID = i
			r.Related = append(r.Related, where)
		}
	}
	if r.Locations == nil && file != "" {
		r.Locations = append(r.Locations, sarifAt(file, 1))
	}
}

// sarifAt returns the location of a line in a file. SARIF requires a URI; it is relative if the path is.
func sarifAt(file string, line int) sarifLocation {
	at := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		at.Scheme = "file"
	}
	where := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{at.String()}}}
	if line > 0 {
		where.Physical.Region = &sarifRegion{line}
	}
	return where
}
