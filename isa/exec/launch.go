package exec

import (
	"encoding/binary"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// Launch has a program's constants for one launch, broadcast to lanes: immediates, kernel parameters and user constants.
type Launch struct {
	Bank0     []byte        // kernel parameters, from isa.ParameterBase on
	Bank3     []byte        // .const symbols
	Constants []isa.Lanes32 // by the constant slots of a Bound
	Objects   *Objects      // textures, samplers and surfaces; nil without any
	code      *Code
}

// constantKind is the source of a broadcast word.
type constantKind uint8

const (
	constantImmediate constantKind = iota
	constantBank
	constantSymbol
	constantFunction
)

// constant describes one broadcast word of Launch.Constants.
type constant struct {
	kind   constantKind
	high   bool // the value's high word
	bank   uint8
	t      isa.Type // constantBank: the type there, extended to 64 bits
	index  int32    // of the symbol or function
	offset uint32   // constantBank: byte offset
	value  uint64   // of an immediate, or the offset from a symbol
}

// Launch broadcasts the constants of one launch. parameters is the kernel's parameter space from its first byte on; missing bytes read as
// zero. Symbols must have their addresses.
func (c *Code) Launch(parameters []byte) *Launch {
	l := &Launch{code: c, Bank0: make([]byte, isa.ParameterBase+len(parameters)), Constants: make([]isa.Lanes32, len(c.constants))}
	copy(l.Bank0[isa.ParameterBase:], parameters)
	for i, s := range c.program.Symbols {
		if s.Space != isa.SpaceConst {
			continue
		}
		if end := int(s.Address) + s.Bytes; end > len(l.Bank3) {
			l.Bank3 = append(l.Bank3, make([]byte, end-len(l.Bank3))...)
		}
		copy(l.Bank3[s.Address:], InitialBytes(c.program, i))
	}
	l.broadcast()
	return l
}

// WithinConstants is Access.Within for .const variables: the bytes of each lane must be in one variable.
func (l *Launch) WithinConstants(a *Access) *Fault {
	for m := a.Active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if !l.code.isConstant(a.Address[i], uint64(a.Bytes)) {
			return a.outside(i)
		}
	}
	return nil
}

// isConstant reports that bytes of constant memory are within one variable.
func (c *Code) isConstant(address, size uint64) bool {
	for _, s := range c.program.Symbols {
		if s.Space == isa.SpaceConst && address >= s.Address && address-s.Address+size <= uint64(s.Bytes) {
			return true
		}
	}
	return false
}

// WriteConstant overwrites user constants from an offset in bank 3 on, as a host's copy to a .const symbol does. Bytes beyond the bank's
// end are dropped.
func (l *Launch) WriteConstant(offset int, data []byte) {
	if offset >= 0 && offset < len(l.Bank3) {
		copy(l.Bank3[offset:], data)
		l.broadcast()
	}
}

func (l *Launch) broadcast() {
	for i, c := range l.code.constants {
		v := c.evaluate(l)
		if c.high {
			v >>= 32
		}
		lanes := &l.Constants[i]
		for j := range lanes {
			lanes[j] = uint32(v)
		}
	}
}

func (c constant) evaluate(l *Launch) uint64 {
	switch c.kind {
	case constantBank:
		bank := l.Bank0
		if c.bank == isa.ConstantBankUser {
			bank = l.Bank3
		}
		return readTyped(bank, uint64(c.offset), c.t)
	case constantSymbol:
		return l.code.program.Symbols[c.index].Address + c.value
	case constantFunction:
		return FunctionAddress(c.index)
	default:
		return c.value
	}
}

// readTyped reads a value of a type, sign- or zero-extended to 64 bits; bytes past the end are zero.
func readTyped(bank []byte, offset uint64, t isa.Type) uint64 {
	var word [8]byte
	if n := uint64(len(bank)); offset < n {
		copy(word[:max(1, min(8, t.Bytes()))], bank[offset:])
	}
	return extendTo64(binary.LittleEndian.Uint64(word[:]), t)
}

// FunctionAddress returns a function's address: a nonzero multiple of 16.
func FunctionAddress(index int32) uint64 { return 16 * (uint64(index) + 1) }

// FunctionAt returns the function at an address from FunctionAddress; ok is false for other values.
func FunctionAt(p *isa.Program, address uint64) (index int32, ok bool) {
	if address%16 != 0 || address == 0 || address/16 > uint64(len(p.Functions)) {
		return 0, false
	}
	return int32(address/16 - 1), true
}

// InitialBytes returns a symbol's first bytes before the kernel starts, with relocations applied; the rest is zero. The symbols' addresses
// must be set.
func InitialBytes(p *isa.Program, symbol int) []byte {
	s := p.Symbols[symbol]
	bytes := len(s.Initial)
	for _, r := range s.Relocations {
		bytes = max(bytes, r.Offset+r.Bytes)
	}
	data := make([]byte, min(bytes, s.Bytes))
	copy(data, s.Initial)
	for _, r := range s.Relocations {
		v := uint64(r.Addend)
		switch {
		case r.Function >= 0:
			v += FunctionAddress(r.Function)
		default:
			target := p.Symbols[r.Symbol]
			v += target.Address
			if r.Generic {
				v += window(target.Space)
			}
		}
		if r.Mask != 0 {
			v &= r.Mask
		}
		v >>= r.Shift
		for i := 0; i < r.Bytes && r.Offset+i < len(data); i++ {
			data[r.Offset+i] = byte(v >> (8 * i))
		}
	}
	return data
}

// window returns the difference between generic addresses and a space's own.
func window(s isa.Space) uint64 {
	switch s {
	case isa.SpaceShared:
		return isa.SharedWindow
	case isa.SpaceLocal:
		return isa.LocalWindow
	case isa.SpaceConst:
		return isa.ConstWindow
	default:
		return 0
	}
}
