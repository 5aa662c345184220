package check

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// mostHazards bounds the pairs of operations that a launch's hazards tell of.
const mostHazards = 50

// Memory is device memory to read.
type Memory interface {
	Read(address uint64, into []byte) error
}

// Hazards watches the memory accesses of a functional run for what is wrong on a real GPU although it may give the right result here:
// accesses of one address of which one writes and which nothing orders, reads of shared memory that nobody has written, and barriers that
// a part of a warp's lanes executes. It is for one launch, whose SMXs run one after another.
//
// In shared memory two warps of a block are ordered by a barrier between them; a warp's own lanes go together, as on Kepler. In global
// memory two blocks are ordered by a fence that the first executed after its access; atomics, volatile and other strong accesses
// order themselves, and accesses of less than 4 bytes are not watched. A write of the value that is there already is no hazard.
type Hazards struct {
	observe.Silent

	memory Memory
	shared map[*observe.Block]*sharedState // of resident blocks
	global globalState

	found map[pair]*stats.Hazard
	list  []*stats.Hazard
}

// pair are the operations that two accesses belong to; first is noOperation for memory that nobody wrote.
type pair struct {
	kind          stats.HazardKind
	first, second int32
}

const noOperation = -1

// NewHazards returns a checker for a launch that works on a device memory.
func NewHazards(memory Memory) *Hazards {
	return &Hazards{
		memory: memory, shared: map[*observe.Block]*sharedState{}, found: map[pair]*stats.Hazard{},
		global: globalState{pages: map[uint64]*[globalPage]globalCell{}, fences: map[blockID]uint32{}},
	}
}

// List returns the hazards in the order in which they first happened.
func (h *Hazards) List() []stats.Hazard {
	list := make([]stats.Hazard, len(h.list))
	for i, found := range h.list {
		list[i] = *found
	}
	return list
}

// Block begins and ends the watch of a block's shared memory.
func (h *Hazards) Block(_ engine.Cycle, b *observe.Block, stage observe.Stage) {
	if stage == observe.Started {
		h.shared[b] = &sharedState{cells: make([]sharedCell, len(b.Shared)), interval: 1}
	} else {
		delete(h.shared, b)
	}
}

// Issue looks for fences.
func (h *Hazards) Issue(e observe.Issue) {
	if op := e.Warp.Operation(e.Op); op.Class == isa.ClassFence && op.Control == isa.ControlSync {
		h.global.fences[idOf(e.Warp.Block)]++
	}
}

// Barrier orders a block's accesses to shared memory, and looks for warps that arrive with a part of their lanes alone.
func (h *Hazards) Barrier(e observe.Barrier) {
	if e.Stage == observe.Ended {
		h.shared[e.Block].interval++
		return
	}
	if e.Mask != e.Live {
		other := fmt.Sprintf("%d of its %d lanes", bits.OnesCount32(e.Mask), bits.OnesCount32(e.Live))
		h.report(e.Warp, pair{stats.HazardBarrier, noOperation, e.Op}, 0, other)
	}
}

// Access looks at an access of shared or global memory.
func (h *Hazards) Access(e observe.Access) {
	switch e.Space {
	case isa.SpaceShared:
		h.accessShared(&e)
	case isa.SpaceGlobal:
		if e.Bytes >= 4 && e.Order == isa.OrderWeak && (e.Kind == exec.AccessLoad || e.Kind == exec.AccessStore) {
			h.accessGlobal(&e)
		}
	}
}

// report counts a hazard of two operations, and describes the first of its kind. other says who made the first access.
func (h *Hazards) report(w *observe.Warp, p pair, address uint64, other string) {
	if found := h.found[p]; found != nil {
		found.Count++
		return
	}
	if len(h.list) == mostHazards {
		return
	}
	found := &stats.Hazard{Kind: p.kind, Count: 1, Address: address, Other: other, Block: w.Block.At, Warp: w.Index, Second: w.Where(p.second)}
	class := w.Operation(p.second).Class
	found.Shared = class == isa.ClassShared || class == isa.ClassSharedAtomic || p.kind == stats.HazardBarrier
	if p.first != noOperation {
		found.First = w.Where(p.first)
	}
	h.found[p] = found
	h.list = append(h.list, found)
}
