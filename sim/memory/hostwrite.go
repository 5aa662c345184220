package memory

import "slices"

// HostWrite applies a copy from the host to device memory to L2. If the copy is at most l2.host_copy_limit, its newest lines are in L2,
// clean, when the next kernel starts. With each comes the line of the host's memory that it was read from, if l2.host_copy_lines is 2. A
// larger copy bypasses L2. No simulated time passes.
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

// place puts a whole line into L2.
func (s *System) place(line uint64) {
	number, local := s.addresses.slice(line)
	s.slices[number].place(local, &s.cfg.L2)
}
