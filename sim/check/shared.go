package check

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// sharedState is what happened to a block's shared memory since the block began.
type sharedState struct {
	cells    []sharedCell // by byte
	interval uint32       // between two barriers: nothing orders two warps' accesses in one
	access   uint64       // accesses so far
}

// sharedCell is what happened to a byte of shared memory.
type sharedCell struct {
	write, read sharedTouch // the last of each
	atomic      bool        // the write was an atomic's
	value       byte        // that it wrote
	access      uint64      // that it belongs to
}

// sharedTouch is who touched a byte, at which operation and in which interval.
type sharedTouch struct {
	warp     int16 // from 1; noWarp, or severalWarp
	op       int32
	interval uint32
}

const (
	noWarp      = 0
	severalWarp = -1 // more than one in the interval
)

// unordered reports that another warp than self made the touch and no barrier has ended since.
func (t *sharedTouch) unordered(self int16, interval uint32) bool {
	return t.warp != noWarp && t.warp != self && t.interval == interval
}

// String names the warp for a message.
func (t *sharedTouch) String() string {
	if t.warp == severalWarp {
		return "another warp"
	}
	return fmt.Sprintf("warp %d", t.warp-1)
}

// accessShared looks at each byte that an access of shared memory touches.
func (h *Hazards) accessShared(e *observe.Access) {
	s := h.shared[e.Warp.Block]
	s.access++
	for m := e.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		first := e.Address[lane]
		if first+uint64(e.Bytes) > uint64(len(s.cells)) {
			continue // the access will fail
		}
		for n := range uint64(e.Bytes) {
			if e.Kind != exec.AccessStore {
				h.readShared(s, e, first+n)
			}
			if e.Kind != exec.AccessLoad {
				h.writeShared(s, e, first+n, byte(e.Data[n/4][lane]>>(8*(n%4))))
			}
		}
	}
}

// readShared looks at a byte that a load or an atomic reads.
func (h *Hazards) readShared(s *sharedState, e *observe.Access, at uint64) {
	c, self := &s.cells[at], int16(e.Warp.Index+1)
	load := e.Kind == exec.AccessLoad
	switch {
	case c.write.warp == noWarp:
		h.report(e.Warp, pair{stats.HazardUnset, noOperation, e.Op}, at, "")
	case c.write.unordered(self, s.interval) && (load || !c.atomic):
		h.report(e.Warp, pair{stats.HazardReadAfterWrite, c.write.op, e.Op}, at, c.write.String())
	}
	if load { // an atomic counts as a write from here on
		reader := self
		if c.read.unordered(self, s.interval) {
			reader = severalWarp
		}
		c.read = sharedTouch{reader, e.Op, s.interval}
	}
}

// writeShared looks at a byte that a store or an atomic writes. value is what a store writes.
func (h *Hazards) writeShared(s *sharedState, e *observe.Access, at uint64, value byte) {
	c, self := &s.cells[at], int16(e.Warp.Index+1)
	atomic, sameAccess := e.Kind != exec.AccessStore, c.access == s.access
	old := e.Warp.Block.Shared[at]
	if sameAccess {
		old = c.value // another lane's, which is carried out with this one
	}
	if !atomic && value == old && c.write.warp != noWarp {
		return // what is there already
	}
	switch {
	case sameAccess && !atomic:
		h.report(e.Warp, pair{stats.HazardLanes, e.Op, e.Op}, at, "")
	case c.write.unordered(self, s.interval) && !(c.atomic && atomic):
		h.report(e.Warp, pair{stats.HazardWriteAfterWrite, c.write.op, e.Op}, at, c.write.String())
	}
	if c.read.unordered(self, s.interval) {
		h.report(e.Warp, pair{stats.HazardWriteAfterRead, c.read.op, e.Op}, at, c.read.String())
	}
	c.write, c.atomic, c.value, c.access = sharedTouch{self, e.Op, s.interval}, atomic, value, s.access
}
