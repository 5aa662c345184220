package expand

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/value"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// memoryForm has the mnemonics and the class of a space's loads and stores.
type memoryForm struct {
	load, store string
	class       isa.Class
}

var memoryForms = map[isa.Space]memoryForm{
	isa.SpaceGeneric: {"LD.E", "ST.E", isa.ClassGlobal},
	isa.SpaceGlobal:  {"LD.E", "ST.E", isa.ClassGlobal},
	isa.SpaceShared:  {"LDS", "STS", isa.ClassShared},
	isa.SpaceLocal:   {"LDL", "STL", isa.ClassLocal},
	isa.SpaceConst:   {"LDC", "", isa.ClassConstant},
	isa.SpaceParam:   {"LDC", "STL", isa.ClassConstant},
}

// vectorType returns the type of the register row that holds a vector access.
func vectorType(words int) isa.Type {
	if words > 2 {
		return isa.B128
	}
	return isa.B64
}

func (x *expander) load(i *isa.Instruction) error {
	if bank, offset, ok := value.ConstantLoad(i); ok && i.Type.Bytes() >= 4 {
		return x.loadConstant(i, bank, offset)
	}
	form := memoryForms[i.Memory.Space]
	if form.load == "" {
		return x.ErrorAt(i.Line, "a load from %s memory cannot be lowered", i.Memory.Space)
	}
	readOnly := i.Memory.Cache == isa.CacheReadOnly || i.Memory.Uniform && i.Memory.Space == isa.SpaceGlobal
	if readOnly && i.Memory.Space == isa.SpaceGlobal && x.Options.Abilities().ReadOnlyLoads {
		form.load, form.class = "LDG.E", isa.ClassReadOnly
	}
	mnemonic := form.load + machine.WidthSuffix(i.Type, len(i.Dst))
	words := i.Type.Bytes() * len(i.Dst) / 4
	if len(i.Dst) == 1 || i.Type.Bytes() < 4 || words > 4 {
		x.Simple(i, mnemonic, form.class)
		return nil
	}
	vector := x.Temporary(vectorType(words))
	each := words / len(i.Dst)
	destinations := i.Dst
	i.Dst = make([]isa.Operand, len(destinations))
	for k := range destinations {
		i.Dst[k] = isa.Reg(virtual.Part(vector, k*each), destinations[k].Type)
		if i.Dst[k].Type.Registers() != each {
			i.Dst[k].Type = i.Type
		}
	}
	x.Simple(i, mnemonic, form.class).Defines = []isa.Register{vector}
	for k, d := range destinations {
		if d.Kind != isa.OperandRegister {
			continue
		}
		for w := range x.OperandWords(&d) {
			if w >= each {
				x.moveWord(i, x.wordOf(d, w), isa.Imm(0, isa.B32))
				continue
			}
			x.moveWord(i, x.wordOf(d, w), isa.Reg(virtual.Part(vector, k*each+w), isa.B32))
		}
	}
	return nil
}

// loadConstant expands a load from a constant address of a constant bank into moves.
func (x *expander) loadConstant(i *isa.Instruction, bank uint8, offset uint32) error {
	for k, d := range i.Dst {
		if d.Kind != isa.OperandRegister {
			continue
		}
		s := isa.Operand{Kind: isa.OperandConstant, Bank: bank, Offset: offset + uint32(k*i.Type.Bytes()), Type: i.Type}
		n := x.OperandWords(&d)
		for w := range n {
			source := x.wordOf(s, w)
			if 4*w >= i.Type.Bytes() {
				source = isa.Imm(0, isa.B32)
				if i.Type.Signed() {
					return x.table(&isa.Instruction{Op: isa.OpCvt, Type: isa.S64, From: isa.S32, Guard: i.Guard, Dst: []isa.Operand{d},
						Src: []isa.Operand{x.wordOf(s, 0)}, Line: i.Line})
				}
			}
			x.moveWord(i, x.wordOf(d, w), source)
		}
	}
	if len(x.Out) == 0 {
		x.Emit(i, "NOP", isa.ClassNop).Effect = nil
		return nil
	}
	x.counted()
	return nil
}

func (x *expander) store(i *isa.Instruction) error {
	form := memoryForms[i.Memory.Space]
	if form.store == "" {
		return x.ErrorAt(i.Line, "a store to %s memory cannot be lowered", i.Memory.Space)
	}
	if i.Memory.Space == isa.SpaceParam {
		form.class = isa.ClassLocal
	}
	mnemonic := form.store + machine.WidthSuffix(i.Type, len(i.Src))
	words := i.Type.Bytes() * len(i.Src) / 4
	if len(i.Src) == 1 || i.Type.Bytes() < 4 || words > 4 {
		x.Simple(i, mnemonic, form.class)
		return nil
	}
	vector := x.Temporary(vectorType(words))
	each := words / len(i.Src)
	for k, s := range i.Src {
		for w := range each {
			x.moveWord(i, isa.Reg(virtual.Part(vector, k*each+w), isa.B32), x.wordOf(s, w))
		}
		t := s.Type
		if t.Registers() != each {
			t = i.Type
		}
		i.Src[k] = isa.Reg(virtual.Part(vector, k*each), t)
	}
	op := x.Simple(i, mnemonic, form.class)
	op.Uses = []isa.Register{vector}
	if i.Memory.Base.Kind == isa.OperandRegister {
		op.Uses = append(op.Uses, i.Memory.Base.Register)
	}
	return nil
}

func (x *expander) atomic(i *isa.Instruction) error {
	mnemonic, class := "ATOM.E", isa.ClassAtomic
	if i.Op == isa.OpRed {
		mnemonic = "RED.E"
	}
	if i.Memory.Space == isa.SpaceShared {
		mnemonic, class = "LDSLK", isa.ClassSharedAtomic
	}
	if i.Type.Bytes() == 8 {
		mnemonic += ".64"
	}
	x.Simple(i, mnemonic, class)
	return nil
}

func (x *expander) prefetch(i *isa.Instruction) error {
	x.Simple(i, "CCTL.PF2", isa.ClassGlobal)
	return nil
}
