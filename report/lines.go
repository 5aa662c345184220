package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/keplersim/keplersim/sim/check/finding"
)

func init() {
	RegisterFormat("lines", "what --check found, a line each, as compilers write errors: FILE:LINE: error: ...", lines, nil)
}

// lines writes each finding like an error of GCC, for editors and CI's problem matchers. Both positions are in the source.
func lines(w io.Writer, r *Run) error {
	for _, f := range CausesFirst(r.Mistakes) {
		if _, err := fmt.Fprintln(w, findingLine(f)); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}

func findingLine(f *finding.Finding) string {
	var b strings.Builder
	if len(f.Places) > 0 && f.Places[0].File != "" {
		fmt.Fprintf(&b, "%s:%d: ", f.Places[0].File, f.Places[0].Line)
	}
	if f.Rule.Severity == finding.Error && !f.Known { // other findings say it in their title
		b.WriteString("error: ")
	}
	b.WriteString(strings.TrimSpace(f.Title()))
	for i := range f.Places {
		p := &f.Places[i]
		fmt.Fprintf(&b, "; %s %s", p.Name(), p.Does)
		if i > 0 && p.File != "" {
			fmt.Fprintf(&b, " at %s:%d", p.File, p.Line)
		}
	}
	if f.Detail != "" {
		b.WriteString("; " + strings.ReplaceAll(strings.TrimSpace(f.Detail), "\n", "; "))
	}
	fmt.Fprintf(&b, " [%s]", f.Rule.ID)
	return b.String()
}
