package exec

import (
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// Screening is the context for screening a warp's accesses; see Cell.
type Screening struct {
	// Cells are the cells of the block's shared memory, one per word; nil if they are elsewhere, and the caller screens.
	Cells unsafe.Pointer
	// Shared and Global are the block's scopes for shared memory and device memory.
	Shared, Global Scope
	// Set are the registers that the warp has set; nil if none is watched.
	Set *LanesSet
	// Thread is the block-wide number of the warp's first lane.
	Thread Cell
}

// screenState is the state that screening code uses.
type screenState struct {
	context Screening
	scopes  [2]screenScope // for shared memory and device memory
	guard   uint32         // saved mask of a guarded operation
}

// screenScope is a Scope with derived values: replicated eight times or by lane, for rows.
type screenScope struct {
	several, uncheckedFrom, uncheckedBelow [8]uint32 // a cell from one up to another needs no check: the lane's own replaces it
	ownRead, ownWrite                      isa.Lanes32
	current, first, launch, next           uint32
	changed, othersHaveRead                uint32
}

// Screen makes machine code screen accesses from now on; nil turns screening off.
func (s *NativeState) Screen(by *Screening) {
	if s.screened = by != nil; !s.screened || s.screen.context == *by {
		return
	}
	s.screen.context = *by
	s.screen.scopes[0].set(&by.Shared, by.Thread)
	s.screen.scopes[1].set(&by.Global, by.Thread)
}

func (s *screenScope) set(from *Scope, thread Cell) {
	s.current, s.first, s.launch = uint32(from.Current), uint32(from.First), uint32(from.Launch)
	s.next = uint32(from.next())
	s.changed, s.othersHaveRead = uint32(from.Current|cellAtomic), uint32(from.Current|othersRead)
	low, high := uint32(0), s.launch
	if from.Shared {
		low, high = s.launch, s.current
	}
	for i := range s.several {
		s.several[i], s.uncheckedFrom[i], s.uncheckedBelow[i] = uint32(from.Current|cellSeveral), low, high
	}
	read, write := uint32(from.Current|thread), uint32(from.written(thread))
	for lane := range s.ownRead {
		s.ownRead[lane], s.ownWrite[lane] = read+uint32(lane), write+uint32(lane)
	}
}

// MemberMask returns the index of the source that is a warp-wide instruction's member mask, -1 if there is none.
func MemberMask(i *isa.Instruction) int {
	switch i.Op {
	case isa.OpBar:
		if i.Mod.Select == isa.BarWarp && len(i.Src) > 0 {
			return 0
		}
	case isa.OpShfl:
		if len(i.Src) > 3 {
			return 3
		}
	case isa.OpVote, isa.OpMatch:
		if len(i.Src) > 1 {
			return 1
		}
	}
	return -1
}

// needsMaskCheck reports an operation whose member mask the caller must check: it is not constant, or does not name all lanes, or some are
// inactive.
func (t *translator) needsMaskCheck(op *isa.MachineOp) bool {
	if !t.screened || op.Effect == nil {
		return false
	}
	n := MemberMask(op.Effect)
	if n < 0 {
		return false
	}
	o := &op.Effect.Src[n]
	return t.isMasked() || o.Kind != isa.OperandImmediate || uint32(o.Immediate) != isa.FullMask
}

// setRegisters emits Unset.Use for an operation that uses nothing unset; otherwise the operation is left to the caller.
func (t *translator) setRegisters(m *isa.MachineOp) {
	t.Load64(mc.CX, stateAt(unsafe.Offsetof(state.screen)+unsafe.Offsetof(state.screen.context)+unsafe.Offsetof(state.screen.context.Set)))
	eachRead(m, func(n int) {
		if t.unset.suspects.has(n) {
			t.Load(mc.AX, mc.At(mc.CX, 4*n))
			t.Not(mc.AX)
			t.And(mc.AX, t.lanes())
			t.JumpIf(mc.NotEqual, t.leaveLabel())
		}
	})
	eachWritten(m, func(n int) {
		if t.unset.suspects.has(n) {
			t.OrTo(mc.At(mc.CX, 4*n), t.lanes())
		}
	})
}

// screening emits the screening of one operation's accesses.
type screening struct {
	*translator
	kind   AccessKind
	shared bool
	words  int
}

// watched reports whether an access must be screened. ok is false if it must be and the code cannot do it: then the operation is left to
// the caller.
func (t *translator) watched(b *Bound) (s screening, watched, ok bool) {
	m := b.memory
	s = screening{t, m.kind, m.space == isa.SpaceShared, int(m.bytes) / 4}
	switch {
	case t.screened && (s.shared || m.device()):
		return s, true, s.words > 0 || !s.shared && m.kind == AccessLoad
	case t.saving && m.device():
		s.words = 0 // only pages count
		return s, m.kind != AccessLoad, true
	}
	return s, t.observed && m.device(), true
}

// at returns the operand for a field of the scope.
func (s *screening) at(offset uintptr) mc.Memory {
	base := unsafe.Offsetof(state.screen) + unsafe.Offsetof(state.screen.scopes)
	if !s.shared {
		base += unsafe.Sizeof(screenScope{})
	}
	return stateAt(base + offset)
}

// row8 returns the operand for eight words of a field of the scope.
func (s *screening) row8(offset uintptr, c int) mc.Memory {
	return s.at(offset + uintptr(c*chunkBytes))
}

// lane returns the operand for lane CX of a field of the scope.
func (s *screening) lane(offset uintptr) mc.Memory {
	m := s.at(offset)
	return mc.Indexed(m.Base, mc.CX, 4, int(m.Offset))
}

var scope screenScope // for its layout

// cells loads the address of the first cell, and jumps to a label if a read needs no screening: no one writes there. Code that
// saves has no cells.
func (s *screening) cells(d mc.General, free mc.Label) {
	if s.saving {
		return
	}
	if s.shared {
		context := unsafe.Offsetof(state.screen) + unsafe.Offsetof(state.screen.context)
		s.Load64(d, stateAt(context+unsafe.Offsetof(state.screen.context.Cells)))
		s.Test64(d, d)
		s.JumpIf(mc.Equal, s.leaveLabel())
		return
	}
	s.Load64(d, stateAt(unsafe.Offsetof(state.reaches)))
	s.Load64(d, mc.At(d, s.reachAt()+int(unsafe.Offsetof(Reach{}.Cells))))
	s.Test64(d, d)
	if s.kind == AccessLoad {
		s.JumpIf(mc.Equal, free)
	} else {
		s.JumpIf(mc.Equal, s.leaveLabel())
	}
}

// pages loads the address of the pages' bytes.
func (s *screening) pages(d mc.General) {
	s.Load64(d, stateAt(unsafe.Offsetof(state.reaches)))
	s.Load64(d, mc.At(d, s.reachAt()+int(unsafe.Offsetof(Reach{}.Pages))))
}

// writable leaves the operation unless the page of the place in BX may be written. SI has the address of the pages' bytes.
func (s *screening) writable() {
	s.ShiftRight64(mc.BX, PageShift)
	s.CompareByte(mc.Indexed(mc.SI, mc.BX, 1, 0), 0)
	s.JumpIf(mc.Equal, s.leaveLabel())
}

// row screens adjacent words, the first at the place in AX, if every lane's own cell can replace the word's. Otherwise it changes nothing
// and jumps to a label. It clobbers vector registers 4 to 7.
func (s *screening) row(otherwise mc.Label) {
	free := s.NewLabel()
	s.written(func() {
		s.ShiftRight64(mc.AX, 2)
		s.Get(6, mc.Indexed(mc.CX, mc.AX, 1, 0))
		s.ShiftLeft64(mc.AX, 2)
		s.MaskBytes(mc.CX, 6)
		s.Not(mc.CX)
		s.And(mc.CX, s.translator.lanes())
	})
	s.cells(mc.CX, free)
	if s.observed {
		s.repeated()
		s.Bind(free)
		return
	}
	if !s.shared && s.kind != AccessLoad {
		s.pages(mc.SI)
		for _, at := range []int32{0, laneBytes - 4} {
			s.Address(mc.BX, mc.At(mc.AX, int(at)))
			// The first and the last lane may be inactive and out of bounds: there are bytes for the pages before and behind, too.
			s.AddImmediate64(mc.BX, 1<<PageShift)
			s.ShiftRight64(mc.BX, PageShift)
			s.CompareByte(mc.Indexed(mc.SI, mc.BX, 1, -1), 0)
			s.JumpIf(mc.Equal, s.leaveLabel())
		}
		s.reload()
	}
	if s.saving {
		return
	}
	own := unsafe.Offsetof(scope.ownRead)
	if s.kind == AccessLoad {
		s.eachRow(func(c int) {
			s.VM(mc.PXOR, 7, 6, s.row8(unsafe.Offsetof(scope.several), 0))
		})
		s.JumpIf(mc.Equal, free)
		s.eachRow(func(c int) {
			s.VM(mc.PMAXUD, 7, 6, s.row8(unsafe.Offsetof(scope.uncheckedBelow), 0))
			s.V(mc.PCMPEQD, 7, 7, 6)
			s.VM(mc.PMAXUD, 5, 6, s.row8(unsafe.Offsetof(scope.uncheckedFrom), 0))
			s.V(mc.PXOR, 5, 5, 6)
			s.V(mc.POR, 7, 7, 5)
		})
	} else {
		own = unsafe.Offsetof(scope.ownWrite)
		s.eachRow(func(c int) {
			s.VM(mc.PMAXUD, 7, 6, s.row8(unsafe.Offsetof(scope.uncheckedBelow), 0))
			s.V(mc.PCMPEQD, 7, 7, 6)
			s.VM(mc.PCMPEQD, 5, 6, s.row8(unsafe.Offsetof(scope.ownRead), c))
			s.V(mc.PANDN, 7, 5, 7)
			s.VM(mc.PCMPEQD, 5, 6, s.row8(own, c))
			s.V(mc.PANDN, 7, 5, 7)
		})
	}
	s.JumpIf(mc.NotEqual, otherwise)
	for c := range chunks {
		s.Get(6, s.row8(own, c))
		m := mc.Indexed(mc.CX, mc.AX, 1, c*chunkBytes)
		if s.isMasked() {
			s.PutMasked(m, s.mask(c), 6)
		} else {
			s.Put(m, 6)
		}
	}
	s.Bind(free)
}

// onePlace jumps to a label unless a load by all lanes from the place in DX needs no screening.
func (s *screening) onePlace(otherwise mc.Label) {
	s.written(func() {
		s.Move64(mc.AX, mc.DX)
		s.ShiftRight64(mc.AX, 2)
		s.CompareByte(mc.Indexed(mc.CX, mc.AX, 1, 0), WordSet)
	})
	free := s.NewLabel()
	s.cells(mc.CX, free)
	s.Jump(otherwise)
	s.Bind(free)
}

// written leaves the operation unless all lanes' words of device memory have been written. test gets the address of Reach.Set in CX, and
// sets the condition Equal if they have.
func (s *screening) written(test func()) {
	if s.shared || !s.screened {
		return
	}
	all := s.NewLabel()
	s.Load64(mc.CX, stateAt(unsafe.Offsetof(state.reaches)))
	s.Load64(mc.CX, mc.At(mc.CX, s.reachAt()+int(unsafe.Offsetof(Reach{}.Set))))
	s.Test64(mc.CX, mc.CX)
	s.JumpIf(mc.Equal, all)
	test()
	s.JumpIf(mc.NotEqual, s.leaveLabel())
	s.Bind(all)
}

// repeated leaves the operation unless it is of a row of words, the first at the place in AX, on which an observer would record nothing
// new; see observe.Recorder.
func (s *screening) repeated() {
	if s.isMasked() || s.words != 1 {
		s.Jump(s.leaveLabel())
		return
	}
	var lists PageRecords[uint64] // for its layout
	empty := []uintptr{unsafe.Offsetof(lists.Strong), unsafe.Offsetof(lists.Strong2)}
	if s.kind == AccessStore {
		empty = append(empty, unsafe.Offsetof(lists.Reads), unsafe.Offsetof(lists.Reads2))
	}
	s.Load64(mc.DX, stateAt(unsafe.Offsetof(state.reaches)))
	s.Load64(mc.DX, mc.At(mc.DX, s.reachAt()+int(unsafe.Offsetof(Reach{}.From))))
	s.Address(mc.DX, mc.Indexed(mc.DX, mc.AX, 1, 0))
	s.AndImmediate(mc.DX, 1<<PageShift-1)
	s.ShiftLeft64(mc.DX, 1) // a record is twice as large as a word
	s.Load64(mc.BX, mc.At(mc.CX, int(unsafe.Offsetof(lists.Writes))))
	s.Test64(mc.BX, mc.BX)
	s.JumpIf(mc.Equal, s.leaveLabel())
	s.Load64(mc.SI, stateAt(unsafe.Offsetof(state.Own)))
	s.records(func(at int) {
		s.Get(6, mc.Indexed(mc.BX, mc.DX, 1, at))
		s.VM(mc.PXOR, 6, 6, mc.At(mc.SI, at))
	})
	s.Right64(7, 7, RecordSiteBits)
	s.TestVector(7, 7)
	s.JumpIf(mc.NotEqual, s.leaveLabel())
	for _, list := range empty {
		none := s.NewLabel()
		s.Load64(mc.BX, mc.At(mc.CX, int(list)))
		s.Test64(mc.BX, mc.BX)
		s.JumpIf(mc.Equal, none)
		s.records(func(at int) { s.Get(6, mc.Indexed(mc.BX, mc.DX, 1, at)) })
		s.TestVector(7, 7)
		s.JumpIf(mc.NotEqual, s.leaveLabel())
		s.Bind(none)
	}
	s.reload()
}

// records collects in register 7 the bits of a row's records, which take loads into register 6 at an offset.
func (s *screening) records(take func(at int)) {
	s.V(mc.PXOR, 7, 7, 7)
	for at := 0; at < int(unsafe.Sizeof(OwnRecords{})); at += chunkBytes {
		take(at)
		s.V(mc.POR, 7, 7, 6)
	}
}

// eachRow tests each eight cells of a row, in register 6: test leaves bits in register 7 that forbid to replace them. Afterwards the
// condition Equal holds if there are none.
func (s *screening) eachRow(test func(c int)) {
	for c := range chunks {
		m := mc.Indexed(mc.CX, mc.AX, 1, c*chunkBytes)
		if s.isMasked() {
			s.GetMasked(6, s.mask(c), m)
		} else {
			s.Get(6, m)
		}
		test(c)
		s.collect(4, 7, c)
	}
	s.TestVector(4, 4)
}

// reload restores the registers that screening uses for itself.
func (s *screening) reload() {
	s.Load64(inConstants, stateAt(unsafe.Offsetof(state.constants)))
	s.Load64(inRegisters, stateAt(unsafe.Offsetof(state.registers)))
}

// lanes screens each lane's words in turn; the places are in registers 0 to 3. It clobbers AX, CX and DX.
func (s *screening) lanes() {
	free := s.NewLabel()
	s.written(func() {
		all := s.Broadcast(uint32(WordSet * 0x01010101 >> (32 - 8*max(1, s.words))))
		for c := range chunks {
			s.gatherMask(c)
			s.RightWords(7, mc.Vector(c), 2)
			s.Gather(6, mc.CX, 7, 0, 5)
			s.VM(mc.PAND, 6, 6, all)
			s.VM(mc.PXOR, 6, 6, all)
			s.collect(4, 6, c)
		}
		s.TestVector(4, 4)
	})
	guard := stateAt(unsafe.Offsetof(state.screen) + unsafe.Offsetof(state.screen.guard))
	s.cells(mc.CX, free)
	if s.observed || s.words == 0 && !s.saving { // bytes where no one writes; others are left to the caller
		s.Jump(s.leaveLabel())
		s.Bind(free)
		return
	}
	if s.guarded {
		s.Store(guard, inMask)
	}
	for c := range chunks {
		s.Put(stateAt(unsafe.Offsetof(state.address)+uintptr(chunkBytes*c)), mc.Vector(c))
	}
	s.Move(mc.DX, s.translator.lanes())
	s.Address(inHost, mc.At(mc.CX, 0))
	if !s.shared && s.kind != AccessLoad {
		s.pages(mc.SI)
	}
	again := s.NewLabel()
	s.Bind(again)
	s.TrailingZeros(mc.CX, mc.DX)
	s.Load(mc.AX, mc.Indexed(inState, mc.CX, 4, int(unsafe.Offsetof(state.address))))
	if !s.shared && s.kind != AccessLoad {
		s.Move(mc.BX, mc.AX)
		s.writable()
	}
	for word := range s.words {
		s.word(mc.Indexed(inHost, mc.AX, 1, 4*word))
	}
	s.ClearLowest(mc.DX, mc.DX)
	s.JumpIf(mc.NotEqual, again)
	s.reload()
	if s.guarded {
		s.Load(inMask, guard)
	}
	if s.shared {
		s.Load64(inHost, stateAt(unsafe.Offsetof(state.flat)+flatShared*unsafe.Sizeof(flatMemory{})+unsafe.Offsetof(flatMemory{}.base)))
	} else {
		s.Load64(mc.CX, stateAt(unsafe.Offsetof(state.reaches)))
		s.Load64(inHost, mc.At(mc.CX, s.reachAt()+int(unsafe.Offsetof(Reach{}.Host))))
	}
	s.Bind(free)
}

// word screens one word: R10 is its cell, BX its new value. See Scope.
func (s *screening) word(cell mc.Memory) {
	done, put := s.NewLabel(), s.NewLabel()
	s.Load(mc.R10, cell)
	switch {
	case s.kind == AccessLoad && s.shared:
		s.readShared(done, put)
	case s.kind == AccessLoad:
		s.readGlobal(done, put)
	case s.kind == AccessStore:
		s.write(done, put)
	default:
		s.change(done, put)
	}
	s.Bind(put)
	s.Store(cell, mc.BX)
	s.Bind(done)
}

// compareCell compares the cell with a field of the scope, and jumps on a condition.
func (s *screening) compareCell(c mc.Condition, field mc.Memory, to mc.Label) {
	s.CompareWith(mc.R10, field)
	s.JumpIf(c, to)
}

// testCell tests bits of the cell, and jumps on NotEqual if one is set, on Equal if none is.
func (s *screening) testCell(bits Cell, c mc.Condition, to mc.Label) {
	s.TestImmediate(mc.R10, uint32(bits))
	s.JumpIf(c, to)
}

// testToucher tests whether the current lane touched the word last, by the lane's cell of this epoch in BX, and jumps on a condition.
func (s *screening) testToucher(c mc.Condition, to mc.Label) {
	s.Xor(mc.BX, mc.R10)
	s.TestImmediate(mc.BX, uint32(cellToucher))
	s.JumpIf(c, to)
}

func (s *screening) known(done mc.Label) {
	s.compareCell(mc.Equal, s.at(unsafe.Offsetof(scope.several)), done)
	s.compareCell(mc.Equal, s.lane(unsafe.Offsetof(scope.ownRead)), done)
}

func (s *screening) readShared(done, put mc.Label) {
	s.known(done)
	s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.launch)), s.leaveLabel())
	s.Load(mc.BX, s.lane(unsafe.Offsetof(scope.ownRead)))
	s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.current)), put)
	s.testToucher(mc.Equal, done)
	s.testCell(cellWritten, mc.NotEqual, s.leaveLabel())
	s.Load(mc.BX, s.at(unsafe.Offsetof(scope.several)))
}

