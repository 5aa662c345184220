package memory

// HostWrite tells L2 of a copy from the host to device memory. On chips whose copies go through L2, the newest lines that it
// has room for are there, clean, when the next kernel starts. No simulated time passes.
func (s *System) HostWrite(address, bytes uint64) {
	if !s.cfg.L2.HostWritesStay || bytes == 0 {
		return
	}
	line := uint64(s.cfg.L2.Line)
	all := uint8(1<<(s.cfg.L2.Line/s.cfg.L2.Sector) - 1)
	end := address + bytes
	if most := 2 * uint64(s.cfg.L2.Bytes); bytes > most { // what is older has been pushed out again
		address = end - most
	}
	for at := address - address%line; at < end; at += line {
		number, local := s.addresses.slice(at)
		sl := s.slices[number]
		if eviction := sl.cache.Insert(local, all); eviction.Dirty != 0 {
			s.countWriteBack(sl, eviction)
		}
	}
}
