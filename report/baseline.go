package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/sim/check/finding"
)

// fingerprintName is the name of our fingerprints in SARIF, with the version of the hash's input.
const fingerprintName = "keplersimFinding/v1"

// Baseline holds the findings of an earlier run, by fingerprint; nil is no baseline.
type Baseline map[string]bool

// ReadBaseline reads the findings of a SARIF report.
func ReadBaseline(path string) (Baseline, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w (--check --format sarif -o %s writes one)", err, path)
	}
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil || log.Version != sarifVersion {
		return nil, fmt.Errorf("%s is no SARIF %s file (--check --format sarif -o %s writes one)", path, sarifVersion, path)
	}
	known := Baseline{}
	for _, run := range log.Runs {
		for _, result := range run.Results {
			if print, ok := result.Fingerprints[fingerprintName]; ok {
				known[print] = true
			}
		}
	}
	return known, nil
}

// Mark marks the findings that the baseline has as known, and returns the list.
func (b Baseline) Mark(list []*finding.Finding) []*finding.Finding {
	if b == nil {
		return list
	}
	text := sourceText{}
	for _, f := range list {
		f.Known = b[text.fingerprint(f)]
	}
	return list
}

// sourceText caches the lines of source files; a file that cannot be read has none.
type sourceText map[string][]string

func (t sourceText) line(file string, number int) string {
	lines, ok := t[file]
	if !ok {
		text, err := os.ReadFile(file)
		if err == nil {
			lines = strings.Split(string(text), "\n")
		}
		t[file] = lines
	}
	if number < 1 || number > len(lines) {
		return fmt.Sprint(number)
	}
	return strings.Join(strings.Fields(lines[number-1]), " ")
}

// fingerprint identifies a finding. It does not change while the kernel's name and the text of the lines stay the same, wherever the lines
// move.
func (t sourceText) fingerprint(f *finding.Finding) string {
	hash := sha256.New()
	fmt.Fprintln(hash, f.Rule.ID)
	for i := range f.Places {
		p := &f.Places[i]
		fmt.Fprintf(hash, "%s\n%s\n%s\n", p.Kernel, filepath.Base(p.File), t.line(p.File, p.Line))
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
