package sampling

import "math"

// behaviour has the executed instructions of a part of a grid.
type behaviour struct {
	operations []float64 // for each operation: how often
	lanes      float64
	blocks     float64
}

// behaviour returns the grid's executed instructions so far.
func (l *launch) behaviour() behaviour {
	b := behaviour{operations: make([]float64, len(l.grid.Program.Machine.Ops))}
	for _, h := range l.device.States() {
		if h != nil {
			h.Executed(b.operations)
			b.lanes += float64(h.Counters.ThreadInstExecuted)
			b.blocks += float64(h.Finished)
		}
	}
	return b
}

// total returns the number of warp instructions.
func (b *behaviour) total() (sum float64) {
	for _, n := range b.operations {
		sum += n
	}
	return sum
}

// unlike returns how far two parts differ, as a fraction: in their operations, their lanes, and the work of a block. The interval of an
// estimate is at least as wide, because code that behaves differently may also take a different time.
func (b *behaviour) unlike(other *behaviour) float64 {
	mine, its := b.total(), other.total()
	if mine == 0 || its == 0 || b.blocks == 0 || other.blocks == 0 {
		return 0
	}
	mix := 0.0
	for i := range b.operations {
		mix += math.Abs(b.operations[i]/mine-other.operations[i]/its) / 2
	}
	apart := func(x, y float64) float64 { return math.Abs(x-y) / max(x, y) }
	return max(mix, apart(b.lanes/mine, other.lanes/its), apart(mine/b.blocks, its/other.blocks))
}
