package translate

import (
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
)

// caches are the cache operators of loads and stores.
var caches = map[string]isa.CacheOperator{"": isa.CacheDefault, ".CG": isa.CacheGlobal, ".CS": isa.CacheStream, ".CV": isa.CacheVolatile,
	".LU": isa.CacheLastUse, ".WT": isa.CacheThrough}

func (b *builder) access(op isa.Opcode, space isa.Space, size, cache string) *isa.Instruction {
	i := &isa.Instruction{Op: op, Memory: b.address(space)}
	var list []isa.Operand
	i.Type, i.Memory.Vector, list = b.data(b.Modifier(size), b.register())
	var ok bool
	if i.Memory.Cache, ok = caches[b.Modifier(cache)]; !ok {
		b.fail("%s is not simulated", b.Modifier(cache))
	}
	if op == isa.OpLd {
		i.Dst = list
	} else {
		i.Src = list
	}
	return i
}

// register returns the data register of a load or store.
func (b *builder) register() isa.Register { return isa.Register(b.Field("r").Value(b.Word)) }

func load(space isa.Space) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		size, cache := "ldsize", "ldcache"
		if space == isa.SpaceLocal {
			cache = "llcache"
		}
		for _, name := range []string{"ldgsize", "ldgwide", "ldgwidest"} {
			if b.Field(name) != nil {
				size, cache = name, "ldgcache"
			}
		}
		i := b.access(isa.OpLd, space, size, cache)
		if b.Class == isa.ClassReadOnly {
			i.Memory.Cache = isa.CacheReadOnly
		}
		return i, nil
	}
}

func store(space isa.Space) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		cache := "stcache"
		if space == isa.SpaceLocal {
			cache = "lscache"
		}
		return b.access(isa.OpSt, space, "stsize", cache), nil
	}
}

// loadConstant reads a constant bank at an address in a register.
func loadConstant(b *builder) (*isa.Instruction, error) {
	bank, offset, register := b.Field("k").Indexed(b.Word)
	i := &isa.Instruction{Op: isa.OpLd, Memory: &isa.Memory{Space: isa.SpaceConst, Base: isa.Reg(isa.Register(register), isa.U32),
		Offset: offset}}
	switch bank {
	case 0:
		i.Memory.Space = isa.SpaceParam
		i.Memory.Offset -= isa.ParameterBase
	case isa.ConstantBankUser:
	case isa.ConstantBankLiterals:
		i.Memory.Offset += b.literals(b.word.function)
	default:
		b.fail("an index into constant bank %d is not simulated", bank)
	}
	i.Type, i.Memory.Vector, i.Dst = b.data(b.Modifier("ldsize"), b.register())
	return i, nil
}

// literals returns the offset of a function's literals in bank ConstantBankUser: a copy behind all variables, for loads that index them.
func (t *translator) literals(f *cubin.Function) int64 {
	name, end := "literals of "+f.Name, uint64(0)
	for _, s := range t.program.Symbols {
		if s.Space == isa.SpaceConst && s.Name == name {
			return int64(s.Address)
		}
		if s.Space == isa.SpaceConst {
			end = max(end, s.Address+uint64(s.Bytes))
		}
	}
	const align = 256
	s := &isa.Symbol{Name: name, Space: isa.SpaceConst, Type: isa.B8, Bytes: len(f.Literals), Align: align, Owner: -1, Initial: f.Literals,
		Address: (end + align - 1) &^ (align - 1)}
	t.program.Symbols = append(t.program.Symbols, s)
	return int64(s.Address)
}

var (
	atomics = map[string]isa.Sub{".ADD": isa.AtomicAdd, ".MIN": isa.AtomicMin, ".MAX": isa.AtomicMax, ".INC": isa.AtomicInc,
		".DEC": isa.AtomicDec,
		".AND": isa.AtomicAnd, ".OR": isa.AtomicOr, ".XOR": isa.AtomicXor, ".EXCH": isa.AtomicExch}
	atomicTypes = map[string]isa.Type{"": isa.U32, ".S32": isa.S32, ".U64": isa.U64, ".F32.FTZ.RN": isa.F32, ".S64": isa.S64}
)

func atomic(b *builder) (*isa.Instruction, error) {
	i := &isa.Instruction{Op: isa.OpAtom, Memory: b.address(isa.SpaceGeneric)}
	i.Memory.Vector = 1
	operands := b.Operands()
	if b.Field("next") != nil || b.Field("nextpair") != nil {
		i.Type, i.Mod.Select = isa.U32, isa.AtomicCas
		if operands[0].Wide {
			i.Type = isa.U64
		}
		i.Dst = []isa.Operand{b.operand(0, i.Type)}
		compared := b.operand(2, i.Type)
		with := compared
		if with.Register != isa.RZ {
			with.Register += isa.Register(i.Type.Registers())
		}
		i.Src = []isa.Operand{compared, with}
		return i, nil
	}
	var known [2]bool
	i.Mod.Select, known[0] = atomics[b.Modifier("atom")]
	i.Type, known[1] = atomicTypes[b.Modifier("atype")]
	if known != [2]bool{true, true} {
		b.fail("the operation is not simulated")
		return nil, nil
	}
	if i.Mod.Select == isa.AtomicAnd || i.Mod.Select == isa.AtomicOr || i.Mod.Select == isa.AtomicXor || i.Mod.Select == isa.AtomicExch {
		i.Type = map[int]isa.Type{4: isa.B32, 8: isa.B64}[i.Type.Bytes()]
	}
	value := b.operand(len(operands)-1, i.Type)
	i.Src = []isa.Operand{value}
	if b.Name == "RED" {
		i.Op = isa.OpRed
		return i, nil
	}
	i.Dst = []isa.Operand{b.operand(0, i.Type)}
	return i, nil
}

