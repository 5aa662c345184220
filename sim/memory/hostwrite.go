package memory

// HostWrite tells L2 of a copy from the host to device memory: on chips whose copies go through L2, the newest lines are
// still there when the next kernel starts.
func (s *System) HostWrite(address, bytes uint64) {
	if !s.cfg.L2.HostWritesStay || bytes == 0 {
		return
	}
	end := address + bytes
	if most := 2 * uint64(s.cfg.L2.Bytes); bytes > most { // what is older has been pushed out again
		address = end - most
	}
	line := uint64(s.cfg.L2.Line)
	for at := address - address%line; at < end; at += line {
		number, local := s.addresses.slice(at)
		s.slices[number].cache.Fill(local, 0xf, nil)
	}
}
