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

// fingerprintName is that of our fingerprints in SARIF, with the version of what is hashed.
const fingerprintName = "keplersimFinding/v1"

// Baseline is what an earlier run found, by fingerprint; nil is none.
type Baseline map[string]bool

// ReadBaseline reads the findings of a report in SARIF.
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

// Mark marks those findings of a list as known that the baseline has, and returns the list.
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

// sourceText has the lines of source files; a file that cannot be read has none.
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

// fingerprint is the same for a finding while its kernel and the text of its lines stay as they are, wherever the lines move.
func (t sourceText) fingerprint(f *finding.Finding) string {
	hash := sha256.New()
	fmt.Fprintln(hash, f.Rule.ID)
	for i := range f.Places {
		p := &f.Places[i]
		fmt.Fprintf(hash, "%s\n%s\n%s\n", p.Kernel, filepath.Base(p.File), t.line(p.File, p.Line))
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
