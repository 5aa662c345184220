package sim

import (
	"fmt"
	"sort"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// distributor deals a grid's blocks to the SMXs, in order of their numbers. Between epochs it offers each SMX as many as it could
// start until the next time; those that it did not start come back.
type distributor struct {
	grid   *smx.Grid
	next   uint64 // the first block never offered
	total  uint64
	back   []uint64 // blocks that came back, rising
	offers [][]uint64
}

func newDistributor(grid *smx.Grid, smxs int) *distributor {
	return &distributor{grid: grid, total: grid.Blocks(), offers: make([][]uint64, smxs)}
}

// left is the number of blocks that no SMX has started.
func (d *distributor) left() uint64 { return d.total - d.next + uint64(len(d.back)) }

// collect takes back what the SMXs have not started.
func (d *distributor) collect(list []*smx.SMX) {
	for _, s := range list {
		d.back = append(d.back, s.Withdraw()...)
	}
	sort.Slice(d.back, func(i, k int) bool { return d.back[i] < d.back[k] })
}

// deal offers blocks round the SMXs, one each in turn: first as many as there is room for on any of them, so that none goes without
// while another has some in store; then as many again as may end within the epoch. The distributor hands over one block
// every gap cycles; with all SMXs asking, each gets its share of that rate.
func (d *distributor) deal(list []*smx.SMX, now, gap engine.Cycle) {
	for i := range d.offers {
		d.offers[i] = d.offers[i][:0]
	}
	most := d.grid.Occupancy.Blocks
	for round := 0; round < most && d.left() > 0; round++ {
		for i, s := range list {
			if round < most-s.Blocks(d.grid) && d.left() > 0 {
				d.offers[i] = append(d.offers[i], d.take())
			}
		}
	}
	// What is left waits for others to end, or to end again: no more than may run at once.
	for round := 0; round < most && d.left() > 0; round++ {
		for i := range list {
			if d.left() > 0 {
				d.offers[i] = append(d.offers[i], d.take())
			}
		}
	}
	for i, s := range list {
		s.Offer(d.grid, d.offers[i], now+engine.Cycle(i)*gap, gap*engine.Cycle(len(list)))
	}
}

func (d *distributor) take() uint64 {
	if len(d.back) > 0 {
		n := d.back[0]
		d.back = d.back[1:]
		return n
	}
	d.next++
	return d.next - 1
}

// unstarted says of a launch that does not end which blocks wait for resident ones to end: "" where there are none.
func unstarted(grid *smx.Grid, list []*smx.SMX) string {
	started := uint64(0)
	for _, s := range list {
		started += s.Counters.BlocksLaunched
	}
	if started >= grid.Blocks() {
		return ""
	}
	x, y := uint64(grid.Dim[0]), uint64(grid.Dim[1])
	resident := grid.Occupancy.Blocks * len(list)
	return fmt.Sprintf("\n  %d of %d blocks, from block (%d,%d,%d) on, have not started: %d are resident at once, and the others start when these end."+
		"\n  If the resident ones wait for them, as at a barrier between all blocks, none ever starts: launch %d blocks at most",
		grid.Blocks()-started, grid.Blocks(), started%x, started/x%y, started/x/y, resident, resident)
}
