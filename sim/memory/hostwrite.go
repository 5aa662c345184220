package memory

import "slices"

// HostWrite tells L2 of a copy from the host to device memory. Of one that is not larger than l2.host_copy_limit, the newest lines
// are there, clean, when the next kernel starts. Each has come together with the line of the host's memory that it was
// read from, which L2 holds too (l2.host_copy_lines). A larger copy goes past L2. No simulated time passes.
func (s *System) HostWrite(address, bytes uint64) {
	if s.cfg.L2.HostCopyLines == 0 || bytes == 0 || s.global.onHost(address) {
		return
	}
	end, line := address+bytes, uint64(s.cfg.L2.Line)
	first := address - address%line
	if bytes > uint64(s.cfg.L2.HostCopyLimit) {
		if !slices.ContainsFunc(s.slices, func(s *slice) bool { return !s.cache.Empty() }) {
			return // nothing to drop
		}
		for at := first; at < end; at += line {
			number, local := s.addresses.slice(at)
			s.slices[number].drop(local)
		}
		return
	}
	for at := first; at < end; at += line {
		if s.cfg.L2.HostCopyLines == 2 {
			s.place(hostBase + at)
		}
		s.place(at)
	}
}

// place puts a whole line in L2.
func (s *System) place(line uint64) {
	number, local := s.addresses.slice(line)
	s.slices[number].place(local, &s.cfg.L2)
}
