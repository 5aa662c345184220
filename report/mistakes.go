package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/stats"
)

// CausesFirst sorts findings by rule, causes before their consequences. Findings of one rule keep their order in time.
func CausesFirst(list []*finding.Finding) []*finding.Finding {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *finding.Finding) int {
		return slices.Index(finding.Rules, a.Rule) - slices.Index(finding.Rules, b.Rule)
	})
	return sorted
}

// mistakes writes what a run with checks found, or what it looked for.
func (p *printer) mistakes(r *Run, s *sums) {
	if r.Checked == finding.None {
		return
	}
	for _, f := range CausesFirst(r.Mistakes) {
		first, rest, _ := strings.Cut(f.String(), "\n")
		style := styleBad
		if f.Rule.Severity == finding.Warning {
			style = styleNote
		}
		p.indented(style, first)
		p.indented("", rest)
		p.line("")
	}
	if finding.Errors(r.Mistakes) > 0 {
		return
	}
	what := "nothing"
	if len(r.Mistakes) > 0 {
		what = "no mistake"
	}
	p.wrappedIn(styleGood, "", fmt.Sprintf("--check found %s in %s. It looked for", what, checkedLaunches(r, s)))
	for _, what := range r.Checked.LookedFor() {
		p.wrapped("  - ", what)
	}
	p.line("")
}

// WriteMistakes writes the checks' findings about a whole program as text; nothing without checks.
func WriteMistakes(w io.Writer, checked finding.Set, list []*finding.Finding) error {
	if checked == finding.None {
		return nil
	}
	for _, f := range CausesFirst(list) {
		if _, err := fmt.Fprintf(w, "==keplersim== %s\n", strings.ReplaceAll(f.String(), "\n", "\n==keplersim== ")); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		_, err := fmt.Fprintf(w, "==keplersim== --check=%s found nothing\n", checked)
		return err
	}
	return nil
}

// checkedLaunches says what was checked, as in "3 launches of 2 kernels".
func checkedLaunches(r *Run, s *sums) string {
	of := plural(uint64(r.Count()), "launch")
	if len(s.kernels) < r.Count() {
		of += " of " + plural(uint64(len(s.kernels)), "kernel")
	}
	if r.Failure != "" {
		of += ", as far as the run came"
	}
	return of
}

// checkedKernels writes a line for each kernel of a run with checks, without times.
func (p *printer) checkedKernels(r *Run) {
	rows := [][]string{{"kernel", "launches", "grid", "block", "instructions"}}
	at, launches, instructions := map[string]int{}, map[string]uint64{}, map[string]uint64{}
	for _, l := range r.All() {
		launches[l.Kernel]++
		instructions[l.Kernel] += l.Total.InstExecuted
		i, ok := at[l.Kernel]
		if !ok {
			i = len(rows)
			at[l.Kernel] = i
			rows = append(rows, []string{shortName(l), "", extent(l.Grid), extent(l.Block), ""})
		}
		for column, of := range map[int]string{2: extent(l.Grid), 3: extent(l.Block)} {
			if rows[i][column] != of {
				rows[i][column] = "various"
			}
		}
		rows[i][1], rows[i][4] = count(launches[l.Kernel]), count(instructions[l.Kernel])
	}
	p.line("%s on %s, checked %s timing", r.Workload, r.Config, map[bool]string{true: "without", false: "with"}[functional(r.Launches)])
	p.line("")
	p.table(rows)
	p.line("")
}

func functional(launches []*stats.Launch) bool { return len(launches) > 0 && launches[0].Functional }

// ShowsMistakes reports whether a format is for people and shows findings.
func ShowsMistakes(format string) bool {
	return ForPeople(format) || format == "sanitizer" || format == "lines"
}
