package cache

// random evicts by a pseudo-random sequence that is the same in every run: xorshift, one state for the cache.
type random struct {
	ways  uint64
	state uint64
}

func init() {
	RegisterReplacement("random", "evicts by a pseudo-random sequence, the same in every run",
		func(s ReplacementSpec) Replacement {
			return &random{ways: uint64(s.Ways), state: 0x2545_f491_4f6c_dd1d}
		})
}

// Used implements Replacement.
func (p *random) Used(int, int, Access) {}

// Filled implements Replacement.
func (p *random) Filled(int, int, Access) {}

// Victim implements Replacement.
func (p *random) Victim(int, Access) int {
	p.state ^= p.state << 13
	p.state ^= p.state >> 7
	p.state ^= p.state << 17
	return int(p.state >> 33 % p.ways)
}
