package exec

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// boundMemory is a memory operation with its operands resolved.
type boundMemory struct {
	kind      AccessKind
	space     isa.Space // SpaceGeneric: known only from the addresses
	cache     isa.CacheOperator
	order     isa.Order
	operation isa.Sub  // of atomics and reductions
	t         isa.Type // of one component
	bytes     uint8    // of all components
	base      [2]slot  // low and high word
	narrow    bool     // the base is a 32-bit register: the address wraps at 32 bits
	frame     bool     // the offset is relative to the running function's frame
	offset    uint64   // added to the base; in param space from the start of bank 0
	value     [][2]slot
	comparand [2]slot // of compare-and-swap
	result    [][2]slot
	words     []slot // destination of each word of a load if all go to registers unchanged; else nil
}

// accessKinds has the kind of each opcode that accesses memory, by address or by coordinates.
var accessKinds = map[isa.Opcode]AccessKind{
	isa.OpLd: AccessLoad, isa.OpSt: AccessStore, isa.OpAtom: AccessAtomic, isa.OpRed: AccessReduction,
	isa.OpPrefetch: AccessPrefetch, isa.OpPrefetchu: AccessPrefetch,
	isa.OpTex: AccessLoad, isa.OpTld4: AccessLoad, isa.OpTxq: AccessQuery,
	isa.OpSuld: AccessLoad, isa.OpSust: AccessStore, isa.OpSured: AccessReduction, isa.OpSuq: AccessQuery,
}

// returns reports a kind that writes registers.
func (k AccessKind) returns() bool { return k == AccessLoad || k == AccessAtomic || k == AccessQuery }

// Writes reports a kind that changes memory; it reads registers other than its address.
func (k AccessKind) Writes() bool {
	return k == AccessStore || k == AccessAtomic || k == AccessReduction
}

// largestAccess is the most bytes of one lane: four words.
const largestAccess = 16

// bindMemory binds an access to memory by an address.
func bindMemory(b *binder, bound *Bound, i *isa.Instruction) error {
	if i.Memory == nil {
		return fmt.Errorf("no address: %w", ErrUnsupported)
	}
	m := &boundMemory{kind: accessKinds[i.Op], space: i.Memory.Space, cache: i.Memory.Cache, order: i.Memory.Order,
		operation: i.Mod.Select, t: i.Type}
	bound.memory, bound.Kind = m, KindMemory
	for _, part := range []func(*binder, *Bound, *isa.Instruction) error{m.bindSize, m.bindAddress, m.bindValues, m.bindResults} {
		if err := part(b, bound, i); err != nil {
			return err
		}
	}
	return nil
}

// bindSize sets the number of bytes per lane. A prefetch has one byte, which stands for its line.
func (m *boundMemory) bindSize(_ *binder, _ *Bound, i *isa.Instruction) error {
	size := components(i) * i.Type.Bytes()
	if m.kind == AccessPrefetch {
		size = 1
	}
	if size == 0 || size > largestAccess {
		return fmt.Errorf("access of %d bytes a lane: %w", size, ErrUnsupported)
	}
	m.bytes = uint8(size)
	return nil
}

// components returns how many elements of its type an instruction accesses.
func components(i *isa.Instruction) int { return max(1, int(i.Memory.Vector)) }

// bindAddress resolves base and offset.
func (m *boundMemory) bindAddress(b *binder, bound *Bound, i *isa.Instruction) error {
	base := i.Memory.Base
	m.offset = uint64(i.Memory.Offset)
	switch m.space {
	case isa.SpaceNone:
		m.space = isa.SpaceGeneric
	case isa.SpaceParam:
		m.offset += isa.ParameterBase
	}
	inRegister := base.Kind == isa.OperandRegister
	m.narrow = inRegister && base.Type.Registers() == 1
	m.frame = m.space == isa.SpaceLocal && !inRegister
	var err error
	m.base, err = b.pair(bound, base)
	return err
}

