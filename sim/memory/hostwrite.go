package memory

// HostWrite tells L2 of a copy from the host to device memory. When the next kernel starts, the newest lines are there, clean,
// in as much of L2 as copies keep (l2.host_copy_percent); what the driver moved after them has the rest. No simulated time passes.
func (s *System) HostWrite(address, bytes uint64) {
	if s.cfg.L2.HostCopyPercent == 0 || bytes == 0 {
		return
	}
	end := address + bytes
	if most := 2 * uint64(s.cfg.L2.Bytes); bytes > most { // what is older has been pushed out again
		address = end - most
	}
	s.place(address, end)
	s.copied = true
}

// placeDriver puts what the driver moved after the last copies in the part of L2 that they do not keep.
func (s *System) placeDriver() {
	s.copied = false
	s.place(driverBase, driverBase+uint64(s.cfg.L2.Bytes)*uint64(100-s.cfg.L2.HostCopyPercent)/100)
}

// place puts whole lines from an address to an end in L2.
func (s *System) place(address, end uint64) {
	line := uint64(s.cfg.L2.Line)
	all := uint8(1<<(s.cfg.L2.Line/s.cfg.L2.Sector) - 1)
	for at := address - address%line; at < end; at += line {
		number, local := s.addresses.slice(at)
		sl := s.slices[number]
		if eviction := sl.cache.Insert(local, all); eviction.Dirty != 0 {
			s.countWriteBack(sl, eviction)
		}
	}
}
