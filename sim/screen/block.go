package screen

import (
	"math/bits"
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// Block is the screen's record of a block: its epochs, and the state of its shared and local memory. The zero value has not begun. It may
// be reused after the block has ended.
type Block struct {
	exec.Screening // of the warp of the last Of
	began          uint32
	current        uint32
	first, end     uint32 // its epochs
	cells          []exec.Cell
	small          bool
	local          []Local // by warp, made on first use
}

// StartBlock begins a block with some bytes of shared memory.
func (s *Screen) StartBlock(b *Block, shared int) {
	count := (shared + 3) / 4
	if b.small = s.small; b.small {
		count *= 4
	}
	if len(b.cells) < count {
		b.cells = make([]exec.Cell, count)
	}
	b.local = b.local[:0]
	s.reserve(b, s.span)
	b.began = b.first
	s.blocks = append(s.blocks, b)
	b.place(s)
}

// reserve gives a block consecutive epochs.
func (s *Screen) reserve(b *Block, count uint32) {
	if s.next+count > exec.MostEpochs {
		s.renew()
	}
	b.first, b.current, b.end = s.next, s.next, s.next+count
	s.next = b.end
}

// EndBlock ends a block.
func (s *Screen) EndBlock(b *Block) {
	for i, other := range s.blocks {
		if other == b {
			last := len(s.blocks) - 1
			s.blocks[i] = s.blocks[last]
			s.blocks = s.blocks[:last]
		}
	}
	if s.next == b.end { // no block has reserved epochs since
		s.next = b.current + 1
	}
}

// mostReserved is the most epochs that a block reserves.
const mostReserved = 1 << 10

// Barrier orders a block's earlier accesses before its later ones.
func (s *Screen) Barrier(b *Block) {
	if b.current+1 == b.end {
		if s.next == exec.MostEpochs {
			s.renew()
		}
		if s.next == b.end {
			b.end, s.next = b.end+1, s.next+1
		} else {
			s.reserve(b, min(2*(b.end-b.first), mostReserved)) // its earlier writes count as another block's
			b.place(s)
			return
		}
	}
	b.current++
	b.place(s)
}

// place sets the scopes from the epochs.
func (b *Block) place(s *Screen) {
	current := exec.Epoch(b.current)
	b.Shared = exec.Scope{Current: current, First: exec.Epoch(b.began), Launch: exec.Epoch(b.began), Shared: true}
	b.Global = exec.Scope{Current: current, First: exec.Epoch(b.first), Launch: exec.Epoch(s.launch)}
	b.Cells = nil
	if !b.small && len(b.cells) > 0 {
		b.Cells = unsafe.Pointer(&b.cells[0])
	}
}

// renew renumbers the block's epochs, starting with from.
func (b *Block) renew(from uint32, renewed []exec.Cell) {
	for i, c := range b.cells {
		switch n := uint32(c >> exec.EpochShift); {
		case n < b.began:
			b.cells[i] = 0
		case n < b.first || n >= b.end:
			b.cells[i] = c&(1<<exec.EpochShift-1) | exec.Epoch(from)
		default:
			b.cells[i] = c&(1<<exec.EpochShift-1) | renewed[n]<<exec.EpochShift
		}
	}
	b.began, b.first, b.current, b.end = from, from+1, from+2, from+3
}

// Of returns the warp's record for machine code. set has the registers that the warp has set, nil if none are watched.
func (b *Block) Of(warp int, set *exec.LanesSet) *exec.Screening {
	b.Thread, b.Set = exec.Cell(32*warp), set
	return &b.Screening
}

// Access screens an access before it is carried out; false suspects the launch.
func (s *Screen) Access(b *Block, warp int, a *exec.Access) bool {
	if a.Kind > exec.AccessReduction || a.Image != nil {
		return true
	}
	thread := exec.Cell(32 * warp)
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		at := a.Address[lane]
		ok := true
		switch a.Space {
		case isa.SpaceShared:
			ok = touch(&b.Shared, b.cells, b.small, a, at, thread+exec.Cell(lane))
		case isa.SpaceGlobal:
			ok = s.global(b, a, at, thread+exec.Cell(lane))
		}
		if !ok {
			return false
		}
	}
	return true
}

// touch screens the bytes of one lane's access.
func touch(scope *exec.Scope, cells []exec.Cell, small bool, a *exec.Access, at uint64, thread exec.Cell) bool {
	from, count := at/4, (uint64(a.Bytes)+3)/4
	if small {
		from, count = at, uint64(a.Bytes)
	}
	for i := from; i < from+count; i++ {
		cell, ok := scope.Access(a.Kind, cells[i], thread)
		if !ok {
			return false
		}
		cells[i] = cell
	}
	return true
}

// global screens one lane's access to device memory.
func (s *Screen) global(b *Block, a *exec.Access, at uint64, thread exec.Cell) bool {
	r := s.region(at)
	if r == nil {
		return false
	}
	wanted := words
	if a.Bytes < 4 {
		wanted = singly
	}
	switch {
	case r.mode == readOnly && a.Kind == exec.AccessLoad:
		r.read = true
		return s.follow(r, a, at)
	case r.mode == readOnly && !r.read:
		s.keep(r, wanted)
	case r.mode < wanted:
		s.modes[place{s.program, r.From}] = wanted
		s.again = true
		return false
	}
	offset := at - r.From
	if !touch(&b.Global, r.cells, r.mode == singly, a, offset, thread) {
		return false
	}
	if a.Kind != exec.AccessLoad {
		s.save(r, offset)
	}
	return s.follow(r, a, at)
}

// follow checks that what an access reads has been written, and notes what it writes.
func (s *Screen) follow(r *region, a *exec.Access, at uint64) bool {
	if !s.incomplete(r) {
		return true
	}
	if a.Kind != exec.AccessStore && s.written.Missing(at, a.Bytes) != 0 {
		return false
	}
	if a.Kind != exec.AccessLoad {
		s.written.Write(at, a.Bytes)
	}
	r.wrote(at-r.From, a.Bytes)
	return true
}
