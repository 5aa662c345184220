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
		for i := range l.Hazards {
			h := &l.Hazards[i]
			if key := l.Kernel + string(h.Kind) + h.First + "\n" + h.Second; !seen[key] {
				seen[key] = true
				all = append(all, shortName(l)+": "+h.String())
			}
		}
	}
	return all
}

// hazards tells what a run with checks found.
func (p *printer) hazards(r *Run) {
	all := Hazards(r.Launches)
	for _, text := range all {
		p.line("%s", strings.ReplaceAll(text, "\n", "\n  "))
	}
	if len(all) > 0 {
		p.line("")
	}
}
