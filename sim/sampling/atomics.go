package sampling

import (
	"math"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// Atomics to few addresses queue for tens of thousands of cycles. After a gap, before which everything in flight completes, the queue is
// empty, and windows are too short to see it grow. So an estimate is never below the time that the busiest atomics unit needs.

// demand is a launch's load on the atomics units.
type demand struct {
	counted uint64     // atomics executed when the current gap began
	untimed uint64     // atomics executed in gaps
	begun   stats.Busy // how long the units had been busy when the first gap began
}

// atomics returns how many atomics on device memory the grid has executed.
func (l *launch) atomics() (executed uint64) {
	for _, h := range l.device.States() {
		if h == nil {
			continue
		}
		list := make([]float64, len(l.grid.Program.Machine.Ops))
		h.Executed(list)
		for i := range list {
			if l.grid.Program.Machine.Ops[i].Class == isa.ClassAtomic {
				executed += uint64(list[i])
			}
		}
	}
	return executed
}

// beginUntimed is called when a gap begins, endUntimed when it ends.
func (m *demand) beginUntimed(l *launch) {
	if m.counted = l.atomics(); len(l.sampled.gaps) == 1 {
		m.begun = l.device.Atomics()
	}
}

func (m *demand) endUntimed(l *launch) { m.untimed += l.atomics() - m.counted }

// least returns the least cycles of the launch: those up to the first gap, and after that the remaining work of the busiest unit. Argument
// whole is the ratio of all instructions to those executed.
func (m *demand) least(l *launch, whole float64) float64 {
	executed, busy := l.atomics(), l.device.Atomics()
	timed := float64(executed - m.untimed)
	if timed == 0 || busy.Sum == 0 {
		return 0
	}
	// The busiest unit is known from a part only: subtract two standard deviations of its share.
	share, each := busy.Most/busy.Sum, busy.Sum/timed
	share -= 2 * math.Sqrt(share*(1-share)/timed)
	return float64(l.sampled.gaps[0].from.At-l.Start) + share*each*float64(executed)*whole - m.begun.Most
}
