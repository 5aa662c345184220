package cache

// nextLine fetches the lines behind one that misses.
type nextLine struct {
	line   uint64
	degree int
}

func init() {
	RegisterPrefetcher("next-line", "fetches the lines after one that misses", func(s PrefetchSpec) Prefetcher {
		return nextLine{line: uint64(s.LineBytes), degree: s.Int("degree")}
	}, degree)
}

// Hit implements Prefetcher.
func (nextLine) Hit(_ Access, ahead []uint64) []uint64 { return ahead }

// Miss implements Prefetcher.
func (p nextLine) Miss(a Access, ahead []uint64) []uint64 {
	for n := range p.degree {
		ahead = append(ahead, a.Line+uint64(n+1)*p.line)
	}
	return ahead
}

// Filled implements Prefetcher.
func (nextLine) Filled(uint64) {}
