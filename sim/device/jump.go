package device

import (
	"math"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/sampling"
	"github.com/keplersim/keplersim/sim/smx"
)

// jump is a way to run: blocks that have not begun run without timing on an SMX of their own, to their ends, while what is resident
// stands still as it is. Where blocks are short the state between blocks is what matters, and goes on undisturbed. They run in turn, or
// only as many as it takes to know how many warp instructions they have.
type jump struct {
	grid         *Grid
	first, count uint64          // blocks
	next, step   uint64          // how many have run, and how far one is from the next: some lie as evenly as may be however many there are
	some         bool            // as many as tell how long they are
	tried        sampling.Sample // their warp instructions
	at           int             // the SMX for which the untimed one runs
	block        *smx.Place      // that runs, nil between two
	executed     uint64          // by it
}

// newJump runs so many blocks from a number on, or some of them.
func newJump(d *Device, g *Grid, first, count uint64, some bool) *jump {
	if d.untimed == nil {
		d.untimed = smx.NewUntimed(d.config, d.global, d.commands.clock, d.options.TimeAlone)
	}
	j := jumpOver(count, some)
	j.grid, j.first = g, first
	return j
}

// jumpOver is the order in which so many blocks run, or some of them.
func jumpOver(count uint64, some bool) *jump {
	j := &jump{count: count, some: some, step: 1}
	if some {
		j.step = uint64(float64(count)*(math.Phi-1)) | 1
		for gcd(j.step, count) > 1 {
			j.step += 2
		}
	}
	return j
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// place is the number of the next block, from the first on.
func (j *jump) place() uint64 { return j.next * j.step % j.count }

// smx is the SMX for which the next block runs: the blocks are divided among them, as if each had run its part.
func (j *jump) smx(smxs int) int {
	if j.some {
		return int(j.tried.Number()/sampling.TriedLeast) % smxs
	}
	return int(j.next * uint64(smxs) / j.count)
}

// advance implements runner.
func (j *jump) advance(d *Device) bool {
	for left := uint64(forwardBatch); left > 0 && !j.Done(); {
		if at := j.smx(len(d.smxs)); j.block == nil && at != j.at {
			j.settle(d)
			j.at = at
		}
		if j.block == nil {
			d.untimed.ID = j.at
			j.block, j.executed = d.untimed.Begin(j.grid.Grid, j.first+j.place()), 0
		}
		executed, ended := j.block.Run(left, false)
		left -= min(left, executed)
		if d.untimed.Fault != nil {
			d.smxs[j.at].Fault, d.untimed = d.untimed.Fault, nil
			return true
		}
		j.executed += executed
		if ended {
			j.tried.Add(float64(j.executed))
			j.block, j.next = nil, j.next+1
			continue
		}
		if j.executed > endless { // the limit of cycles ends what never ends
			d.now += engine.Cycle(executed)
		}
		if executed == 0 {
			return false
		}
	}
	if j.Done() {
		j.settle(d)
	}
	return true
}

// endless is how many warp instructions a block may execute before they count as cycles.
const endless = 1 << 32

// settle gives the SMX what was run for it.
func (j *jump) settle(d *Device) {
	d.smxs[j.at].Join(j.grid.Grid).AddUntimed(d.untimed)
}

// Tried are the warp instructions of the blocks that ran.
func (j *jump) Tried() *sampling.Sample { return &j.tried }

// Done reports that nothing is left to run.
func (j *jump) Done() bool {
	return j.block == nil && (j.next == j.count || j.some && j.tried.Enough(j.count))
}

// quiet implements runner.
func (j *jump) quiet(*Device) bool { return false }
