package report

import "strings"

// hazards tells what a run with checks found, each pair of operations once for a kernel.
func (p *printer) hazards(r *Run) {
	seen := map[string]bool{}
	for _, l := range r.Launches {
		for i := range l.Hazards {
			h := &l.Hazards[i]
			if key := l.Kernel + string(h.Kind) + h.First + "\n" + h.Second; !seen[key] {
				seen[key] = true
				p.line("%s: %s", shortName(l), strings.ReplaceAll(h.String(), "\n", "\n  "))
			}
		}
	}
	if len(seen) > 0 {
		p.line("")
	}
}
