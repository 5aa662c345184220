package exec

import (
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// An access computes the places of 32 lanes in a part of memory that is contiguous on the host: registers 0 to 3 hold the places, R15 the
// beginning of the part. A lane that is out of bounds or misaligned leaves the whole operation to the caller, which knows other parts and
// reports faults.

// inHost is the general register with the beginning of the accessed memory.
const inHost = mc.R15

// inEachMemory emits an access's places and what is done with them, given the distance in memory between a lane's words. Lanes whose
// generic addresses are not where the operation's last ones were may all be in local memory.
func (t *translator) inEachMemory(b *Bound, do func(step int)) bool {
	m, elsewhere := b.memory, t.leaveLabel()
	alsoLocal := m.space == isa.SpaceGeneric && !t.screened && !t.observed && !t.saving
	if alsoLocal {
		elsewhere = t.NewLabel()
	}
	if !t.locate(b, elsewhere) {
		return false
	}
	do(step(m.space))
	if alsoLocal {
		end := t.NewLabel()
		t.Jump(end)
		t.Bind(elsewhere)
		t.flat(flatLocal)
		t.places(m, t.leaveLabel(), func() { t.MoveImmediate64(mc.AX, m.offset-isa.LocalWindow) })
		t.interleave(int32(m.bytes))
		do(step(isa.SpaceLocal))
		t.Bind(end)
	}
	return true
}

// locate emits the computation of an access's places, with a jump to a label if a lane is elsewhere.
func (t *translator) locate(b *Bound, elsewhere mc.Label) bool {
	m := b.memory
	if m == nil || b.image != nil || !plainSlot(m.base[0]) || !plainSlot(m.base[1]) {
		return false
	}
	switch m.space {
	case isa.SpaceShared:
		t.flat(flatShared)
	case isa.SpaceConst:
		t.flat(flatConstant)
	case isa.SpaceParam:
		t.flat(flatParameters)
	case isa.SpaceLocal:
		if t.screened {
			return false
		}
		number := flatLocal
		if m.frame {
			number = flatFrame
		}
		t.flat(number)
	case isa.SpaceGlobal, isa.SpaceGeneric:
		if m.narrow {
			return false
		}
		t.reach()
	default:
		return false
	}
	t.places(m, elsewhere, func() {
		t.MoveImmediate64(mc.AX, m.offset)
		if m.device() {
			t.SubtractMemory64(mc.AX, mc.At(mc.CX, t.reachAt()+int(unsafe.Offsetof(Reach{}.From))))
		}
	})
	switch {
	case m.space == isa.SpaceLocal:
		t.interleave(int32(m.bytes))
	case m.device() && !t.screened:
		t.live(elsewhere)
	}
	return true
}

// live emits a jump to a label if a lane's granule may not be accessed.
func (t *translator) live(elsewhere mc.Label) {
	all := t.NewLabel()
	t.Load64(mc.CX, mc.At(mc.CX, t.reachAt()+int(unsafe.Offsetof(Reach{}.Live))))
	t.Test64(mc.CX, mc.CX)
	t.JumpIf(mc.Equal, all)
	for c := range chunks {
		t.gatherMask(c)
		t.RightWords(7, mc.Vector(c), GranuleShift)
		t.Gather(6, mc.CX, 7, 0, 5)
		t.VM(mc.PAND, 6, 6, t.Broadcast(1))
		t.VM(mc.PXOR, 6, 6, t.Broadcast(1))
		t.collect(4, 6, c)
	}
	t.TestVector(4, 4)
	t.JumpIf(mc.NotEqual, elsewhere)
	t.Bind(all)
}

// places emits the comparison of the places with the size in AX. distance puts into AX what the memory's first place is beyond the base.
func (t *translator) places(m *boundMemory, elsewhere mc.Label, distance func()) {
	size := int32(m.bytes)
	low, high := stateAt(unsafe.Offsetof(state.result)), stateAt(unsafe.Offsetof(state.result)+chunkBytes)
	if size < 4 && len(m.result) > 0 { // gatherNarrow reads whole words
		t.ShiftRight64(mc.AX, 2)
		t.ShiftLeft64(mc.AX, 2)
	}
	t.SubtractImmediate64(mc.AX, size)
	t.JumpIf(mc.Negative, elsewhere)
	t.SpreadGeneral(5, mc.AX)
	if !m.narrow {
		distance()
		t.SpreadGeneral(0, mc.AX)
		t.Put(low, 0)
		t.ShiftRight64(mc.AX, 32)
		t.AddImmediate(mc.AX, 1) // because PCMPEQD below subtracts one where there is no carry
		t.SpreadGeneral(0, mc.AX)
		t.Put(high, 0)
	}
	for c := range chunks {
		y := mc.Vector(c)
		t.Get(y, place8(m.base[0], c))
		t.V(mc.PXOR, 7, 7, 7)
		if m.narrow {
			if m.offset != 0 {
				t.VM(mc.PADDD, y, y, t.Broadcast(uint32(m.offset)))
			}
		} else {
			t.VM(mc.PADDD, y, y, low)
			t.VM(mc.PMAXUD, 6, y, low)
			t.V(mc.PCMPEQD, 6, 6, y) // -1 where there is no carry
			if m.base[1] != slotZero {
				t.Get(7, place8(m.base[1], c))
			}
			t.VM(mc.PADDD, 7, 7, high) // with the carry
			t.V(mc.PADDD, 7, 7, 6)     // without it, where there is none
		}
		t.V(mc.PMAXUD, 6, y, 5)
		t.V(mc.PXOR, 6, 6, 5) // nonzero where the place is past the limit
		t.V(mc.POR, 7, 7, 6)
		if size > 1 {
			t.VM(mc.PAND, 6, y, t.Broadcast(uint32(size-1)))
			t.V(mc.POR, 7, 7, 6)
		}
		t.collect(4, 7, c)
	}
	t.TestVector(4, 4)
	t.JumpIf(mc.NotEqual, elsewhere)
}

// device tells whether machine code looks for an access in device memory.
func (m *boundMemory) device() bool { return m.space == isa.SpaceGlobal || m.space == isa.SpaceGeneric }

// mayRepeat tells whether an observe.Recorder may miss an access.
func (m *boundMemory) mayRepeat() bool {
	return m != nil && m.device() && m.order == isa.OrderWeak && (m.kind == AccessLoad || m.kind == AccessStore)
}

// interleave turns offsets in a lane's local memory into places among all lanes' words.
func (t *translator) interleave(size int32) {
	for c := range chunks {
		y := mc.Vector(c)
		if size < 4 {
			t.VM(mc.PAND, 7, y, t.Broadcast(3))
			t.V(mc.PXOR, y, y, 7)
		}
		t.LeftWords(y, y, 5)
		if size < 4 {
			t.V(mc.PADDD, y, y, 7)
		}
		t.VM(mc.PADDD, y, y, stateAt(unsafe.Offsetof(state.laneBytes)+uintptr(chunkBytes*c)))
	}
}

// step returns the distance in a memory between a lane's words.
func step(space isa.Space) int {
	if space == isa.SpaceLocal {
		return 4 * 32
	}
	return 4
}

// collect accumulates the differences of eight active lanes in a register; the first eight initialise it.
func (t *translator) collect(all, differ mc.Vector, c int) {
	if t.isMasked() {
		t.V(mc.PAND, differ, differ, t.mask(c))
	}
	if c == 0 {
		t.Copy(all, differ)
		return
	}
	t.V(mc.POR, all, all, differ)
}

// flat loads the beginning of a flat memory into R15 and its size into AX.
func (t *translator) flat(number int) {
	at := unsafe.Offsetof(state.flat) + uintptr(number)*unsafe.Sizeof(flatMemory{})
	t.Load64(inHost, stateAt(at+unsafe.Offsetof(flatMemory{}.base)))
	t.Load64(mc.AX, stateAt(at+unsafe.Offsetof(flatMemory{}.bytes)))
}

// reach does the same for the part of device memory that the operation touched last.
func (t *translator) reach() {
	t.Load64(mc.CX, stateAt(unsafe.Offsetof(state.reaches)))
	t.Load64(inHost, mc.At(mc.CX, t.reachAt()+int(unsafe.Offsetof(Reach{}.Host))))
	t.Load64(mc.AX, mc.At(mc.CX, t.reachAt()+int(unsafe.Offsetof(Reach{}.Bytes))))
}

func (t *translator) reachAt() int {
	return int(t.native.accessOf[t.op]) * int(unsafe.Sizeof(Reach{}))
}

// loads emits ld.
func loads(t *translator, b *Bound, _ *isa.Instruction) bool {
	m := b.memory
	size := m.t.Bytes()
	for _, d := range m.result {
		if size != 8 && d[1] != slotSink {
			return false
		}
	}
	watch, watched, ok := t.watched(b)
	if !ok {
		return false
	}
	if size < 4 {
		return len(m.result) == 1 && t.inEachMemory(b, func(int) {
			if watched {
				watch.lanes()
			}
			t.gatherNarrow(m)
		})
	}
	var targets []slot
	for _, d := range m.result {
		targets = append(targets, d[:size/4]...)
	}
	general := t.NewLabel()
	end := t.loadsNear(b, targets, general)
	t.Bind(general)
	if !t.inEachMemory(b, func(step int) {
		if watched {
			watch.lanes()
		}
		for n, d := range targets {
			for c := range chunks {
				t.gatherMask(c)
				t.Gather(6, inHost, mc.Vector(c), step*n, 5)
				t.write(d, c, 6)
			}
		}
	}) {
		return false
	}
	t.Bind(end)
	return true
}

// gatherMask loads the mask of a gather into register 5; the gather clears it.
func (t *translator) gatherMask(c int) {
	if t.isMasked() {
		t.Copy(5, t.mask(c))
		return
	}
	t.V(mc.PCMPEQD, 5, 5, 5)
}

// gatherNarrow loads values of 8 or 16 bits: it gathers aligned words and shifts them.
func (t *translator) gatherNarrow(m *boundMemory) {
	for c := range chunks {
		t.gatherMask(c)
		t.VM(mc.PAND, 7, mc.Vector(c), t.Broadcast(^uint32(3)))
		t.Gather(6, inHost, 7, 0, 5)
		t.VM(mc.PAND, 7, mc.Vector(c), t.Broadcast(3))
		t.LeftWords(7, 7, 3)
		t.V(mc.PSRLVD, 6, 6, 7)
		above := byte(32 - 8*m.t.Bytes())
		t.LeftWords(6, 6, above)
		if m.t.Signed() {
			t.SignWords(6, 6, above)
		} else {
			t.RightWords(6, 6, above)
		}
		t.write(m.result[0][0], c, 6)
	}
}

// eachLane emits a loop over the operation's lanes in order: CX is the lane, AX the host address of its place. It clobbers DX and R10.
func (t *translator) eachLane(body func()) {
	for c := range chunks {
		t.Put(stateAt(unsafe.Offsetof(state.address)+uintptr(chunkBytes*c)), mc.Vector(c))
	}
	t.Move(mc.DX, t.lanes())
	again := t.NewLabel()
	t.Bind(again)
	t.TrailingZeros(mc.CX, mc.DX)
	t.Load(mc.AX, mc.Indexed(inState, mc.CX, 4, int(unsafe.Offsetof(state.address))))
	t.Address(mc.AX, mc.Indexed(inHost, mc.AX, 1, 0))
	body()
	t.ClearLowest(mc.DX, mc.DX)
	t.JumpIf(mc.NotEqual, again)
}

// lane returns the operand for lane CX of a register or constant.
func lane(s slot) mc.Memory {
	m := place8(s, 0)
	return mc.Indexed(m.Base, mc.CX, 4, int(m.Offset))
}

// stores emits st.
func stores(t *translator, b *Bound, _ *isa.Instruction) bool {
	m := b.memory
	size := m.t.Bytes()
	var values []slot
	for _, v := range m.value {
		if !plainSlot(v[0]) || size == 8 && !plainSlot(v[1]) {
			return false
		}
		values = append(values, v[:max(1, size/4)]...)
	}
	watch, watched, ok := t.watched(b)
	if size < 4 && len(values) > 1 || !ok {
		return false
	}
	general, end := t.NewLabel(), t.NewLabel()
	if size >= 4 {
		end = t.storesNear(b, values, general)
	}
	t.Bind(general)
	if !t.inEachMemory(b, func(step int) {
		if watched {
			watch.lanes()
		}
		t.eachLane(func() {
			for n, v := range values {
				t.Load(mc.R10, lane(v))
				switch size {
				case 1:
					t.Store8(mc.At(mc.AX, 0), mc.R10)
				case 2:
					t.Store16(mc.At(mc.AX, 0), mc.R10)
				default:
					t.Store(mc.At(mc.AX, step*n), mc.R10)
				}
			}
		})
	}) {
		return false
	}
	t.Bind(end)
	return true
}

// adds emits red.add and atom.add of 32-bit integers.
func adds(t *translator, b *Bound, _ *isa.Instruction) bool {
	m := b.memory
	if m.operation != isa.AtomicAdd || m.t != isa.U32 && m.t != isa.S32 || len(m.value) != 1 || !plainSlot(m.value[0][0]) {
		return false
	}
	watch, watched, ok := t.watched(b)
	if len(m.result) > 0 && m.result[0][1] != slotSink || !ok || !t.locate(b, t.leaveLabel()) {
		return false
	}
	if watched {
		watch.lanes()
	}
	t.eachLane(func() {
		t.Load(mc.R10, lane(m.value[0][0]))
		if len(m.result) == 0 {
			t.AddTo(mc.At(mc.AX, 0), mc.R10)
			return
		}
		t.ExchangeAdd(mc.At(mc.AX, 0), mc.R10)
		t.Store(mc.Indexed(inState, mc.CX, 4, int(unsafe.Offsetof(state.result))), mc.R10)
	})
	if len(m.result) > 0 {
		for c := range chunks {
			t.Get(6, stateAt(unsafe.Offsetof(state.result)+uintptr(chunkBytes*c)))
			t.write(m.result[0][0], c, 6)
		}
	}
	return true
}
