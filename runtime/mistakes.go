package runtime

import "github.com/keplersim/keplersim/sim/check/finding"

// Mistakes are what checks have found on all devices; memory that the program has not freed is among them when it has ended.
func (s *Session) Mistakes() []*finding.Finding {
	all := s.mistakes
	for _, d := range s.devices {
		for _, at := range d.gpu.Allocations() {
			if p, ok := d.pieces[at]; ok && p.kind == deviceMemory {
				d.gpu.Leaked("memory of cudaMalloc", at, p.bytes)
			}
		}
		d.gpu.Leaks()
		all = append(all, d.gpu.Host().Findings()...)
	}
	return all
}
