package check

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// words is a device memory of words from address 0.
type words []uint32

func (w words) Read(address uint64, into []byte) error {
	for n := 0; n < len(into); n += 4 {
		binary.LittleEndian.PutUint32(into[n:], w[address/4+uint64(n/4)])
	}
	return nil
}

// stage is a grid of two blocks with two warps each; operation 0 accesses shared memory, 1 global memory, 2 is a fence and 3 a barrier.
type stage struct {
	*Hazards
	blocks [2]*observe.Block
	memory words
}

func newStage() *stage {
	machine := &isa.MachineProgram{
		Program: &isa.Program{}, Kernel: &isa.Function{},
		Ops: []isa.MachineOp{{Class: isa.ClassShared}, {Class: isa.ClassGlobal}, {Class: isa.ClassFence, Control: isa.ControlSync}, {Class: isa.ClassBarrier}},
	}
	s := &stage{memory: make(words, 64)}
	s.Hazards = NewHazards(s.memory)
	grid := &observe.Grid{Machine: machine, Dim: [3]uint32{2, 1, 1}, Threads: [3]uint32{64, 1, 1}}
	for n := range s.blocks {
		b := &observe.Block{Grid: grid, Number: uint64(n), At: grid.BlockAt(uint64(n)), Shared: make([]byte, 64)}
		b.Warps = []observe.Warp{{Block: b}, {Block: b, Index: 1}}
		s.blocks[n] = b
		s.Block(0, b, observe.Started)
	}
	return s
}

// access has one lane of a warp access a word, and carries the access out.
func (s *stage) access(block, warp int, space isa.Space, kind exec.AccessKind, address uint64, value uint32) {
	b := s.blocks[block]
	a := &exec.Access{Kind: kind, Space: space, Bytes: 4, Active: 1}
	a.Address[0], a.Data[0][0] = address, value
	op := int32(0)
	if space == isa.SpaceGlobal {
		op = 1
	}
	s.Access(observe.Access{Warp: &b.Warps[warp], Op: op, Access: a})
	switch {
	case kind == exec.AccessLoad:
	case space == isa.SpaceGlobal:
		s.memory[address/4] = value
	default:
		binary.LittleEndian.PutUint32(b.Shared[address:], value)
	}
}

func (s *stage) barrier(block int) {
	s.Barrier(observe.Barrier{Block: s.blocks[block], Stage: observe.Ended})
}

func (s *stage) fence(block int) {
	s.Issue(observe.Issue{Warp: &s.blocks[block].Warps[0], Op: 2})
}

