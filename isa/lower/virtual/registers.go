package virtual

import (
	"strconv"

	"github.com/keplersim/keplersim/isa"
)

// A part names one 32-bit word of a virtual register: the register, with the word's number plus one in the bits from partShift on. A part
// with a 64-bit operand type is two words, from that word on.
const (
	partShift    = 24
	RegisterMask = 1<<partShift - 1
)

// Part returns the name of one 32-bit word of a register.
func Part(r isa.Register, word int) isa.Register {
	return r&RegisterMask | isa.Register(word+1)<<partShift
}

// Whole returns the register that a name is a part of, or the register itself.
func Whole(r isa.Register) isa.Register { return r & RegisterMask }

// Word returns the number of the first word that r names; all reports that r names the whole register.
func Word(r isa.Register) (first int, all bool) {
	if r>>partShift == 0 {
		return 0, true
	}
	return int(r>>partShift) - 1, false
}

// Words returns the number of 32-bit words of a virtual register; a predicate counts as one.
func (f *Function) Words(r isa.Register) int {
	t := f.Registers[Whole(r)].Type
	if t == isa.Pred {
		return 1
	}
	return max(t.Registers(), 1)
}

// IsPredicate reports whether a register is a predicate.
func (f *Function) IsPredicate(r isa.Register) bool { return f.Registers[Whole(r)].Type == isa.Pred }

// Temporary adds a virtual register and returns it.
func (f *Function) Temporary(t isa.Type) isa.Register {
	f.Registers = append(f.Registers, isa.VirtualRegister{Name: "t" + strconv.Itoa(len(f.Registers)), Type: t})
	return isa.Register(len(f.Registers) - 1)
}

// Uses calls visit for every register that the instruction reads, with the number of words.
func (f *Function) Uses(i *isa.Instruction, visit func(r isa.Register, words int)) {
	if i.Guard.Present {
		visit(i.Guard.Register, 1)
	}
	for n := range i.Src { // nearly all operands are here: no call for each
		if o := &i.Src[n]; IsRegister(o) {
			visit(o.Register, f.OperandWords(o))
		}
	}
	if i.Memory != nil {
		i.Memory.Sources(func(o *isa.Operand) {
			if IsRegister(o) {
				visit(o.Register, f.OperandWords(o))
			}
		})
	}
}

// Definitions calls visit for every register that the instruction writes, with the number of words.
func (f *Function) Definitions(i *isa.Instruction, visit func(r isa.Register, words int)) {
	for n := range i.Dst {
		if IsRegister(&i.Dst[n]) {
			visit(i.Dst[n].Register, f.OperandWords(&i.Dst[n]))
		}
	}
}

// AppendUses appends every register that an instruction reads, in the order of Uses.
func AppendUses(to []isa.Register, i *isa.Instruction) []isa.Register {
	if i.Guard.Present {
		to = append(to, i.Guard.Register)
	}
	for n := range i.Src {
		if o := &i.Src[n]; IsRegister(o) {
			to = append(to, o.Register)
		}
	}
	if i.Memory != nil {
		i.Memory.Sources(func(o *isa.Operand) {
			if IsRegister(o) {
				to = append(to, o.Register)
			}
		})
	}
	return to
}

// AppendDefinitions appends every register that an instruction writes.
func AppendDefinitions(to []isa.Register, i *isa.Instruction) []isa.Register {
	for n := range i.Dst {
		if IsRegister(&i.Dst[n]) {
			to = append(to, i.Dst[n].Register)
		}
	}
	return to
}

// OperandWords returns the number of 32-bit words that a register operand has.
func (f *Function) OperandWords(o *isa.Operand) int {
	if _, all := Word(o.Register); all {
		return f.Words(o.Register)
	}
	return max(o.Type.Registers(), 1)
}
