package stats

// Memory are the counters of the memory system behind the SMXs.
type Memory struct {
	// L2ReadSectors and L2WriteSectors are the 32-byte sectors that L2 was asked to read and write.
	L2ReadSectors, L2WriteSectors uint64
}