// bindValues resolves the values to store, or the operand of an atomic.
func (m *boundMemory) bindValues(b *binder, bound *Bound, i *isa.Instruction) error {
	if !m.kind.Writes() {
		return nil
	}
	values := i.Src
	if m.kind != AccessStore {
		var err error
		if values, err = m.bindAtomic(b, bound, i); err != nil {
			return err
		}
	}
	for _, o := range values {
		p, err := b.pair(bound, o)
		if err != nil {
			return err
		}
		m.value = append(m.value, p)
	}
	if want := components(i); m.kind == AccessStore && len(m.value) != want {
		return fmt.Errorf("store of %d components from %d registers: %w", want, len(m.value), ErrUnsupported)
	}
	return nil
}

// bindAtomic resolves the comparand of a compare-and-swap, and returns the other sources.
func (m *boundMemory) bindAtomic(b *binder, bound *Bound, i *isa.Instruction) (values []isa.Operand, err error) {
	least := 1
	if m.operation == isa.AtomicCas {
		least = 2
	}
	switch {
	case len(i.Src) < least:
		return nil, fmt.Errorf("atomic operation with %d operands: %w", len(i.Src), ErrUnsupported)
	case !atomicExists(m.operation, i.Type):
		return nil, fmt.Errorf("atomic operation %d on %s: %w", m.operation, i.Type, ErrUnsupported)
	case m.operation != isa.AtomicCas:
		return i.Src, nil
	}
	m.comparand, err = b.pair(bound, i.Src[0])
	return i.Src[1:], err
}

// bindResults resolves the registers that a load or an atomic writes.
func (m *boundMemory) bindResults(_ *binder, _ *Bound, i *isa.Instruction) error {
	if !m.kind.returns() {
		return nil
	}
	for _, o := range i.Dst {
		d, err := target(o)
		if err != nil {
			return err
		}
		m.result = append(m.result, d)
	}
	if want := components(i); m.kind == AccessLoad && len(m.result) != want {
		return fmt.Errorf("load of %d components to %d registers: %w", want, len(m.result), ErrUnsupported)
	}
	if m.kind == AccessLoad {
		m.words = m.wordRegisters()
	}
	return nil
}

// wordRegisters returns the registers for the words of a load; nil if a word is dropped or extended.
func (m *boundMemory) wordRegisters() (words []slot) {
	size := m.t.Bytes()
	for _, d := range m.result {
		if size < 4 || d[0] < 0 || (size == 4) != (d[1] == slotSink) {
			return nil
		}
		words = append(words, d[:size/4]...)
	}
	return words
}

// Space returns the state space of a memory operation: SpaceGeneric if only addresses tell, SpaceNone for other operations.
func (b *Bound) Space() isa.Space {
	if b.memory == nil {
		return isa.SpaceNone
	}
	return b.memory.space
}

// AccessKind returns the kind of a memory operation.
func (b *Bound) AccessKind() AccessKind {
	if b.memory == nil {
		return AccessLoad
	}
	return b.memory.kind
}

// Access describes the memory operation of the active lanes: addresses and data to write. Lanes of a generic access may be in several
// spaces: then a covers the lanes of one space, and the caller must call Access again for the lanes in rest. A misaligned address is a
// fault; then the access must not be performed.
func (b *Bound) Access(w *Warp, active uint32, a *Access) (rest uint32, fault *Fault) {
	m := b.memory
	if b.image != nil {
		return b.image.access(b, w, active, a)
	}
	a.Kind, a.Space, a.Cache, a.Order, a.Image = m.kind, m.space, m.cache, m.order, nil
	a.Bytes, a.Operation, a.Type, a.Active = m.bytes, m.operation, m.t, active
	narrow, wide := uint32(0), m.offset
	if m.narrow {
		narrow, wide = uint32(m.offset), 0
	}
	if m.frame {
		wide += uint64(w.Frame)
	}
	a.Shape = addresses(&a.Address, w.lanes(m.base[0]), w.lanes(m.base[1]), narrow, wide, m.bytes)
	odd := a.Shape.High
	if m.space == isa.SpaceGeneric {
		rest = a.resolve(active)
	}
	if odd&uint64(m.bytes-1) != 0 {
		for i, x := range a.Address {
			if a.Active>>i&1 != 0 && x&uint64(m.bytes-1) != 0 {
				return rest, &Fault{Lane: i, Address: x, Bytes: int(m.bytes), Space: a.Space, Write: a.writes(), Misaligned: true}
			}
		}
	}
	if m.kind.Writes() {
		b.fill(w, a)
	}
	return rest, nil
}

