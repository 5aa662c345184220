package check

import (
	"encoding/binary"
	"math/bits"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// globalState is what happened to global memory in the launch.
type globalState struct {
	pages  map[uint64]*[globalPage]globalCell // by address over the bytes of a page
	fences map[blockID]uint32                 // that a block's warps have executed
}

// globalPage is the number of words of 4 bytes that are watched together.
const globalPage = 1024

// globalCell is what happened to a word of global memory: the last write and the last read.
type globalCell struct{ write, read globalTouch }

// globalTouch is which block touched a word, at which operation and after how many of its fences.
type globalTouch struct {
	block  blockID
	op     int32
	fences uint32
}

// blockID is a block's number in its grid, from 1.
type blockID uint64

const noBlock blockID = 0

func idOf(b *observe.Block) blockID { return blockID(b.Number + 1) }

// unordered reports that another block than self made the touch and has executed no fence since.
func (g *globalState) unordered(t *globalTouch, self blockID) bool {
	return t.block != noBlock && t.block != self && t.fences == g.fences[t.block]
}

// cell finds the word at an address.
func (g *globalState) cell(address uint64) *globalCell {
	word := address / 4
	page := g.pages[word/globalPage]
	if page == nil {
		page = new([globalPage]globalCell)
		g.pages[word/globalPage] = page
	}
	return &page[word%globalPage]
}

// accessGlobal looks at each word that a plain access of global memory touches.
func (h *Hazards) accessGlobal(e *observe.Access) {
	self := idOf(e.Warp.Block)
	touch := globalTouch{self, e.Op, h.global.fences[self]}
	var old [16]byte
	for m := e.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if h.memory.Read(e.Address[lane], old[:e.Bytes]) != nil {
			continue // the access will fail
		}
		for n := uint64(0); n < uint64(e.Bytes); n += 4 {
			at := e.Address[lane] + n
			c := h.global.cell(at)
			unordered := h.global.unordered(&c.write, self)
			if e.Kind == exec.AccessLoad {
				if unordered {
					h.reportBlocks(e, stats.HazardReadAfterWrite, &c.write, at)
				}
				c.read = touch
				continue
			}
			if e.Data[n/4][lane] == binary.LittleEndian.Uint32(old[n:]) && c.write.block != noBlock {
				continue // what is there already
			}
			if unordered {
				h.reportBlocks(e, stats.HazardWriteAfterWrite, &c.write, at)
			} else if h.global.unordered(&c.read, self) {
				h.reportBlocks(e, stats.HazardWriteAfterRead, &c.read, at)
			}
			c.write = touch
		}
	}
}

// reportBlocks reports a hazard with another block's access.
func (h *Hazards) reportBlocks(e *observe.Access, kind stats.HazardKind, first *globalTouch, address uint64) {
	other := observe.BlockName(e.Warp.Block.Grid.BlockAt(uint64(first.block) - 1))
	h.report(e.Warp, pair{kind, first.op, e.Op}, address, other)
}