func (s *screening) readGlobal(done, put mc.Label) {
	others, mine, alone, keep := s.NewLabel(), s.NewLabel(), s.NewLabel(), s.NewLabel()
	s.known(done)
	s.Load(mc.BX, s.lane(unsafe.Offsetof(scope.ownRead)))
	s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.launch)), put)
	s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.first)), others)
	s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.next)), mine)
	s.Bind(others)
	s.testCell(cellWritten|cellBlock, mc.NotEqual, s.leaveLabel())
	s.Load(mc.BX, s.at(unsafe.Offsetof(scope.othersHaveRead)))
	s.Jump(put)
	s.Bind(mine)
	s.testCell(cellSeveral, mc.Equal, alone)
	s.testCell(cellWritten, mc.NotEqual, s.leaveLabel())
	s.testCell(othersRead&^cellSeveral, mc.NotEqual, done)
	s.compareCell(mc.NotBelow, s.at(unsafe.Offsetof(scope.current)), done)
	s.Jump(keep)
	s.Bind(alone)
	s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.current)), keep)
	s.testToucher(mc.Equal, done)
	s.testCell(cellWritten, mc.NotEqual, s.leaveLabel())
	s.Load(mc.BX, s.at(unsafe.Offsetof(scope.several)))
	s.Bind(keep)
	s.AndImmediate(mc.R10, uint32(cellBlock))
	s.Or(mc.BX, mc.R10)
}

