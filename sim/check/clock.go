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
	// first is the number of the first warp that began with it or later; what earlier warps did that began before base is in its past.
	first, base uint32
	command     moment
	program     *program
	// start is what the warps of a grid that a kernel has launched know when they begin, end what they have done; nil for the host's.
	start  []acquired
	end    *log
	learnt *learnt // what follows from start
}

// block is a block that runs, or has run.
type block struct {
	grid   *grid
	number uint64
	at     [3]uint32
	threads
	warps    []warp
	first    uint32  // the least number of its warps' records
	shared   *shadow // nil for a block without
	memory   []byte  // the shared memory itself
	barriers [16]arrivals
	local    []screen.Local // by warp, made when it is used
}

// threads is a block's extent.
type threads [3]uint32

// at is the place in the block of a thread by its number.
func (t threads) at(n uint32) [3]uint32 {
	return [3]uint32{n % t[0], n / t[0] % t[1], n / (t[0] * t[1])}
}

// count is the number of threads.
func (t threads) count() int { return int(t[0] * t[1] * t[2]) }

// warp is a warp's place in time.
type warp struct {
	block    *block
	index    int
	observed *observe.Warp
	number   uint32 // that its records have now
	clock    uint64
	// seen are the clocks of the block's warps up to which all is in the warp's past; its own does not count.
	seen []uint64
	// known are the releases that it has acquired.
	known []acquired
	// learnt is what follows from it.
	learnt *learnt
	// fenced is what was in its past at its last fence, or that of a warp that it met at a barrier since; nil where there was none.
	fenced *knowledge
	// fencedBlock is the same for fences that are for the block alone.
	fencedBlock *knowledge
	// waits is the variable that it read last by a strong access: in a timed run the value comes later than the event.
	waits variable

	live, active uint32
	// together is the last clock in which all lanes were active, paths are the active lanes of those since.
	together uint64
	paths    []uint32
	// synced is the clock that began with the last barrier or __syncwarp().
	synced uint64

	registers *exec.LanesSet

	// ordered are clocks of other warps that are known to be in the past: a few of those asked for last.
	ordered [orderedKept]orderedUpTo
}

// orderedKept is a power of two.
const orderedKept = 8

type orderedUpTo struct{ warp, clock uint32 }

// owner is whose records have a number. A warp takes another one when its clock does not fit a record any more.
type owner struct {
	block *block
	index int32
	high  uint32 // of its clock
}

// mostPaths bounds what is kept of a warp's diverged past; lanes count as ordered from before it.
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

// restart forgets all records, so that their numbers can be used again.
func (c *Checker) restart() {
	c.global = shadow{base: c.global.base, pages: c.global.pages, bytes: c.global.bytes}
	for _, p := range c.global.pages {
		if p != nil {
			p.writes, p.reads, p.reads2, p.strong, p.strong2 = nil, nil, nil, nil, nil
		}
	}
	for _, b := range c.blocks {
		b.shared = nil
	}
	c.owners, c.nextWarp, c.firstOwner = nil, 1, 1
}

// ownerOf is whose a record is; nil for what everything comes after.
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

// lockstep reports that a lane's access in an earlier clock of the warp comes before another lane's now, as lanes go that are active
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

// clockOf is the clock of a record that has the warp's number.
func (w *warp) clockOf(r record) uint64 { return w.clock&^(1<<clockBits-1) | uint64(r.clock()) }

// knowledge is what is in the past of a warp.
type knowledge struct {
	seen  []uint64
	known []acquired
}

// past is what is in a warp's past now, itself included.
func (w *warp) past() *knowledge {
	k := &knowledge{seen: append([]uint64(nil), w.seen...), known: w.known}
	k.seen[w.index] = w.clock
	return k
}

// join takes in what another warp of the block knows.
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

// before reports that an access of another warp lies in a warp's past.
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

// fence notes what is in the warp's past: a release that follows hands it on, to the block alone where that is the fence's scope.
func (c *Checker) fence(w *warp, scope isa.Scope) {
	w.fencedBlock = w.past()
	if scope != isa.ScopeBlock {
		w.fenced = w.fencedBlock
	}
	c.tick(w, w.active)
}
