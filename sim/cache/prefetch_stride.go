package cache

// stride learns the distance of successive lines of each operation, and fetches ahead when a distance has occurred twice in a row. (Baer
// and Chen, Supercomputing 1991: a reference prediction table by instruction address.)
type stride struct {
	degree int
	table  [strideEntries]strideEntry
}

// strideEntries is the size of the table, a power of two. Operations whose numbers agree in the low bits share an entry.
const strideEntries = 64

type strideEntry struct {
	pc       int32
	seen     bool // last is valid
	steady   bool // distance has occurred twice in a row
	last     uint64
	distance int64
}

func init() {
	RegisterPrefetcher("stride", "learns the distance between the lines that an operation asks for", func(s PrefetchSpec) Prefetcher {
		return &stride{degree: s.Int("degree")}
	}, degree)
}

// Hit implements Prefetcher.
func (p *stride) Hit(a Access, ahead []uint64) []uint64 { return p.learn(a, ahead) }

// Miss implements Prefetcher.
func (p *stride) Miss(a Access, ahead []uint64) []uint64 { return p.learn(a, ahead) }

// Filled implements Prefetcher.
func (p *stride) Filled(uint64) {}

func (p *stride) learn(a Access, ahead []uint64) []uint64 {
	if a.PC == Unknown {
		return ahead
	}
	e := &p.table[a.PC&(strideEntries-1)]
	if !e.seen || e.pc != a.PC {
		*e = strideEntry{pc: a.PC, seen: true, last: a.Line}
		return ahead
	}
	distance := int64(a.Line - e.last)
	if distance == 0 { // another sector of the same line
		return ahead
	}
	e.steady = distance == e.distance
	e.last, e.distance = a.Line, distance
	if !e.steady {
		return ahead
	}
	for n := range p.degree {
		ahead = append(ahead, a.Line+uint64(int64(n+1)*distance))
	}
	return ahead
}
