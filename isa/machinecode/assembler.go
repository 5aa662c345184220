package machinecode

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// General is a general-purpose register of 64 bits.
type General uint8

// General-purpose registers. SP and BP belong to the caller, R14 to Go.
const (
	AX General = iota
	CX
	DX
	BX
	SP
	BP
	SI
	DI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Vector is a register of 256 bits: eight words.
type Vector uint8

// Memory is a memory operand: Base + Index·Scale + Offset, or a constant in the code.
type Memory struct {
	Base     General
	Offset   int32
	Index    uint8 // a general register, or a vector register in a gather
	Scale    uint8 // 1, 2, 4 or 8; 0 for no index
	constant int32 // number of the constant plus one; 0 for none
}

// At returns the operand at an offset from a register.
func At(base General, offset int) Memory { return Memory{Base: base, Offset: int32(offset)} }

// Indexed returns the operand at base + index·scale + offset.
func Indexed(base, index General, scale uint8, offset int) Memory {
	return Memory{Base: base, Offset: int32(offset), Index: uint8(index), Scale: scale}
}

// Label is a place in the code.
type Label int32

// Condition is a condition of a jump.
type Condition uint8

// Conditions, after a comparison or test.
const (
	Below    Condition = 2 // unsigned
	NotBelow Condition = 3
	Equal    Condition = 4
	NotEqual Condition = 5
	Negative Condition = 8
	Positive Condition = 9 // or zero
)

// fixup is a 32-bit distance to fill in at the end.
type fixup struct {
	at       int32 // place of the distance
	target   int32
	constant bool // target is a constant, not a label
	tail     int8 // bytes of the instruction after the distance
}

// Assembler assembles code. The zero value is ready to use.
type Assembler struct {
	code      []byte
	labels    []int32 // places, -1 if not bound
	fixups    []fixup
	constants [][32]byte
	known     map[[32]byte]int32
	words     map[uint32]Memory // constants of one word eight times
}

// Reset drops all code but keeps the memory. It invalidates the result of Finish.
func (a *Assembler) Reset() {
	a.code, a.labels, a.fixups, a.constants = a.code[:0], a.labels[:0], a.fixups[:0], a.constants[:0]
	clear(a.known)
	clear(a.words)
}

// Grow makes room for more bytes.
func (a *Assembler) Grow(bytes int) { a.code = slices.Grow(a.code, bytes) }

// Len returns the size of the code so far in bytes.
func (a *Assembler) Len() int { return len(a.code) }

// Mark is a state of an Assembler, for Cut.
type Mark struct{ code, fixups int }

// Mark returns the current state.
func (a *Assembler) Mark() Mark { return Mark{len(a.code), len(a.fixups)} }

// Cut drops the code emitted since a mark.
func (a *Assembler) Cut(m Mark) {
	a.code, a.fixups = a.code[:m.code], a.fixups[:m.fixups]
}

// NewLabel returns a label, to be bound by Bind.
func (a *Assembler) NewLabel() Label {
	a.labels = append(a.labels, -1)
	return Label(len(a.labels) - 1)
}

// Bind binds a label to this place.
func (a *Assembler) Bind(l Label) { a.labels[l] = int32(len(a.code)) }

// Place returns the place of a bound label, in bytes from the code's beginning.
func (a *Assembler) Place(l Label) int { return int(a.labels[l]) }

// Constant returns an operand with eight constant words.
func (a *Assembler) Constant(words [8]uint32) Memory {
	var bytes [32]byte
	for i, w := range words {
		binary.LittleEndian.PutUint32(bytes[4*i:], w)
	}
	n, ok := a.known[bytes]
	if !ok {
		if a.known == nil {
			a.known = map[[32]byte]int32{}
		}
		n = int32(len(a.constants))
		a.constants = append(a.constants, bytes)
		a.known[bytes] = n
	}
	return Memory{constant: n + 1}
}

// Broadcast returns an operand with eight copies of a word.
func (a *Assembler) Broadcast(word uint32) Memory {
	m, ok := a.words[word]
	if !ok {
		if a.words == nil {
			a.words = map[uint32]Memory{}
		}
		m = a.Constant([8]uint32{word, word, word, word, word, word, word, word})
		a.words[word] = m
	}
	return m
}

// constantBytes is the size and alignment of a constant.
const constantBytes = 32

// Finish fills in all distances and returns the code followed by its constants. It must be placed at a multiple of 32 bytes.
func (a *Assembler) Finish() []byte {
	for len(a.code)%constantBytes != 0 {
		a.byte(0xcc)
	}
	pool := int32(len(a.code))
	for _, c := range a.constants {
		a.code = append(a.code, c[:]...)
	}
	for _, f := range a.fixups {
		var place int32
		if f.constant {
			place = pool + f.target*constantBytes
		} else if place = a.labels[f.target]; place < 0 {
			panic(fmt.Errorf("label %d of machine code is bound nowhere", f.target))
		}
		binary.LittleEndian.PutUint32(a.code[f.at:], uint32(place-f.at-4-int32(f.tail)))
	}
	return a.code
}

func (a *Assembler) byte(b ...byte) { a.code = append(a.code, b...) }

// bytes writes the n lowest bytes of a number. One store writes eight; later ones overwrite the rest.
func (a *Assembler) bytes(number uint64, n int) {
	end := len(a.code) + n
	a.code = binary.LittleEndian.AppendUint64(a.code, number)[:end]
}

func (a *Assembler) word(w uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, w) }

func (a *Assembler) distance(target int32, constant bool) {
	a.fixups = append(a.fixups, fixup{at: int32(len(a.code)), target: target, constant: constant})
	a.word(0)
}

// memory encodes a memory operand together with a register.
func (a *Assembler) memory(register uint8, m Memory) {
	field := register & 7 << 3
	switch {
	case m.constant > 0:
		a.fixups = append(a.fixups, fixup{at: int32(len(a.code) + 1), target: m.constant - 1, constant: true})
		a.bytes(uint64(field|5), 5)
	case m.Scale > 0:
		scale := byte(bits.TrailingZeros8(m.Scale))
		a.bytes(uint64(0x80|field|4)|uint64(scale<<6|m.Index&7<<3|byte(m.Base)&7)<<8|uint64(uint32(m.Offset))<<16, 6)
	case m.Base&7 == SP:
		a.bytes(uint64(0x80|field|4)|0x24<<8|uint64(uint32(m.Offset))<<16, 6)
	default:
		a.bytes(uint64(0x80|field|byte(m.Base)&7)|uint64(uint32(m.Offset))<<8, 5)
	}
}

// high returns the high bits of the index's and the base's numbers.
func (m Memory) high() (index, base byte) {
	if m.constant > 0 {
		return 0, 0
	}
	if m.Scale > 0 {
		index = m.Index >> 3
	}
	return index, byte(m.Base) >> 3
}
