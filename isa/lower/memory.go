package lower

import "github.com/keplersim/keplersim/isa"

// Kepler's load and store operations hold 24 bits of address offset, sign included.
const (
	minOffset = -1 << 23
	maxOffset = 1<<23 - 1
)

// memoryForm is what a space's loads and stores are called and which class they have.
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

// widthSuffix names an access's width as Kepler's disassembler does; 32 bits have no suffix.
func widthSuffix(t isa.Type, vector int) string {
	switch bytes := t.Bytes() * max(vector, 1); {
	case bytes == 1 && t.Signed():
		return ".S8"
	case bytes == 1:
		return ".U8"
	case bytes == 2 && t.Signed() && vector <= 1:
		return ".S16"
	case bytes == 2:
		return ".U16"
	case bytes == 8:
		return ".64"
	case bytes == 16:
		return ".128"
	}
	return ""
}

// constantLoad gives the bank and offset of a load whose place is known: a kernel parameter, or a .const variable.
func constantLoad(i *isa.Instruction) (bank uint8, offset uint32, ok bool) {
	m := i.Memory
	switch {
	case m.Space == isa.SpaceParam && m.Base.Kind == isa.OperandNone:
		return 0, uint32(isa.ParameterBase + m.Offset), true
	case m.Space == isa.SpaceConst && m.Base.Kind == isa.OperandImmediate:
		return isa.ConstantBankUser, uint32(int64(m.Base.Immediate) + m.Offset), true
	}
	return 0, 0, false
}

// vectorType is the register that holds a vector access of n words.
func vectorType(words int) isa.Type {
	if words > 2 {
		return isa.B128
	}
	return isa.B64
}

func (x *expander) load(i *isa.Instruction) error {
	if bank, offset, ok := constantLoad(i); ok && i.Type.Bytes() >= 4 {
		return x.loadConstant(i, bank, offset)
	}
	form := memoryForms[i.Memory.Space]
	if form.load == "" {
		return x.errorAt(i.Line, "a load from %s memory cannot be lowered", i.Memory.Space)
	}
	readOnly := i.Memory.Cache == isa.CacheReadOnly || i.Memory.Uniform && i.Memory.Space == isa.SpaceGlobal
	if readOnly && i.Memory.Space == isa.SpaceGlobal && x.options.ComputeCapability >= 35 {
		form.load, form.class = "LDG.E", isa.ClassReadOnly
	}
	mnemonic := form.load + widthSuffix(i.Type, len(i.Dst))
	words := i.Type.Bytes() * len(i.Dst) / 4
	if len(i.Dst) == 1 || i.Type.Bytes() < 4 || words > 4 {
		x.simple(i, mnemonic, form.class)
		return nil
	}
	vector := x.temporary(vectorType(words))
	each := words / len(i.Dst)
	destinations := i.Dst
	i.Dst = make([]isa.Operand, len(destinations))
	for k := range destinations {
		i.Dst[k] = isa.Reg(part(vector, k*each), destinations[k].Type)
		if i.Dst[k].Type.Registers() != each {
			i.Dst[k].Type = i.Type
		}
	}
	x.simple(i, mnemonic, form.class).writes = []isa.Register{vector}
	for k, d := range destinations {
		if d.Kind != isa.OperandRegister {
			continue
		}
		for w := range x.operandWords(&d) {
			if w >= each {
				x.moveWord(i, x.wordOf(d, w), isa.Imm(0, isa.B32))
				continue
			}
			x.moveWord(i, x.wordOf(d, w), isa.Reg(part(vector, k*each+w), isa.B32))
		}
	}
	return nil
}

// loadConstant makes moves of a load whose place in a constant bank is known.
func (x *expander) loadConstant(i *isa.Instruction, bank uint8, offset uint32) error {
	for k, d := range i.Dst {
		if d.Kind != isa.OperandRegister {
			continue
		}
		s := isa.Operand{Kind: isa.OperandConstant, Bank: bank, Offset: offset + uint32(k*i.Type.Bytes()), Type: i.Type}
		n := x.operandWords(&d)
		for w := range n {
			source := x.wordOf(s, w)
			if 4*w >= i.Type.Bytes() {
				source = isa.Imm(0, isa.B32)
				if i.Type.Signed() {
					return x.table(&isa.Instruction{Op: isa.OpCvt, Type: isa.S64, From: isa.S32, Guard: i.Guard, Dst: []isa.Operand{d}, Src: []isa.Operand{x.wordOf(s, 0)}, Line: i.Line})
				}
			}
			x.moveWord(i, x.wordOf(d, w), source)
		}
	}
	if len(x.out) == 0 {
		x.emit(i, "NOP", isa.ClassNop).Effect = nil
		return nil
	}
	x.counted()
	return nil
}

func (x *expander) store(i *isa.Instruction) error {
	form := memoryForms[i.Memory.Space]
	if form.store == "" {
		return x.errorAt(i.Line, "a store to %s memory cannot be lowered", i.Memory.Space)
	}
	if i.Memory.Space == isa.SpaceParam {
		form.class = isa.ClassLocal
	}
	mnemonic := form.store + widthSuffix(i.Type, len(i.Src))
	words := i.Type.Bytes() * len(i.Src) / 4
	if len(i.Src) == 1 || i.Type.Bytes() < 4 || words > 4 {
		x.simple(i, mnemonic, form.class)
		return nil
	}
	vector := x.temporary(vectorType(words))
	each := words / len(i.Src)
	for k, s := range i.Src {
		for w := range each {
			x.moveWord(i, isa.Reg(part(vector, k*each+w), isa.B32), x.wordOf(s, w))
		}
		t := s.Type
		if t.Registers() != each {
			t = i.Type
		}
		i.Src[k] = isa.Reg(part(vector, k*each), t)
	}
	op := x.simple(i, mnemonic, form.class)
	op.reads = []isa.Register{vector}
	if i.Memory.Base.Kind == isa.OperandRegister {
		op.reads = append(op.reads, i.Memory.Base.Register)
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
	x.simple(i, mnemonic, class)
	return nil
}

func (x *expander) prefetch(i *isa.Instruction) error {
	x.simple(i, "CCTL.PF2", isa.ClassGlobal)
	return nil
}

// reduceUnread makes a reduction of an atomic operation whose result nothing reads, as nvcc and ptxas do: nothing then comes back. Exchanges
// have no such form, nor has shared memory.
func (v *values) reduceUnread(i *isa.Instruction) bool {
	if i.Op != isa.OpAtom || i.Mod.Select < isa.AtomicAdd || i.Mod.Select > isa.AtomicDec || i.Memory.Space != isa.SpaceGlobal && i.Memory.Space != isa.SpaceGeneric ||
		i.Memory.Order != isa.OrderWeak && i.Memory.Order != isa.OrderRelaxed {
		return false
	}
	for k := range i.Dst {
		if o := &i.Dst[k]; register(o) && v.uses[whole(o.Register)] > 0 {
			return false
		}
	}
	i.Op, i.Dst = isa.OpRed, nil
	return true
}
