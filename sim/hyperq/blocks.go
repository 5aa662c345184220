package hyperq

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// Dispatch is a grid whose blocks are being handed out.
type Dispatch struct {
	Grid *smx.Grid
	// Priority is greater for a grid whose blocks go first.
	Priority int

	first int    // the SMX that gets its first block
	next  uint64 // the first block never offered
	total uint64
	back  []uint64 // blocks that came back, rising
}

// Left returns the number of blocks that no SMX has started, once what was offered has come back.
func (d *Dispatch) Left() uint64 { return d.total - d.next + uint64(len(d.back)) }

// Take takes the next block out, for who starts it without the block scheduler; false where there is none.
func (d *Dispatch) Take() (number uint64, ok bool) {
	if d.Left() == 0 {
		return 0, false
	}
	return d.take(), true
}

// Fresh is the number of blocks that were never offered.
func (d *Dispatch) Fresh() uint64 { return d.total - d.next }

// Skip leaves out so many of the fresh blocks, for somebody else to run or nobody, and returns the first of them.
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
// higher priority goes first, else the one that came first; the next gets what is left when all blocks of those before have a place.
// Between epochs it offers each SMX as many as it could start until the next time; those that it did not start come back.
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

// Add takes a grid in, behind those of its priority and before those of less.
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

// load returns how many blocks each SMX has, or is about to get as the first of its grid.
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

// Remove takes a grid out.
func (b *Blocks) Remove(d *Dispatch) {
	b.list = slices.DeleteFunc(b.list, func(other *Dispatch) bool { return other == d })
}

// Collect takes back what the SMXs have not started.
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

// rise puts numbers of blocks in rising order, each of which is there once. Those that come back lie close together.
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

// Deal offers blocks to the SMXs at a cycle: of each grid first as many as there is room for on any of them, so that none goes without
// while another has some in store; then, of the first grid that has more, as many again as may end within the epoch. The scheduler hands
// over one block every gap cycles; with all SMXs asking, each gets its share of that rate.
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
		b.free[i] = most // what is left waits for others to end, or to end again: no more than may run at once
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

// hand gives out blocks while there are any and an SMX has room.
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
