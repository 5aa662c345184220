package cache

// lru evicts the line that was used longest ago: a list for each set, the latest used first.
type lru struct {
	ways           int
	next, previous []int32 // by set·ways + way, as ways; the list is a ring
	head           []int32 // by set
}

func init() {
	RegisterReplacement("lru", "evicts the line that was used longest ago", func(sets, ways int) Replacement {
		p := &lru{ways: ways, next: make([]int32, sets*ways), previous: make([]int32, sets*ways), head: make([]int32, sets)}
		p.reset()
		return p
	})
}

func (p *lru) reset() {
	clear(p.head)
	for start := 0; start < len(p.next); start += p.ways {
		next, previous := p.next[start:][:p.ways], p.previous[start:][:p.ways]
		for way := range next {
			next[way], previous[way] = int32(way+1), int32(way-1)
		}
		next[p.ways-1], previous[0] = 0, int32(p.ways-1)
	}
}

// Used implements Replacement.
func (p *lru) Used(set, way int, _ Access) {
	head := p.head[set]
	if int(head) == way {
		return
	}
	next, previous := p.next[set*p.ways:][:p.ways], p.previous[set*p.ways:][:p.ways]
	after, before := next[way], previous[way]
	next[before], previous[after] = after, before
	last := previous[head]
	next[last], previous[way] = int32(way), last
	next[way], previous[head] = head, int32(way)
	p.head[set] = int32(way)
}

// Filled implements Replacement.
func (p *lru) Filled(set, way int, a Access) { p.Used(set, way, a) }

// Victim implements Replacement.
func (p *lru) Victim(set int, _ Access) int { return int(p.previous[set*p.ways+int(p.head[set])]) }
