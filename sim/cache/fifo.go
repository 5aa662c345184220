package cache

// fifo evicts the line that was put in longest ago, whether used since or not.
type fifo struct {
	ways   int32
	oldest []int32 // by set
}

var _ = register("fifo", func(sets, ways int) Policy { return &fifo{ways: int32(ways), oldest: make([]int32, sets)} })

// Used implements Policy.
func (p *fifo) Used(int, int) {}

// Filled implements Policy. Empty ways fill in rising order, so the order of filling is the order of the ways.
func (p *fifo) Filled(set, way int) {
	if p.oldest[set] == int32(way) {
		p.oldest[set] = (int32(way) + 1) % p.ways
	}
}

// Victim implements Policy.
func (p *fifo) Victim(set int) int { return int(p.oldest[set]) }
