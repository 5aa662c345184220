package value

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// commonValues is the state of a walk over the dominator tree: the instructions whose values are known at the present block.
type commonValues struct {
	f        *Function
	values   *values
	children [][]*flow.Block
	same     []isa.Register // by register: an earlier one with the same value, -1 for none; nil while there is none
	known    []knownValue   // in the order of the walk
	heads    []int32        // by low bits of a key's hash: the last known value, -1 for none
	seed     maphash.Seed
	key      []byte
	knownKey []byte
	numbers  map[isa.Modifiers]int
	last     isa.Modifiers // the last modifiers looked up, and their number
	number   int
}

// knownValue is an instruction, its block and its key's hash. before is the previous known value with the same low bits of the hash, -1 for
// none.
type knownValue struct {
	instruction *isa.Instruction
	hash        uint64
	block       isa.BlockID
	before      int32
}

// RemoveCommon computes a value once if the first instruction that computes it comes before the others on all paths. A constant has one
// register in each block.
func RemoveCommon(f *Function) error {
	v := f.newValues()
	defer v.release()
	instructions := 0
	for _, b := range f.Blocks {
		instructions += len(b.Instructions)
	}
	c := &commonValues{
		f: f, values: v, children: v.graph.Children(), heads: make([]int32, 1<<bits.Len(uint(instructions))), seed: maphash.MakeSeed(),
		numbers: map[isa.Modifiers]int{},
	}
	for n := range c.heads {
		c.heads[n] = -1
	}
	c.visit(v.graph.Order[0])
	if c.same == nil {
		return nil
	}
	// Drop the instructions that are not needed any more. Their registers have been replaced everywhere except as destinations of these
	// instructions.
	for _, b := range f.Blocks {
		kept := b.Instructions[:0]
		for _, i := range b.Instructions {
			if len(i.Dst) == 1 && virtual.IsRegister(&i.Dst[0]) && c.sameAs(i.Dst[0].Register) >= 0 {
				continue
			}
			virtual.Rename(i, c.rename)
			kept = append(kept, i)
		}
		b.Instructions = kept
	}
	return nil
}

// sameAs returns an earlier register with the same value, -1 for none.
func (c *commonValues) sameAs(r isa.Register) isa.Register {
	if int(r) >= len(c.same) {
		return -1
	}
	return c.same[r]
}

// rename returns the register that replaces another.
func (c *commonValues) rename(r isa.Register) isa.Register {
	if to := c.sameAs(virtual.Whole(r)); to >= 0 {
		return r&^virtual.RegisterMask | to
	}
	return r
}

// visit processes a block and those that it dominates.
func (c *commonValues) visit(b *flow.Block) {
	known := len(c.known)
	for _, i := range c.f.ByID[b.ID].Instructions {
		if c.same != nil {
			virtual.Rename(i, c.rename)
		}
		if !c.values.movable(i) || len(i.Dst) != 1 || i.Dst[0].Register != virtual.Whole(i.Dst[0].Register) {
			continue
		}
		if first := c.find(i, b.ID); first != nil {
			if c.same == nil {
				c.same = slices.Repeat([]isa.Register{-1}, len(c.f.Registers))
			}
			c.same[i.Dst[0].Register] = first.Dst[0].Register
		}
	}
	for _, next := range c.children[b.ID] {
		c.visit(next)
	}
	for _, k := range slices.Backward(c.known[known:]) {
		*c.head(k.hash) = k.before
	}
	c.known = c.known[:known]
}

// head returns the entry for the last known value with the same low bits of the hash.
func (c *commonValues) head(hash uint64) *int32 { return &c.heads[hash&uint64(len(c.heads)-1)] }

// find returns an earlier instruction that computes the same; if there is none it returns nil, and i is known from then on.
func (c *commonValues) find(i *isa.Instruction, block isa.BlockID) *isa.Instruction {
	c.key = c.appendKey(c.key[:0], i, block)
	hash := maphash.Bytes(c.seed, c.key)
	head := c.head(hash)
	for n := *head; n >= 0; n = c.known[n].before {
		k := &c.known[n]
		if k.hash != hash {
			continue
		}
		if c.knownKey = c.appendKey(c.knownKey[:0], k.instruction, k.block); bytes.Equal(c.key, c.knownKey) {
			return k.instruction
		}
	}
	c.known = append(c.known, knownValue{i, hash, block, *head})
	*head = int32(len(c.known) - 1)
	return nil
}

// swapsForKey reports a commutative operation whose sources swap for its key: the lower register comes first.
func swapsForKey(i *isa.Instruction) bool {
	return i.Op.Facts().Lowering.Inline.Swap && len(i.Src) >= 2 && i.Src[0].Kind == isa.OperandRegister &&
		i.Src[1].Kind == isa.OperandRegister && i.Src[0].Register > i.Src[1].Register
}

// bitsOnly returns the instruction's type, without the sign if the result's bits do not depend on it.
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

// appendKey appends a key that is equal for instructions that compute the same. The key of a constant includes the block.
func (c *commonValues) appendKey(key []byte, i *isa.Instruction, block isa.BlockID) []byte {
	key = append(key, byte(i.Op), byte(bitsOnly(i)), byte(i.From), byte(i.Dst[0].Type.Bytes()))
	key = binary.LittleEndian.AppendUint32(key, uint32(c.modifiers(i.Mod)))
	if i.Memory != nil {
		key = fmt.Appendf(key, "%v", *i.Memory)
	}
	swapped := swapsForKey(i)
	for n := range i.Src {
		if swapped && n < 2 {
			n = 1 - n
		}
		s := &i.Src[n]
		key = append(key, byte(s.Kind), byte(s.Type.Bytes()), byte(s.Selector), s.Bank, byte(s.Special), 0)
		if s.Negate {
			key[len(key)-1] = 1
		}
		key = binary.LittleEndian.AppendUint64(key, uint64(s.Register)<<32|uint64(uint32(s.Symbol)))
		key = binary.LittleEndian.AppendUint64(key, s.Immediate)
		key = binary.LittleEndian.AppendUint64(key, uint64(s.Offset)<<16|uint64(s.Permute))
	}
	if number(i) {
		key = append(binary.LittleEndian.AppendUint64(key, uint64(block)), 'b')
	}
	return key
}

// modifiers returns a number for a set of modifiers.
func (c *commonValues) modifiers(m isa.Modifiers) int {
	if m == c.last && len(c.numbers) > 0 {
		return c.number
	}
	n, known := c.numbers[m]
	if !known {
		n = len(c.numbers)
		c.numbers[m] = n
	}
	c.last, c.number = m, n
	return n
}
