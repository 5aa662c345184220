package device

import (
	"math"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/sampling"
	"github.com/keplersim/keplersim/sim/smx"
)

// jump is a runner that runs blocks that have not begun without timing, to their ends, on a separate SMX. Resident blocks stay as they are.
// With short blocks, the state between blocks matters, and stays undisturbed. The blocks run in order, or only enough of them to estimate
// their number of warp instructions.
type jump struct {
	grid         *Grid
	first, count uint64          // the blocks to run
	next, step   uint64          // blocks run so far, and the distance of successive ones; with some, any first few are spread evenly
	some         bool            // only enough of them to know their length
	tried        sampling.Sample // the blocks' warp instructions
	at           int             // the SMX that counts the untimed one's work
	block        *smx.Place      // the running block, nil between two
	executed     uint64          // its warp instructions
}

// newJump runs count blocks from number first on, or some of them.
func newJump(d *Device, g *Grid, first, count uint64, some bool) *jump {
	if d.untimed == nil {
		d.untimed = smx.NewUntimed(d.config, d.global, d.commands.clock, d.options.TimeAlone)
	}
	j := jumpOver(count, some)
	j.grid, j.first = g, first
	return j
}

// jumpOver returns a jump in the order for count blocks, or some of them.
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

// place returns the number of the next block, relative to first.
func (j *jump) place() uint64 { return j.next * j.step % j.count }

// smx returns the SMX that counts the next block: they share the blocks as if each had run its part.
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
		if j.executed > endless { // lets the limit of cycles end it
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

// settle adds the work to its SMX.
func (j *jump) settle(d *Device) {
	d.smxs[j.at].Join(j.grid.Grid).AddUntimed(d.untimed)
}

// Tried returns the warp instructions of the blocks that ran.
func (j *jump) Tried() *sampling.Sample { return &j.tried }

// Done reports that no block is left to run.
func (j *jump) Done() bool {
	return j.block == nil && (j.next == j.count || j.some && j.tried.Enough(j.count))
}

// quiet implements runner.
func (j *jump) quiet(*Device) bool { return false }