func fence(b *builder) (*isa.Instruction, error) {
	scope, ok := map[string]isa.Scope{".CTA": isa.ScopeBlock, ".GL": isa.ScopeDevice, ".SYS": isa.ScopeSystem}[b.Modifier("membar")]
	if !ok {
		b.fail("%s is no fence", b.Modifier("membar"))
	}
	b.op.Control = isa.ControlSync
	return &isa.Instruction{Op: isa.OpMembar, Memory: &isa.Memory{Scope: scope, Order: isa.OrderSeqCst}}, nil
}

// barrier waits for the block. A B2R takes the result of a reduction; it has no effect of its own here.
func barrier(b *builder) (*isa.Instruction, error) {
	b.op.Control = isa.ControlBarrier
	i := &isa.Instruction{Op: isa.OpBar, Type: isa.B32, Src: []isa.Operand{b.registerOrNumber("barrier")}}
	if count := b.registerOrNumber("count"); count != isa.Imm(0, isa.U32) {
		i.Src = append(i.Src, count)
	}
	switch mode := strings.TrimSuffix(strings.TrimPrefix(b.op.Mnemonic, "BAR"), ".S"); mode {
	case ".SYNC":
		i.Mod.Select = isa.BarSync
	case ".ARV":
		i.Mod.Select = isa.BarArrive
	case ".RED.POPC", ".RED.AND", ".RED.OR":
		i.Mod.Select = isa.BarRed
		i.Mod.Bool = map[string]isa.BoolOp{".RED.POPC": isa.BoolPopc, ".RED.AND": isa.BoolAnd, ".RED.OR": isa.BoolOr}[mode]
		register, predicate := b.results()
		if i.Mod.Bool != isa.BoolPopc {
			i.Dst = []isa.Operand{predicate}
		} else if i.Dst = []isa.Operand{register}; register.Register == isa.RZ { // the count is unused
			i.Mod, i.Dst = isa.Modifiers{Select: isa.BarSync}, nil
			return i, nil
		}
		p := b.value(b.Field("barp"), isa.Pred)
		p.Negate = b.Field("barp").Complements(b.Word)
		i.Src = append(i.Src, p)
	default:
		b.fail("%s is not simulated", mode)
	}
	return i, nil
}

// results returns the destinations of a barrier's results: its own operands, or those of the B2R.RESULT behind it.
func (b *builder) results() (register, predicate isa.Operand) {
	i := &b.Instruction
	if i.Field("r") == nil {
		taken := b.barrierResult()
		if taken == nil {
			b.fail("no B2R takes its result")
			return isa.Reg(isa.RZ, isa.U32), isa.Operand{}
		}
		i = &taken.Instruction
	}
	register, predicate = isa.Reg(isa.Register(i.Field("r").Value(i.Word)), isa.U32), isa.Operand{Kind: isa.OperandSink}
	if f := i.Field("p"); f != nil && f.Value(i.Word) != uint64(isa.PT) {
		predicate = isa.Predicate(isa.Register(f.Value(i.Word)), false)
	}
	return register, predicate
}

// barrierResult returns the B2R.RESULT behind a barrier.
func (b *builder) barrierResult() *word {
	for n := b.index + 1; n < min(len(b.code), b.index+32); n++ {
		if w := &b.code[n]; w.err == nil && w.Name == "B2R.RESULT" {
			return w
		}
	}
	return nil
}

// addressOf moves the address of a variable, or half of it; the loader resolves it.
func (b *builder) addressOf(d isa.Operand) (*isa.Instruction, error) {
	r := b.relocation
	for n, s := range b.program.Symbols {
		if s.Name != r.Symbol {
			continue
		}
		o := isa.Operand{Kind: isa.OperandSymbol, Symbol: int32(n), Immediate: uint64(r.Addend), Type: isa.U64}
		switch r.Type {
		case cubin.Relocate32From23, cubin.RelocateLow23, cubin.Relocate32From26, cubin.RelocateLow26:
			return b.make(isa.OpMov, isa.B32, isa.Modifiers{}, d, o), nil
		case cubin.RelocateHigh23, cubin.RelocateHigh26:
			return b.make(isa.OpShr, isa.U64, isa.Modifiers{}, d, o, isa.Imm(32, isa.U32)), nil
		}
	}
	b.fail("a relocation of type %d to %s is not known", r.Type, r.Symbol)
	return nil, nil
}

// pointers marks every eight-byte parameter as a pointer to global memory: machine code has no types, and a launch without a workload file
// needs to know its pointers.
func (t *translator) pointers() {
	for n := range t.kernelOf.Parameters {
		p := &t.kernelOf.Parameters[n]
		if p.Bytes != 8 {
			continue
		}
		p.Pointer, p.Space = true, isa.SpaceGlobal
	}
}