func (a *Access) writes() bool { return a.Kind.Writes() }

// windowBits is the logarithm of the size of the windows of shared, local and constant memory, which are aligned to it.
const windowBits = 24

// resolve gives a generic access the space of its first lane, converts the addresses of the lanes in that space, and returns the other
// lanes.
func (a *Access) resolve(active uint32) (rest uint32) {
	if a.Shape.Known && a.Shape.Low >= isa.GlobalBase {
		a.Space = isa.SpaceGlobal
		return 0
	}
	if space := SpaceOf(a.Shape.Low); space != isa.SpaceConst && a.Shape.Within(windowBits) {
		a.Space = space
		base := window(space)
		for i := range a.Address {
			a.Address[i] -= base
		}
		a.Shape.Low -= base
		a.Shape.High -= base
		return 0
	}
	a.Space, a.Shape = isa.SpaceNone, Shape{}
	var taken uint32
	for i := range a.Address {
		if active>>i&1 == 0 {
			continue
		}
		space := SpaceOf(a.Address[i])
		if space == isa.SpaceConst && a.writes() {
			space = isa.SpaceGlobal // nothing is allocated there: a fault
		}
		if a.Space == isa.SpaceNone {
			a.Space = space
		}
		if space == a.Space {
			taken |= 1 << i
			a.Address[i] -= window(space)
		}
	}
	a.Active = taken
	return active &^ taken
}

// fill copies the values to write into the access.
func (b *Bound) fill(w *Warp, a *Access) {
	m := b.memory
	size := m.t.Bytes()
	switch {
	case size == 8:
		for n, v := range m.value {
			a.Data[2*n] = *w.lanes(v[0])
			a.Data[2*n+1] = *w.lanes(v[1])
		}
	case size == 4:
		for n, v := range m.value {
			a.Data[n] = *w.lanes(v[0])
		}
	default:
		for n, v := range m.value {
			place(&a.Data, w.lanes(v[0]), 8*size*n, 8*size)
		}
	}
	if m.operation == isa.AtomicCas && m.kind >= AccessAtomic {
		a.Compare[0] = *w.lanes(m.comparand[0])
		a.Compare[1] = *w.lanes(m.comparand[1])
	}
}

// ApplyFlat performs an access like Access.ApplyFlat and, unless it faults, writes the result to registers like Complete.
func (b *Bound) ApplyFlat(w *Warp, a *Access, memory []byte) *Fault {
	words := b.memory.words
	if len(words) == 0 || a.Active != isa.FullMask {
		fault := a.ApplyFlat(memory)
		if fault == nil {
			b.Complete(w, a, a.Active)
		}
		return fault
	}
	if fault := a.Within(uint64(len(memory))); fault != nil {
		return fault
	}
	for n, d := range words {
		a.applyWord(w.lanes(d), n, memory, 0)
	}
	return nil
}

// Complete writes the result of a load or an atomic to the destination registers of the given lanes. Values of 8 and 16 bits are extended
// to their register's width, by their type.
func (b *Bound) Complete(w *Warp, a *Access, lanes uint32) {
	m := b.memory
	size := m.t.Bytes()
	for n, d := range m.result {
		switch {
		case size == 8:
			merge(w.lanes(d[0]), &a.Data[2*n], lanes)
			merge(w.lanes(d[1]), &a.Data[2*n+1], lanes)
			continue
		case size == 4 && d[1] == slotSink:
			merge(w.lanes(d[0]), &a.Data[n], lanes)
			continue
		}
		if w.Scratch == nil {
			w.Scratch = new(Scratch)
		}
		low := &w.Scratch.out[0]
		take(low, &a.Data, 8*size*n, 8*size)
		extend(low, low, m.t)
		merge(w.lanes(d[0]), low, lanes)
		if d[1] != slotSink {
			high := &w.Scratch.out[1]
			widen(high, low, m.t)
			merge(w.lanes(d[1]), high, lanes)
		}
	}
}
