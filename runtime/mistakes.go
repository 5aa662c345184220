package runtime

import "github.com/keplersim/keplersim/sim/check/finding"

// Mistakes are the checks' findings on all devices. After the program's end they include memory that it has not freed.
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