func (s *screening) write(done, put mc.Label) {
	same := s.NewLabel()
	s.compareCell(mc.Equal, s.lane(unsafe.Offsetof(scope.ownWrite)), done)
	s.Load(mc.BX, s.lane(unsafe.Offsetof(scope.ownWrite)))
	if s.shared {
		s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.current)), put)
	} else {
		s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.launch)), put)
		s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.first)), s.leaveLabel())
		s.compareCell(mc.NotBelow, s.at(unsafe.Offsetof(scope.next)), s.leaveLabel())
		s.compareCell(mc.NotBelow, s.at(unsafe.Offsetof(scope.current)), same)
		s.testCell(cellSeveral, mc.Equal, put)
		s.testCell(cellWritten|othersRead&^cellSeveral, mc.Equal, put)
		s.Jump(s.leaveLabel())
	}
	s.Bind(same)
	s.testToucher(mc.NotEqual, s.leaveLabel())
	s.Load(mc.BX, s.lane(unsafe.Offsetof(scope.ownWrite)))
}

func (s *screening) change(done, put mc.Label) {
	s.compareCell(mc.Equal, s.at(unsafe.Offsetof(scope.changed)), done)
	s.Load(mc.BX, s.at(unsafe.Offsetof(scope.changed)))
	if s.shared {
		s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.launch)), s.leaveLabel())
		s.compareCell(mc.NotBelow, s.at(unsafe.Offsetof(scope.current)), s.leaveLabel())
		return
	}
	s.compareCell(mc.Below, s.at(unsafe.Offsetof(scope.launch)), put)
	s.AndImmediate(mc.R10, uint32(cellAtomic|cellBlock))
	s.CompareImmediate(mc.R10, uint32(cellAtomic))
	s.JumpIf(mc.NotEqual, s.leaveLabel())
	s.Jump(done)
}

// Reported reports an operation that an observe.Sparse observer hears of: it accesses memory other than parameters, or it orders threads
// or exchanges values between them.
func Reported(op *isa.MachineOp) bool {
	e := op.Effect
	switch {
	case op.Class == isa.ClassFence:
		return true
	case e == nil:
		return false
	case e.Memory != nil:
		return e.Memory.Space != isa.SpaceParam
	}
	return MemberMask(e) >= 0
}
