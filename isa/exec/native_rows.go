package exec

import (
	"math/bits"
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// In most accesses the lanes' words form a row, or all lanes access one place. Comparisons with the first lane find both cases, and one
// bounds check suffices. Other accesses, and rows near the memory's ends, take the general path of locate.

// rowAccess is an access that is tested for a row or one place.
type rowAccess struct {
	t       *translator
	m       *boundMemory
	general mc.Label // the path for other accesses
}

// newRowAccess prepares the test of an access; ok is false if only locate supports the form of its address.
func (t *translator) newRowAccess(b *Bound, general mc.Label) (n rowAccess, ok bool) {
	m := b.memory
	n = rowAccess{t, m, general}
	if m == nil || b.image != nil || m.frame || !plainSlot(m.base[0]) || !plainSlot(m.base[1]) {
		return n, false
	}
	if offset := int64(m.offset); !m.narrow && offset != int64(int32(offset)) {
		return n, false
	}
	switch m.space {
	case isa.SpaceShared, isa.SpaceConst, isa.SpaceParam:
	case isa.SpaceGlobal, isa.SpaceGeneric:
		if m.narrow {
			return n, false
		}
	default:
		return n, false
	}
	return n, m.narrow || m.base[1] != slotZero
}

// row jumps to a label unless the lanes' places are consecutive. It leaves the place of lane 0 in AX; the whole row is in the memory that
// begins at R15. For onePlace it leaves the first active lane's address in DX, its low word in register 3, and in register 4 whether high
// words differ.
func (n *rowAccess) row(otherwise mc.Label) {
	t, m := n.t, n.m
	low, high := place8(m.base[0], 0), place8(m.base[1], 0)
	if t.isMasked() {
		t.TrailingZeros(mc.CX, t.lanes())
		low, high = lane(m.base[0]), lane(m.base[1])
	}
	t.Load(mc.AX, low)
	t.SpreadGeneral(3, mc.AX)
	if !m.narrow {
		t.Load(mc.DX, high)
		t.SpreadGeneral(5, mc.DX)
		t.ShiftLeft64(mc.DX, 32)
		t.Or64(mc.AX, mc.DX)
	}
	t.Move64(mc.DX, mc.AX)
	first := mc.Vector(3) // low word of lane 0
	if t.isMasked() {
		t.ShiftLeft(mc.CX, byte(bits.TrailingZeros8(m.bytes)))
		t.Subtract64(mc.AX, mc.CX)
		first = 6
		t.SpreadGeneral(first, mc.AX)
	}
	for c := range chunks {
		t.VM(mc.PADDD, 7, first, t.laneNumbers(c, uint32(m.bytes)))
		t.VM(mc.PXOR, 7, 7, place8(m.base[0], c))
		t.collect(1, 7, c)
		if !m.narrow {
			t.VM(mc.PXOR, 7, 5, place8(m.base[1], c))
			t.collect(4, 7, c)
		}
	}
	n.jumpIfDifferent(1, otherwise)
	if !m.narrow { // words are compared separately: the low word must not carry within the row
		t.Move(mc.CX, mc.AX)
		t.AddImmediate(mc.CX, 31*int32(m.bytes))
		t.JumpIf(mc.Below, n.general) // it carries
	}
	n.inside(mc.AX, 32*int32(m.bytes))
}

// onePlace jumps to the general path unless all lanes access one place, and leaves the place in DX. It must follow row.
func (n *rowAccess) onePlace() {
	t, m := n.t, n.m
	for c := range chunks {
		t.VM(mc.PXOR, 7, 3, place8(m.base[0], c))
		t.collect(1, 7, c)
	}
	n.jumpIfDifferent(1, n.general)
	n.inside(mc.DX, int32(m.bytes))
}

// jumpIfDifferent jumps to a label if a difference was found, in high words too.
func (n *rowAccess) jumpIfDifferent(all mc.Vector, otherwise mc.Label) {
	if !n.m.narrow {
		n.t.V(mc.POR, all, all, 4)
	}
	n.t.TestVector(all, all)
	n.t.JumpIf(mc.NotEqual, otherwise)
}

// inside turns an address, without the access's offset, into a place in the memory. It jumps to the general path unless the place is
// aligned and that many bytes from it are in bounds. It clobbers CX.
func (n *rowAccess) inside(address mc.General, bytes int32) {
	t, m := n.t, n.m
	if m.narrow {
		t.AddImmediate(address, int32(uint32(m.offset)))
	} else {
		t.AddImmediate64(address, int32(m.offset))
	}
	switch m.space {
	case isa.SpaceGlobal, isa.SpaceGeneric:
		at := t.reachAt()
		t.Load64(mc.CX, stateAt(unsafe.Offsetof(state.reaches)))
		t.SubtractMemory64(address, mc.At(mc.CX, at+int(unsafe.Offsetof(Reach{}.From))))
		t.Load64(inHost, mc.At(mc.CX, at+int(unsafe.Offsetof(Reach{}.Host))))
		t.Load64(mc.CX, mc.At(mc.CX, at+int(unsafe.Offsetof(Reach{}.Bytes))))
	default:
		number := map[isa.Space]int{isa.SpaceShared: flatShared, isa.SpaceConst: flatConstant, isa.SpaceParam: flatParameters}[m.space]
		at := unsafe.Offsetof(state.flat) + uintptr(number)*unsafe.Sizeof(flatMemory{})
		t.Load64(inHost, stateAt(at+unsafe.Offsetof(flatMemory{}.base)))
		t.Load64(mc.CX, stateAt(at+unsafe.Offsetof(flatMemory{}.bytes)))
	}
	t.SubtractImmediate64(mc.CX, bytes)
	t.JumpIf(mc.Negative, n.general)
	t.CompareWide(mc.CX, address)
	t.JumpIf(mc.Below, n.general)
	if m.bytes > 1 {
		t.MoveImmediate(mc.CX, uint32(m.bytes)-1)
		t.Test(address, mc.CX)
		t.JumpIf(mc.NotEqual, n.general)
	}
	if m.device() && !t.screened {
		n.live(address, bytes)
	}
}

// live jumps to the general path unless all granules of the memory may be accessed, or the one of an access of one place.
func (n *rowAccess) live(address mc.General, bytes int32) {
	t, all := n.t, n.t.NewLabel()
	t.Load64(mc.CX, stateAt(unsafe.Offsetof(state.reaches)))
	t.Load64(mc.CX, mc.At(mc.CX, t.reachAt()+int(unsafe.Offsetof(Reach{}.Live))))
	t.Test64(mc.CX, mc.CX)
	if bytes > int32(n.m.bytes) {
		t.JumpIf(mc.NotEqual, n.general)
		return
	}
	t.JumpIf(mc.Equal, all)
	t.Move64(mc.R10, address)
	t.ShiftRight64(mc.R10, GranuleShift)
	t.CompareByte(mc.Indexed(mc.CX, mc.R10, 1, 0), 1)
	t.JumpIf(mc.NotEqual, n.general)
	t.Bind(all)
}

// loadsNear emits loads of a row and of one place, for whole words. It returns the label where the general path must end.
func (t *translator) loadsNear(b *Bound, targets []slot, general mc.Label) (end mc.Label) {
	end = t.NewLabel()
	n, ok := t.newRowAccess(b, general)
	watch, watched, _ := t.watched(b)
	if !ok || watched && len(targets) > 1 {
		return end
	}
	one := t.NewLabel()
	if n.row(one); watched { // only rows of single words are screened as a whole
		watch.row(general)
	}
	switch len(targets) {
	case 1:
		for c := range chunks {
			t.Get(6, mc.Indexed(inHost, mc.AX, 1, c*chunkBytes))
			t.write(targets[0], c, 6)
		}
	case 2:
		for c := range chunks {
			t.Get(0, mc.Indexed(inHost, mc.AX, 1, 2*c*chunkBytes))
			t.Get(1, mc.Indexed(inHost, mc.AX, 1, (2*c+1)*chunkBytes))
			t.Shuffle(2, 0, 1, 0x88)
			t.Shuffle(3, 0, 1, 0xdd)
			t.PermuteWide(2, 2, 0xd8)
			t.PermuteWide(3, 3, 0xd8)
			t.write(targets[0], c, 2)
			t.write(targets[1], c, 3)
		}
	default:
		t.Jump(general)
	}
	t.Jump(end)
	t.Bind(one)
	if n.onePlace(); watched {
		watch.onePlace(general)
	}
	for k, target := range targets {
		t.Spread(6, mc.Indexed(inHost, mc.DX, 1, 4*k))
		for c := range chunks {
			t.write(target, c, 6)
		}
	}
	t.Jump(end)
	return end
}

// storesNear emits stores of a row with one or two words per lane. It returns the label where the general path must end.
func (t *translator) storesNear(b *Bound, values []slot, general mc.Label) (end mc.Label) {
	end = t.NewLabel()
	n, ok := t.newRowAccess(b, general)
	watch, watched, _ := t.watched(b)
	if !ok || len(values) > 2 || watched && len(values) > 1 {
		return end
	}
	n.row(general)
	if watched {
		watch.row(general)
	}
	put := func(at int, mask, y mc.Vector) {
		row := mc.Indexed(inHost, mc.AX, 1, at)
		if t.isMasked() {
			t.PutMasked(row, mask, y)
		} else {
			t.Put(row, y)
		}
	}
	for c := range chunks {
		t.Get(0, place8(values[0], c))
		if len(values) == 1 {
			put(c*chunkBytes, t.mask(c), 0)
			continue
		}
		t.Get(1, place8(values[1], c))
		t.interleaveWords(2, 3, 0, 1)
		if t.isMasked() {
			t.Copy(1, t.mask(c))
			t.interleaveWords(4, 5, 1, 1)
		}
		put(2*c*chunkBytes, 4, 2)
		put((2*c+1)*chunkBytes, 5, 3)
	}
	t.Jump(end)
	return end
}

// interleaveWords interleaves eight low and eight high words into pairs, in lane order; it clobbers registers 0 and 7.
func (t *translator) interleaveWords(d, dHigh, low, high mc.Vector) {
	t.V(mc.PUNPCKLD, 7, low, high)
	t.V(mc.PUNPCKHD, 0, low, high)
	t.Halves(d, 7, 0, 0x20)
	t.Halves(dHigh, 7, 0, 0x31)
}
