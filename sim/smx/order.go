package smx

// order is a legal order of warps and blocks other than the usual, chosen by a seed. Blocks that fit are resident together, and each warp's
// quantum is random.
type order struct{ state uint64 }

// Order makes runs without timing use another order of warps, chosen by a seed; 0 is the usual order. Call it before the first block
// starts.
func (s *functional) Order(seed uint64) {
	s.order = nil
	if seed != 0 {
		s.order = &order{seed*0x9e3779b97f4a7c15 + uint64(s.ID)}
	}
}

// below returns a random number from 0 to n-1 (SplitMix64).
func (o *order) below(n int) int {
	o.state += 0x9e3779b97f4a7c15
	z := o.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// quanta are the numbers of operations that a warp may run before another does, from one, as finely as hardware mixes warps, to whole
// kernels.
var quanta = [...]int64{1, 2, 4, 16, 64, 512, warpQuantum}

// coarse is from where on a quantum need not be exact: machine code pauses between runs of operations.
const coarse = 64

// runOrdered is RunFunctional in the order of a seed.
func (s *functional) runOrdered() (progress bool) {
	s.residency.clear(never)
	s.residency.startOffered()
	var ready []*warp
	for _, b := range s.residency.blocks {
		for _, w := range b.warps {
			if b.resident && w.block == b && w.goesOn() {
				ready = append(ready, w)
			}
		}
	}
	for len(ready) > 0 && s.Fault == nil {
		i := s.order.below(len(ready))
		w := ready[i]
		ready[i] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		s.runWarp(w, quanta[s.order.below(len(quanta))])
		progress = true
	}
	s.now++
	return progress
}
