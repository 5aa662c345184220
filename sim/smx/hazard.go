package smx

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/stats"
)

// mostHazards bounds the pairs of operations that a launch's hazards tell of.
const mostHazards = 50

// Hazards watches the memory accesses of a functional run for what is wrong on a real GPU although it may give the right result here:
// accesses of one address of which one writes and which nothing orders, and reads of shared memory that nobody has written; and for barriers that a part of a warp's lanes executes.
//
// In shared memory two warps of a block are ordered by a barrier between them; a warp's own lanes go together, as on Kepler. In global
// memory two blocks are ordered by a fence that the first executed after its access; atomics, volatile and other strong accesses
// order themselves, and accesses of less than 4 bytes are not watched. A write of the value that is there already is no hazard.
type Hazards struct {
	found  map[hazardPair]*stats.Hazard
	list   []*stats.Hazard
	global map[uint64]*[globalPage]globalCell // by address over the bytes of a page
	fences map[uint64]uint32                  // by block number plus 1: how many fences its warps have executed
	access uint64
}

// NewHazards makes one for a launch.
func NewHazards() *Hazards {
	return &Hazards{found: map[hazardPair]*stats.Hazard{}, global: map[uint64]*[globalPage]globalCell{}, fences: map[uint64]uint32{}}
}

// Watch lets an SMX report its accesses. All SMXs of a launch share the hazards, and run one after another.
func (s *SMX) Watch(h *Hazards) { s.hazards = h }

// List are the hazards in the order in which they first happened.
func (h *Hazards) List() []stats.Hazard {
	list := make([]stats.Hazard, len(h.list))
	for i, found := range h.list {
		list[i] = *found
	}
	return list
}

// hazardPair are the operations that two accesses belong to; first is -1 for memory that nobody wrote.
type hazardPair struct {
	kind          stats.HazardKind
	first, second int32
}

// sharedCell is what happened to a byte of shared memory since the block began. Warps are counted from 1, 0 is none.
type sharedCell struct {
	writer, reader           int16 // reader is severalReaders where there were some
	atomic                   bool  // the last write was an atomic's
	value                    byte  // that it wrote
	writerOp, readerOp       int32
	writerEpoch, readerEpoch uint32
	access                   uint64 // the last write's
}

const severalReaders = -1

// globalPage is the words of 4 bytes that are watched together.
const globalPage = 1024

// globalCell is what happened to a word of global memory in the launch. Blocks are counted from 1, 0 is none; fences are those
// that the block had executed at the time.
type globalCell struct {
	writer, reader           uint64
	writerOp, readerOp       int32
	writerFences, readFences uint32
}

// watch books a warp's access before it is carried out.
func (h *Hazards) watch(s *SMX, w *warp, op *operation, a *access) {
	h.access++
	switch a.Space {
	case isa.SpaceShared:
		h.watchShared(w, op, &a.Access)
	case isa.SpaceGlobal:
		if a.Bytes >= 4 && a.Order == isa.OrderWeak && (a.Kind == exec.AccessLoad || a.Kind == exec.AccessStore) {
			h.watchGlobal(s, w, op, &a.Access)
		}
	}
}

// watchShared looks at each byte that an access of shared memory touches.
func (h *Hazards) watchShared(w *warp, op *operation, a *exec.Access) {
	b, self := w.block, int16(w.index+1)
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if a.Address[lane]+uint64(a.Bytes) > uint64(len(b.watched)) {
			continue // the access will fail
		}
		for n := range uint64(a.Bytes) {
			at := a.Address[lane] + n
			c := &b.watched[at]
			other := func(warp int16) int { return int(warp) - 1 }
			if a.Kind != exec.AccessStore { // it reads
				switch {
				case c.writer == 0:
					h.report(w, hazardPair{stats.HazardUnset, -1, op.index}, at, "")
				case c.writer != self && c.writerEpoch == b.epoch && !(c.atomic && a.Kind != exec.AccessLoad):
					h.report(w, hazardPair{stats.HazardReadAfterWrite, c.writerOp, op.index}, at, fmt.Sprintf("warp %d", other(c.writer)))
				}
			}
			if a.Kind == exec.AccessLoad {
				if c.reader != self && c.reader != 0 && c.readerEpoch == b.epoch {
					c.reader = severalReaders
				} else {
					c.reader = self
				}
				c.readerOp, c.readerEpoch = op.index, b.epoch
				continue
			}
			atomic := a.Kind != exec.AccessStore
			value, there := byte(a.Data[n/4][lane]>>(8*(n%4))), b.Shared[at]
			if c.access == h.access {
				there = c.value // another lane's, which is carried out with this one
			}
			if !atomic && value == there && c.writer != 0 {
				continue // what is there already
			}
			switch {
			case c.access == h.access && !atomic:
				h.report(w, hazardPair{stats.HazardLanes, op.index, op.index}, at, "")
			case c.writer != 0 && c.writer != self && c.writerEpoch == b.epoch && !(c.atomic && atomic):
				h.report(w, hazardPair{stats.HazardWriteAfterWrite, c.writerOp, op.index}, at, fmt.Sprintf("warp %d", other(c.writer)))
			}
			if c.reader != 0 && c.reader != self && c.readerEpoch == b.epoch {
				who := "another warp"
				if c.reader != severalReaders {
					who = fmt.Sprintf("warp %d", other(c.reader))
				}
				h.report(w, hazardPair{stats.HazardWriteAfterRead, c.readerOp, op.index}, at, who)
			}
			c.writer, c.writerOp, c.writerEpoch, c.atomic, c.value, c.access = self, op.index, b.epoch, atomic, value, h.access
		}
	}
}

