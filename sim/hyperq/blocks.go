package hyperq

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// Dispatch is a grid whose blocks are being dealt.
type Dispatch struct {
	Grid *smx.Grid
	// Priority: blocks of grids with a higher number go first.
	Priority int

	first int    // the SMX for its first block
	next  uint64 // the first block never offered
	total uint64
	back  []uint64 // blocks that came back, in rising order
}

// Left returns the number of blocks that no SMX has started, after offered blocks have come back.
func (d *Dispatch) Left() uint64 { return d.total - d.next + uint64(len(d.back)) }

// Take removes the next block, for a caller that starts it without the block scheduler; false if there is none.
func (d *Dispatch) Take() (number uint64, ok bool) {
	if d.Left() == 0 {
		return 0, false
	}
	return d.take(), true
}

// Fresh returns the number of blocks that were never offered.
func (d *Dispatch) Fresh() uint64 { return d.total - d.next }

// Skip leaves out some of the fresh blocks, and returns the first of them.
func (d *Dispatch) Skip(blocks uint64) (first uint64) {
	first = d.next
	d.next += min(blocks, d.Fresh())
	return first
}

func (d *Dispatch) take() uint64 {
	if len(d.back) > 0 {
		n := d.back[0]
		d.back = d.back[1:]
		return n
	}
	d.next++
	return d.next - 1
}

// Blocks is the block scheduler: it deals the blocks of the running grids to the SMXs, each grid's in order of their numbers. A grid of
// higher priority goes first, then the one that came first. The next grid gets blocks when all blocks of earlier ones have a place. Between
// epochs it offers each SMX as many blocks as it could start in the next epoch. Those that it did not start come back.
type Blocks struct {
	smxs      []*smx.SMX
	placement Placement
	list      []*Dispatch
	offers    [][]uint64
	free      []int
	unused    []smx.Resources
	offered   []smx.Offered
	set       []uint64 // scratch of rise
}

// NewBlocks makes the block scheduler of some SMXs, with a placement policy by name.
func NewBlocks(smxs []*smx.SMX, placement string) (*Blocks, error) {
	p, err := NewPlacement(placement)
	if err != nil {
		return nil, err
	}
	return &Blocks{smxs: smxs, placement: p, offers: make([][]uint64, len(smxs)), free: make([]int, len(smxs)),
		unused: make([]smx.Resources, len(smxs))}, nil
}

// Add adds a grid, behind those of its priority and before those of lower priority.
func (b *Blocks) Add(g *smx.Grid, priority int) *Dispatch {
	d := &Dispatch{Grid: g, Priority: priority, total: g.Blocks()}
	load := b.load()
	for i := range load {
		if load[i] < load[d.first] {
			d.first = i
		}
	}
	at := len(b.list)
	for at > 0 && b.list[at-1].Priority < priority {
		at--
	}
	b.list = slices.Insert(b.list, at, d)
	return d
}

// load returns how many blocks each SMX has, or will get as the first of its grid.
func (b *Blocks) load() []int {
	for i, s := range b.smxs {
		b.free[i] = s.Resident()
	}
	for _, d := range b.list {
		if d.next == 0 {
			b.free[d.first]++
		}
	}
	return b.free
}

// Remove removes a grid.
func (b *Blocks) Remove(d *Dispatch) {
	b.list = slices.DeleteFunc(b.list, func(other *Dispatch) bool { return other == d })
}

// Collect takes back the blocks that the SMXs have not started.
func (b *Blocks) Collect() {
	b.offered = b.offered[:0]
	for _, s := range b.smxs {
		b.offered = s.Withdraw(b.offered)
	}
	if len(b.offered) == 0 {
		return
	}
	for _, d := range b.list {
		before := len(d.back)
		for _, o := range b.offered {
			if o.Grid == d.Grid {
				d.back = append(d.back, o.Number)
			}
		}
		if len(d.back) > before {
			b.rise(d.back)
		}
	}
}

// rise sorts distinct block numbers. Numbers that come back are close together.
func (b *Blocks) rise(numbers []uint64) {
	low, high := slices.Min(numbers), slices.Max(numbers)
	words := (high-low)/64 + 1
	if words > uint64(len(numbers)) {
		slices.Sort(numbers)
		return
	}
	b.set = append(b.set[:0], make([]uint64, words)...)
	for _, n := range numbers {
		b.set[(n-low)/64] |= 1 << ((n - low) % 64)
	}
	count := 0
	for i, word := range b.set {
		for ; word != 0; word &= word - 1 {
			numbers[count] = low + uint64(64*i+bits.TrailingZeros64(word))
			count++
		}
	}
}

// Deal offers blocks to the SMXs at a cycle. Each grid first gets as many blocks as the SMXs have room for, so that no SMX is idle while
// another has blocks in store. The first grid with blocks left then gets as many again as may end within the epoch. The scheduler hands
// over one block every gap cycles, and the SMXs share that rate.
func (b *Blocks) Deal(now, gap engine.Cycle) {
	begun := false
	for _, d := range b.list {
		if d.Left() == 0 {
			continue
		}
		if !begun {
			begun = true
			for i, s := range b.smxs {
				b.unused[i] = s.Unused()
			}
		}
		b.dealGrid(d, now, gap)
		if d.Left() > 0 {
			return
		}
	}
}

func (b *Blocks) dealGrid(d *Dispatch, now, gap engine.Cycle) {
	count, most := len(b.smxs), d.Grid.Occupancy.Blocks
	for i, s := range b.smxs {
		b.offers[i] = b.offers[i][:0]
		if s.Renewable() {
			b.unused[i] = s.Whole(d.Grid)
		}
		b.free[i] = max(0, min(most-s.Blocks(d.Grid), b.unused[i].Fits(d.Grid)))
		if s.Waiting() {
			b.free[i] = 0
		}
	}
	b.hand(d)
	for i := range b.smxs {
		b.unused[i].Take(d.Grid, len(b.offers[i]))
		b.free[i] = most // further blocks wait for others to end: no more than may run at once
		if b.smxs[i].Waiting() {
			b.free[i] = 0
		}
	}
	if d.Left() > 0 {
		b.hand(d)
	}
	for i, s := range b.smxs {
		place := engine.Cycle((i - d.first + count) % count)
		s.Offer(d.Grid, b.offers[i], now+place*gap, gap*engine.Cycle(count))
	}
}

// hand deals blocks while there are any and an SMX has room.
func (b *Blocks) hand(d *Dispatch) {
	rooms := 0
	for _, n := range b.free {
		rooms += n
	}
	last := d.first - 1
	for ; rooms > 0 && d.Left() > 0; rooms-- {
		last = b.placement.Next(b.free, last)
		b.free[last]--
		b.offers[last] = append(b.offers[last], d.take())
	}
}