// Two warps' accesses to one byte of shared memory of which one writes need a barrier between them; blocks' accesses to global memory a fence.
func TestOrder(t *testing.T) {
	const (
		load, store, atomic = exec.AccessLoad, exec.AccessStore, exec.AccessAtomic
		shared, global      = isa.SpaceShared, isa.SpaceGlobal
	)
	for name, c := range map[string]struct {
		run  func(s *stage)
		want []stats.HazardKind
	}{
		"unset": {func(s *stage) { s.access(0, 0, shared, load, 0, 0) }, []stats.HazardKind{stats.HazardUnset}},
		"own":   {func(s *stage) { s.access(0, 0, shared, store, 0, 1); s.access(0, 0, shared, load, 0, 0) }, nil},
		"read after write": {func(s *stage) { s.access(0, 0, shared, store, 0, 1); s.access(0, 1, shared, load, 0, 0) },
			[]stats.HazardKind{stats.HazardReadAfterWrite}},
		"ordered": {func(s *stage) { s.access(0, 0, shared, store, 0, 1); s.barrier(0); s.access(0, 1, shared, load, 0, 0) }, nil},
		"another block's barrier": {func(s *stage) { s.access(0, 0, shared, store, 0, 1); s.barrier(1); s.access(0, 1, shared, load, 0, 0) },
			[]stats.HazardKind{stats.HazardReadAfterWrite}},
		"write after write": {func(s *stage) {
			s.access(0, 0, shared, store, 0, 0x01010101)
			s.access(0, 1, shared, store, 0, 0x02020202)
		},
			[]stats.HazardKind{stats.HazardWriteAfterWrite}},
		"the same value": {func(s *stage) { s.access(0, 0, shared, store, 0, 7); s.access(0, 1, shared, store, 0, 7) }, nil},
		"write after read": {func(s *stage) {
			s.access(0, 0, shared, store, 0, 1)
			s.barrier(0)
			s.access(0, 0, shared, load, 0, 0)
			s.access(0, 1, shared, store, 0, 2)
		}, []stats.HazardKind{stats.HazardWriteAfterRead}},
		"atomics": {func(s *stage) {
			s.access(0, 0, shared, store, 0, 1)
			s.barrier(0)
			s.access(0, 0, shared, atomic, 0, 2)
			s.access(0, 1, shared, atomic, 0, 3)
		}, nil},
		"blocks": {func(s *stage) { s.access(0, 0, global, store, 8, 1); s.access(1, 0, global, load, 8, 0) },
			[]stats.HazardKind{stats.HazardReadAfterWrite}},
		"a fence": {func(s *stage) { s.access(0, 0, global, store, 8, 1); s.fence(0); s.access(1, 0, global, load, 8, 0) }, nil},
		"the reader's fence": {func(s *stage) { s.access(0, 0, global, store, 8, 1); s.fence(1); s.access(1, 0, global, load, 8, 0) },
			[]stats.HazardKind{stats.HazardReadAfterWrite}},
		"blocks write": {func(s *stage) { s.access(0, 0, global, store, 8, 1); s.access(1, 0, global, store, 8, 2) },
			[]stats.HazardKind{stats.HazardWriteAfterWrite}},
		"a block writes what another has read": {func(s *stage) { s.access(0, 0, global, load, 8, 0); s.access(1, 0, global, store, 8, 2) },
			[]stats.HazardKind{stats.HazardWriteAfterRead}},
		"global atomics": {func(s *stage) { s.access(0, 0, global, atomic, 8, 1); s.access(1, 0, global, atomic, 8, 2) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			c.run(s)
			var kinds []stats.HazardKind
			for _, h := range s.List() {
				kinds = append(kinds, h.Kind)
			}
			assert.Equal(t, c.want, kinds)
		})
	}
}

// Lanes of one store that write different values to a byte are a hazard; lanes that write the same are none.
func TestLanesOfOneStore(t *testing.T) {
	for value, want := range map[uint32]int{5: 0, 6: 1} {
		s := newStage()
		a := &exec.Access{Kind: exec.AccessStore, Space: isa.SpaceShared, Bytes: 4, Active: 3}
		a.Data[0][0], a.Data[0][1] = 5, value
		s.Access(observe.Access{Warp: &s.blocks[0].Warps[0], Access: a})
		assert.Len(t, s.List(), want)
	}
}

// A barrier that a part of a warp's lanes executes is found; that of lanes all alive is in order.
func TestBarriersOfAPartOfAWarp(t *testing.T) {
	s := newStage()
	arrive := observe.Barrier{Block: s.blocks[0], Stage: observe.Started, Warp: &s.blocks[0].Warps[1], Op: 3, Mask: 0xff, Live: 0xff}
	s.Barrier(arrive)
	assert.Empty(t, s.List())
	arrive.Live = 0xffff
	s.Barrier(arrive)
	s.Barrier(arrive)
	if list := s.List(); assert.Len(t, list, 1) {
		assert.Equal(t, stats.HazardBarrier, list[0].Kind)
		assert.Equal(t, uint64(2), list[0].Count)
		assert.Equal(t, "8 of its 16 lanes", list[0].Other)
		assert.Equal(t, 1, list[0].Warp)
	}
}

// A block that has ended is forgotten.
func TestEndedBlocksAreForgotten(t *testing.T) {
	s := newStage()
	for _, b := range s.blocks {
		s.Block(9, b, observe.Ended)
	}
	assert.Empty(t, s.shared)
}
