package device

import (
	"math"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// jump is a way to run: blocks that have not begun run without timing on an SMX beside the others, to their ends, while what is resident
// stands still as it is. Where blocks are short the state between blocks is what matters, and goes on undisturbed.
type jump struct {
	grid        *Grid
	first, next uint64
	step, count uint64     // every step-th block runs, so many in all
	tried       sample     // their warp instructions
	at          int        // the SMX for which the spare one runs
	block       *smx.Place // that runs, nil between two
	executed    uint64     // by it
}

// newJump runs every step-th of so many blocks from a number on.
func newJump(d *Device, g *Grid, first, blocks, step uint64) *jump {
	if d.spare == nil {
		d.spare = smx.NewSpare(d.config, d.global, d.front.clock)
	}
	return &jump{grid: g, first: first, step: step, count: (blocks + step - 1) / step}
}

// advance implements runner. The blocks are divided among the SMXs, as if each had run its part.
func (j *jump) advance(d *Device) bool {
	for left := uint64(forwardTurn); left > 0 && !j.done(); {
		if at := int(j.next * uint64(len(d.smxs)) / j.count); at != j.at {
			j.settle(d)
			j.at = at
		}
		if j.block == nil {
			d.spare.ID = j.at
			j.block, j.executed = d.spare.Begin(j.grid.Grid, j.first+j.next*j.step), 0
		}
		executed, ended := j.block.Run(left)
		left -= min(left, executed)
		if d.spare.Fault != nil {
			d.smxs[j.at].Fault, d.spare = d.spare.Fault, nil
			return true
		}
		j.executed += executed
		if ended {
			j.tried.add(float64(j.executed))
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
	if j.done() {
		j.settle(d)
	}
	return true
}

// endless is how many warp instructions a block may execute before they count as cycles.
const endless = 1 << 32

// settle gives the SMX what was run for it.
func (j *jump) settle(d *Device) { d.smxs[j.at].Join(j.grid.Grid).AddUntimed(d.spare) }

func (j *jump) done() bool { return j.next == j.count }

// quiet implements runner.
func (j *jump) quiet(*Device) bool { return false }

// sample are numbers of which the mean matters.
type sample struct{ count, sum, squares float64 }

func (s *sample) add(x float64) {
	s.count++
	s.sum += x
	s.squares += x * x
}

func (s *sample) mean() float64 { return s.sum / s.count }

// sure is the standard deviation of the mean, 0 of fewer than two numbers.
func (s *sample) sure() float64 {
	if s.count < 2 {
		return 0
	}
	return math.Sqrt(max(0, s.squares-s.sum*s.sum/s.count) / (s.count - 1) / s.count)
}