// watchGlobal looks at each word that a plain access of global memory touches.
func (h *Hazards) watchGlobal(s *SMX, w *warp, op *operation, a *exec.Access) {
	self := w.block.number()
	var old [16]byte
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if s.global.Read(a.Address[lane], old[:a.Bytes]) != nil {
			continue // the access will fail
		}
		for n := uint64(0); n < uint64(a.Bytes); n += 4 {
			at := a.Address[lane] + n
			c := h.globalCell(at)
			written := c.writer != 0 && c.writer != self && c.writerFences == h.fences[c.writer]
			if a.Kind == exec.AccessLoad {
				if written {
					h.report(w, hazardPair{stats.HazardReadAfterWrite, c.writerOp, op.index}, at, w.block.grid.blockName(c.writer))
				}
				c.reader, c.readerOp, c.readFences = self, op.index, h.fences[self]
				continue
			}
			if value := a.Data[n/4][lane]; value == uint32(old[n])|uint32(old[n+1])<<8|uint32(old[n+2])<<16|uint32(old[n+3])<<24 && c.writer != 0 {
				continue // what is there already
			}
			if written {
				h.report(w, hazardPair{stats.HazardWriteAfterWrite, c.writerOp, op.index}, at, w.block.grid.blockName(c.writer))
			} else if c.reader != 0 && c.reader != self && c.readFences == h.fences[c.reader] {
				h.report(w, hazardPair{stats.HazardWriteAfterRead, c.readerOp, op.index}, at, w.block.grid.blockName(c.reader))
			}
			c.writer, c.writerOp, c.writerFences = self, op.index, h.fences[self]
		}
	}
}

// globalCell finds the word at an address.
func (h *Hazards) globalCell(address uint64) *globalCell {
	word := address / 4
	page := h.global[word/globalPage]
	if page == nil {
		page = new([globalPage]globalCell)
		h.global[word/globalPage] = page
	}
	return &page[word%globalPage]
}

// fenced books that a warp has executed a fence.
func (h *Hazards) fenced(w *warp) { h.fences[w.block.number()]++ }

// apart books that a warp arrives at a barrier with a part of its lanes alone.
func (h *Hazards) apart(w *warp, op *operation, mask uint32) {
	h.report(w, hazardPair{stats.HazardBarrier, -1, op.index}, 0, fmt.Sprintf("%d of its %d lanes", bits.OnesCount32(mask), bits.OnesCount32(w.stack.live())))
}

// report counts a hazard of two operations, and describes the first of its kind.
func (h *Hazards) report(w *warp, pair hazardPair, address uint64, other string) {
	if found := h.found[pair]; found != nil {
		found.Count++
		return
	}
	if len(h.list) == mostHazards {
		return
	}
	program := w.block.grid.Program
	found := &stats.Hazard{Kind: pair.kind, Count: 1, Address: address, Other: other, Block: w.block.Ctaid, Warp: w.index}
	op := &program.operations[pair.second]
	found.Shared = op.class == isa.ClassShared || op.class == isa.ClassSharedAtomic || pair.kind == stats.HazardBarrier
	found.Second = program.Machine.Program.Where(op.machine.Line)
	if pair.first >= 0 {
		found.First = program.Machine.Program.Where(program.operations[pair.first].machine.Line)
	}
	h.found[pair] = found
	h.list = append(h.list, found)
}

// number is the block's place in the grid, from 1.
func (b *block) number() uint64 {
	d := b.grid.Dim
	return 1 + uint64(b.Ctaid[0]) + uint64(d[0])*(uint64(b.Ctaid[1])+uint64(d[1])*uint64(b.Ctaid[2]))
}

// blockName names the block of a number, from 1.
func (g *Grid) blockName(number uint64) string {
	at := g.blockAt(number - 1)
	return fmt.Sprintf("block (%d,%d,%d)", at[0], at[1], at[2])
}
