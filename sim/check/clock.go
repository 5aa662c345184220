package check

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/screen"
)

// grid is a launch.
type grid struct {
	observed *observe.Grid
	title    string
	// first is the number of the first warp that began with it or later. Warps before base, which are from earlier launches, happen before
	// it.
	first, base uint32
	command     moment
	program     *program
	// start is what the warps of a nested grid know when they begin, end what they have done; nil for the host's grids.
	start  []acquired
	end    *log
	learnt *learnt // the consequences of start
}

// block is a running or completed block.
type block struct {
	grid   *grid
	number uint64
	at     [3]uint32
	threads
	warps    []warp
	first    uint32  // the lowest number of its warps' records
	shared   *shadow // nil without shared memory
	memory   []byte  // the shared memory itself
	barriers [16]arrivals
	local    []screen.Local // by warp, made on first use
}

// threads is a block's extent.
type threads [3]uint32

// at returns the position in the block of a thread by its number.
func (t threads) at(n uint32) [3]uint32 {
	return [3]uint32{n % t[0], n / t[0] % t[1], n / (t[0] * t[1])}
}

// count returns the number of threads.
func (t threads) count() int { return int(t[0] * t[1] * t[2]) }

// warp is a warp's vector clock and state.
type warp struct {
	block    *block
	index    int
	observed *observe.Warp
	number   uint32 // the number in its records
	clock    uint64
	// seen has for each warp of the block the clock up to which its accesses happen before this warp's. Its own entry is not used.
	seen []uint64
	// known are the releases that it has acquired.
	known []acquired
	// learnt has the consequences of known.
	learnt *learnt
	// fenced is the warp's past at its last fence, or that of a warp that it met at a barrier since; nil for none.
	fenced *knowledge
	// fencedBlock is the same for fences of block scope.
	fencedBlock *knowledge
	// waits is the variable of its last strong read: in a timed run the value arrives later than the event.
	waits variable

	live, active uint32
	// together is the last clock in which all lanes were active, paths are the active lanes in the clocks since.
	together uint64
	paths    []uint32
	// synced is the clock that began with the last barrier or __syncwarp().
	synced uint64

	registers *exec.LanesSet

	// ordered caches clocks of other warps that are known to happen before.
	ordered [orderedKept]orderedUpTo
}

// orderedKept is a power of two.
const orderedKept = 8

type orderedUpTo struct{ warp, clock uint32 }

// owner is the warp with a number in records. A warp gets another number when its clock exceeds a record's field.
type owner struct {
	block *block
	index int32
	high  uint32 // upper bits of its clock
}

// mostPaths is the most paths that are kept of a warp's diverged past. Earlier lanes count as ordered.
const mostPaths = 4096

// enroll gives a warp the next number for its records.
func (c *Checker) enroll(w *warp) {
	if c.nextWarp > lastWarp {
		c.restart()
	}
	w.number = c.nextWarp
	c.nextWarp++
	c.owners = append(c.owners, owner{w.block, int32(w.index), uint32(w.clock >> clockBits)})
}

// restart drops all records, so that numbers can be reused.
func (c *Checker) restart() {
	c.global = shadow{base: c.global.base, pages: c.global.pages, bytes: c.global.bytes}
	for _, p := range c.global.pages {
		if p != nil {
			p.Writes, p.Reads, p.Reads2, p.Strong, p.Strong2 = nil, nil, nil, nil, nil
		}
	}
	for _, b := range c.blocks {
		b.shared = nil
	}
	c.owners, c.nextWarp, c.firstOwner = nil, 1, 1
}

// ownerOf returns the warp of a record; nil if everything comes after it.
func (c *Checker) ownerOf(r record) *owner {
	n := r.warp()
	if n < c.firstOwner {
		return nil
	}
	return &c.owners[n-c.firstOwner]
}

// tick begins a warp's next clock, with some lanes active.
func (c *Checker) tick(w *warp, active uint32) {
	w.clock++
	if w.clock&(1<<clockBits-1) == 0 {
		c.enroll(w)
	}
	w.active = active
	if active == w.live {
		w.together, w.paths = w.clock, w.paths[:0]
		return
	}
	w.paths = append(w.paths, active)
	if len(w.paths) > mostPaths {
		half := len(w.paths) / 2
		w.together += uint64(half)
		w.paths = w.paths[:copy(w.paths, w.paths[half:])]
	}
}

// lockstep reports whether a lane's access in an earlier clock of the warp comes before another lane's now, because both lanes were active
// together.
func (w *warp) lockstep(clock uint64, lane, now int) bool {
	if clock <= w.together || clock == w.clock {
		return true
	}
	paths := w.paths[clock-w.together-1:]
	if lane == severalLanes {
		others := paths[0] &^ (1 << now)
		lane = bits.TrailingZeros32(others)
	}
	both := uint32(1)<<lane | 1<<now
	for _, active := range paths {
		if active&both == both {
			return true
		}
	}
	return false
}

// clockOf returns the clock of a record with the warp's number.
func (w *warp) clockOf(r record) uint64 { return w.clock&^(1<<clockBits-1) | uint64(r.clock()) }

// knowledge is a warp's past.
type knowledge struct {
	seen  []uint64
	known []acquired
}

// past returns the warp's past now, itself included.
func (w *warp) past() *knowledge {
	k := &knowledge{seen: append([]uint64(nil), w.seen...), known: w.known}
	k.seen[w.index] = w.clock
	return k
}

// join merges the knowledge of two warps of a block.
func (k *knowledge) join(other *knowledge) *knowledge {
	switch {
	case k == nil:
		return other
	case other == nil || k == other:
		return k
	}
	joint := &knowledge{seen: append([]uint64(nil), k.seen...), known: joinKnown(k.known, other.known)}
	for i, clock := range other.seen {
		joint.seen[i] = max(joint.seen[i], clock)
	}
	return joint
}

// before reports whether an access of another warp happens before a warp's next one.
func (c *Checker) before(r record, w *warp) bool {
	o := c.ownerOf(r)
	if o == nil || r.warp() < w.block.grid.base {
		return true
	}
	clock := uint64(o.high)<<clockBits | uint64(r.clock())
	switch {
	case o.block == w.block:
		return w.seen[o.index] >= clock
	case o.block.grid != w.block.grid && w.block.grid.command.after(o.block.grid.command):
		return true
	}
	return w.knows(o.block, int(o.index), clock)
}

// fence records the warp's past for a later release, only for the block if that is the fence's scope.
func (c *Checker) fence(w *warp, scope isa.Scope) {
	w.fencedBlock = w.past()
	if scope != isa.ScopeBlock {
		w.fenced = w.fencedBlock
	}
	c.tick(w, w.active)
}
