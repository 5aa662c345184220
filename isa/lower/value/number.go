package value

import (
	"encoding/binary"
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// commonValues writes keys of values.
type commonValues struct {
	key     []byte
	numbers map[isa.Modifiers]int
}

// RemoveCommon computes once what several instructions compute alike, if the first comes before the others on all paths. A number has one
// register in a block, and another in the next.
func RemoveCommon(f *Function) error {
	v := f.newValues()
	g := v.graph
	children := g.Children()
	same := map[isa.Register]isa.Register{}
	known := map[string]*isa.Instruction{}
	c := &commonValues{numbers: map[isa.Modifiers]int{}}
	var visit func(b *flow.Block)
	visit = func(b *flow.Block) {
		var added []string
		for _, i := range f.ByID[b.ID].Instructions {
			virtual.Rename(i, func(r isa.Register) isa.Register {
				if to, ok := same[virtual.Whole(r)]; ok {
					return r&^virtual.RegisterMask | to
				}
				return r
			})
			if !v.movable(i) || len(i.Dst) != 1 {
				continue
			}
			key := c.valueKey(i)
			if number(i) {
				key = append(binary.LittleEndian.AppendUint64(key, uint64(b.ID)), 'b')
			}
			if first, ok := known[string(key)]; ok {
				same[i.Dst[0].Register] = first.Dst[0].Register
				continue
			}
			known[string(key)] = i
			added = append(added, string(key))
		}
		for _, c := range children[b.ID] {
			visit(c)
		}
		for _, key := range added {
			delete(known, key)
		}
	}
	visit(g.Order[0])
	// The instructions that are not needed any more write registers of which the first one's now stand in all places but their own.
	for _, b := range f.Blocks {
		kept := b.Instructions[:0]
		for _, i := range b.Instructions {
			if len(i.Dst) == 1 && virtual.IsRegister(&i.Dst[0]) {
				if _, gone := same[i.Dst[0].Register]; gone {
					continue
				}
			}
			virtual.Rename(i, func(r isa.Register) isa.Register {
				if to, ok := same[virtual.Whole(r)]; ok {
					return r&^virtual.RegisterMask | to
				}
				return r
			})
			kept = append(kept, i)
		}
		b.Instructions = kept
	}
	return nil
}

// inKeyOrder returns the sources, of operations whose first two may change places the lower register first.
func inKeyOrder(i *isa.Instruction) []isa.Operand {
	if !i.Op.Facts().Lowering.Inline.Swap || len(i.Src) < 2 || i.Src[0].Kind != isa.OperandRegister ||
		i.Src[1].Kind != isa.OperandRegister ||
		i.Src[0].Register <= i.Src[1].Register {
		return i.Src
	}
	swapped := append([]isa.Operand(nil), i.Src...)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	return swapped
}

// bitsOnly returns the instruction's type, without the sign where the result's bits do not depend on it.
func bitsOnly(i *isa.Instruction) isa.Type {
	switch i.Op {
	case isa.OpAdd, isa.OpSub, isa.OpShl, isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot, isa.OpSelp, isa.OpMov:
	case isa.OpMul, isa.OpMad:
		if i.Mod.Half != isa.Lo {
			return i.Type
		}
	default:
		return i.Type
	}
	if i.Type.Float() || i.Mod.Saturate {
		if i.Op != isa.OpMov && i.Op != isa.OpSelp {
			return i.Type
		}
	}
	switch i.Type.Bytes() {
	case 2:
		return isa.B16
	case 4:
		return isa.B32
	case 8:
		return isa.B64
	}
	return i.Type
}

// valueKey is equal for instructions that compute the same. It is good until the next call.
func (c *commonValues) valueKey(i *isa.Instruction) []byte {
	key := append(c.key[:0], byte(i.Op), byte(bitsOnly(i)), byte(i.From), byte(i.Dst[0].Type.Bytes()))
	key = binary.LittleEndian.AppendUint32(key, uint32(c.modifiers(i.Mod)))
	if i.Memory != nil {
		key = fmt.Appendf(key, "%v", *i.Memory)
	}
	for _, s := range inKeyOrder(i) {
		key = append(key, byte(s.Kind), byte(s.Type.Bytes()), byte(s.Selector), s.Bank, byte(s.Special), 0)
		if s.Negate {
			key[len(key)-1] = 1
		}
		key = binary.LittleEndian.AppendUint64(key, uint64(s.Register)<<32|uint64(uint32(s.Symbol)))
		key = binary.LittleEndian.AppendUint64(key, s.Immediate)
		key = binary.LittleEndian.AppendUint64(key, uint64(s.Offset)<<16|uint64(s.Permute))
	}
	c.key = key
	return key
}

// modifiers numbers sets of modifiers.
func (c *commonValues) modifiers(m isa.Modifiers) int {
	n, known := c.numbers[m]
	if !known {
		n = len(c.numbers)
		c.numbers[m] = n
	}
	return n
}
