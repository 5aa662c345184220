package sampling

import (
	"math"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// Atomics to few addresses queue for tens of thousands of cycles, and behind a gap, for which what is in flight comes home, the queue is
// empty: windows are too short to see it grow. So no estimate is below what the busiest of the units that carry them out needs.

// demand is what a launch asks of the atomics units.
type demand struct {
	counted uint64     // atomics executed when the gap under way began
	untimed uint64     // in gaps
	begun   stats.Busy // how long the units had been taken when the first gap began
}

// atomics is how many atomics to device memory the grid has executed.
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

// beginUntimed is called when the grid goes forward without timing, endUntimed when it has timing again.
func (m *demand) beginUntimed(l *launch) {
	if m.counted = l.atomics(); len(l.sampled.gaps) == 1 {
		m.begun = l.device.Atomics()
	}
}

func (m *demand) endUntimed(l *launch) { m.untimed += l.atomics() - m.counted }

// least is how many cycles the launch takes at least: those up to the first gap, and behind them what the busiest unit had still to do.
// whole is by how much more the launch executes than has been executed.
func (m *demand) least(l *launch, whole float64) float64 {
	executed, busy := l.atomics(), l.device.Atomics()
	timed := float64(executed - m.untimed)
	if timed == 0 || busy.Sum == 0 {
		return 0
	}
	// Which unit is the busiest is known from a part: a share of so many draws strays.
	share, each := busy.Most/busy.Sum, busy.Sum/timed
	share -= 2 * math.Sqrt(share*(1-share)/timed)
	return float64(l.sampled.gaps[0].from.At-l.Start) + share*each*float64(executed)*whole - m.begun.Most
}
