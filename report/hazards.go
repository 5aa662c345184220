package report

import (
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// Hazards are what a run with checks found, each pair of operations once for a kernel, however often it was launched: the kernel's name and
// what happened.
func Hazards(launches []*stats.Launch) []string {
	var all []string
	seen := map[string]bool{}
	for _, l := range launches {
		hazards := stats.CausesFirst(l.Hazards)
		for i := range hazards {
			h := &hazards[i]
			if key := l.Kernel + string(h.Kind) + h.First + "\n" + h.Second; !seen[key] {
				seen[key] = true
				all = append(all, shortName(l)+": "+h.String())
			}
		}
	}
	return all
}

// hazards tells what a run with checks found, or what it looked for.
func (p *printer) hazards(r *Run) {
	if !r.Checked {
		return
	}
	all := Hazards(r.Launches)
	for _, text := range all {
		first, rest, _ := strings.Cut(strings.ReplaceAll(text, "\n", "\n  "), "\n")
		p.styled(styleBad, "%s", first)
		p.line("%s", rest)
	}
	if len(all) > 0 {
		p.line("")
		return
	}
	kernels := map[string]bool{}
	for _, l := range r.Launches {
		kernels[l.Kernel] = true
	}
	of := plural(uint64(len(r.Launches)), "launch")
	if len(kernels) < len(r.Launches) {
		of += " of " + plural(uint64(len(kernels)), "kernel")
	}
	if r.Failure != "" {
		of += ", as far as the run came"
	}
	p.styled(styleGood, "--check found nothing in %s. It looked for", of)
	for _, what := range stats.LookedFor() {
		p.wrapped("  - ", what)
	}
	p.line("Accesses of global memory of less than 4 bytes are not watched.")
	p.line("")
}

// checkedKernels is a line for each kernel of a run with checks, which has no time to tell of.
func (p *printer) checkedKernels(r *Run) {
	rows := [][]string{{"kernel", "launches", "grid", "block", "instructions"}}
	at, launches, instructions := map[string]int{}, map[string]uint64{}, map[string]uint64{}
	for _, l := range r.Launches {
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
	p.line("%s on %s, checked without timing", r.Workload, r.Config)
	p.line("")
	p.table(rows)
	p.line("")
}
