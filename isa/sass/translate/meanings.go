package translate

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass"
)

// meanings translate operations, by name, into PTX instructions that compute the same.
var meanings map[string]func(*builder) (*isa.Instruction, error)

func init() {
	nothing := func(*builder) (*isa.Instruction, error) { return nil, nil }
	meanings = map[string]func(*builder) (*isa.Instruction, error){
		"FADD": floats(isa.OpAdd, isa.F32), "FADD32I": floats(isa.OpAdd, isa.F32), "FMUL": floats(isa.OpMul, isa.F32),
		"FMUL32I": floats(isa.OpMul, isa.F32), "FFMA": floats(isa.OpFma, isa.F32), "FFMA32I": floats(isa.OpFma, isa.F32),
		"DADD": floats(isa.OpAdd, isa.F64), "DMUL": floats(isa.OpMul, isa.F64), "DFMA": floats(isa.OpFma, isa.F64),
		"FMNMX": smaller(isa.F32), "DMNMX": smaller(isa.F64), "IMNMX": smaller(isa.S32),
		"FSETP": setp(isa.F32), "DSETP": setp(isa.F64), "ISETP": setp(isa.S32),
		"FSET": set(isa.F32), "DSET": set(isa.F64), "ISET": set(isa.S32),
		"FCMP": selected(isa.F32), "ICMP": selected(isa.S32),
		"IADD": sum, "ISUB": difference, "IADD32I": sum, "ISCADD": scaledSum, "ISCADD32I": scaledSum,
		"IMUL": product, "IMUL32I": product, "IMAD": productSum, "IMAD32I": productSum, "ISAD": absoluteDifference,
		"LOP": logic, "LOP32I": logic, "SHL": shift(isa.OpShl), "SHR": shift(isa.OpShr), "SHF": funnel,
		"BFE": extract, "BFI": insert, "FLO": highestBit, "POPC": countBits, "PRMT": permute,
		"FCHK": divisionCheck,
		"MOV":  move, "MOV32I": move, "SEL": pick, "S2R": special, "PSET": predicateSet, "PSETP": predicates, "VOTE": vote, "SHFL": shuffle,
		"F2F": floatToFloat, "F2I": floatToInteger, "I2F": integerToFloat, "I2I": integerToInteger, "MUFU": function, "RRO": prepare,
		"LD": load(isa.SpaceGeneric), "LDS": load(isa.SpaceShared), "LDL": load(isa.SpaceLocal), "LDG": load(isa.SpaceGlobal),
		"TEX": texture(isa.OpTex, isa.F32), "TLD": texture(isa.OpTex, isa.S32), "TLD4": texture(isa.OpTld4, isa.F32),
		"TXD": gradient, "TXQ": textureQuery,
		"LDC": loadConstant, "LDSLK": lockedLoad,
		"STSCUL": func(b *builder) (*isa.Instruction, error) {
			b.op.Class = isa.ClassNop
			return b.locked(), nil
		},
		"ST": store(isa.SpaceGeneric), "STS": store(isa.SpaceShared), "STL": store(isa.SpaceLocal),
		"ATOM": atomic, "RED": atomic, "CCTL": nothing, "CCTLL": nothing, "MEMBAR": fence, "BAR": barrier, "B2R": nothing,
		"NOP": nothing, "TEXDEPBAR": nothing, "SSY": nothing, "PBK": nothing, "PCNT": nothing, "PRET": nothing,
		"BRA": branches(isa.ControlBranch), "BRX": indexedBranch, "CAL": branches(isa.ControlBranch),
		"JCAL": branches(isa.ControlBranch), "P2R": predicatesToRegister, "R2P": registerToPredicates,
		"RET": branches(isa.ControlBranch), "BRK": branches(isa.ControlBranch),
		"CONT": branches(isa.ControlBranch), "EXIT": branches(isa.ControlExit), "BPT": branches(isa.ControlTrap),
	}
}

func branches(c isa.Control) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		b.op.Control = c
		return nil, nil
	}
}

// roundings are the rounding modes of arithmetic, integral those that round to integral values.
var (
	roundings = map[string]isa.Rounding{"": isa.RoundNearest, ".RM": isa.RoundMinus, ".RP": isa.RoundPlus, ".RZ": isa.RoundZero}
	integral  = map[string]isa.Rounding{"": isa.RoundNearestInt, ".ROUND": isa.RoundNearestInt, ".FLOOR": isa.RoundMinusInt,
		".CEIL":  isa.RoundPlusInt,
		".TRUNC": isa.RoundZeroInt}
	compares = map[string]isa.Compare{".LT": isa.LT, ".EQ": isa.EQ, ".LE": isa.LE, ".GT": isa.GT, ".NE": isa.NE, ".GE": isa.GE,
		".NUM": isa.NUM,
		".NAN": isa.NAN, ".LTU": isa.LTU, ".EQU": isa.EQU, ".LEU": isa.LEU, ".GTU": isa.GTU, ".NEU": isa.NEU, ".GEU": isa.GEU}
)

// rounded returns the modifiers of floating-point arithmetic.
func (b *builder) rounded() isa.Modifiers {
	m := isa.Modifiers{Rounding: roundings[b.Modifier("rnd")], Flush: b.is("ftz", ".FTZ") || b.is("fmz", ".FTZ"), Saturate: b.is("sat",
		".SAT")}
	if f := b.Modifier("fmz"); f != "" && f != ".FTZ" {
		b.fail("%s is not simulated", f)
	}
	return m
}

func floats(op isa.Opcode, t isa.Type) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		b.only("cc", "mulf")
		i := &isa.Instruction{Op: op, Type: t, Mod: b.rounded(), Dst: []isa.Operand{b.operand(0, t)}}
		for n := range len(b.Operands()) - 1 {
			i.Src = append(i.Src, b.operand(n+1, t))
		}
		if y := &i.Src[1]; t == isa.F64 && op == isa.OpAdd && y.Negate && !y.Absolute && !i.Src[0].Negate { // a NaN must keep its sign
			i.Op, y.Negate = isa.OpSub, false
		}
		return i, nil
	}
}

// divisionCheck tests for a division's slow path.
func divisionCheck(b *builder) (*isa.Instruction, error) {
	return b.make(isa.OpFchk, isa.F32, isa.Modifiers{}, b.written(0), b.operand(1, isa.F32), b.operand(2, isa.F32)), nil
}

// signedOr returns a type, or its unsigned form if the operation has .U32.
func (b *builder) signedOr(t isa.Type) isa.Type {
	if t == isa.S32 && b.is("u", ".U32") {
		return isa.U32
	}
	return t
}

// smaller translates min and max: a predicate chooses between them.
func smaller(t isa.Type) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		p := b.operand(3, isa.Pred)
		op := isa.OpMin
		if p.Negate {
			op = isa.OpMax
		}
		if p.Register != isa.PT {
			b.fail("a choice between the smaller and the larger by P%d is not simulated", p.Register)
		}
		b.only("cc")
		t := b.signedOr(t)
		mod := isa.Modifiers{Flush: b.is("ftz", ".FTZ")}
		return b.make(op, t, mod, b.operand(0, t), b.operand(1, t), b.operand(2, t)), nil
	}
}

// comparison returns the modifiers of a comparison.
func (b *builder) comparison() isa.Modifiers {
	text := b.Modifier("cmp") + b.Modifier("icmp")
	c, ok := compares[text]
	if !ok {
		b.fail("%s as a comparison is not simulated", text)
	}
	return isa.Modifiers{Compare: c, Flush: b.is("ftz", ".FTZ")}
}

func setp(t isa.Type) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		t := b.signedOr(t)
		i := &isa.Instruction{Op: isa.OpSetp, Type: t, Mod: b.comparison(), Dst: []isa.Operand{b.written(0), b.written(1)},
			Src: []isa.Operand{b.operand(2, t), b.operand(3, t)}}
		if reads, _ := b.carries(); reads {
			i.Op = isa.OpSetc
		}
		if i.Dst[1].Kind == isa.OperandSink {
			i.Dst = i.Dst[:1]
		}
		return b.combined(i, b.operand(4, isa.Pred)), nil
	}
}

// written returns a destination predicate; nothing for PT.
func (b *builder) written(n int) isa.Operand {
	o := b.operand(n, isa.Pred)
	if o.Register == isa.PT {
		return isa.Operand{Kind: isa.OperandSink}
	}
	return o
}

func set(t isa.Type) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		t := b.signedOr(t)
		if b.flag != noFlag {
			return b.combined(&isa.Instruction{Op: isa.OpSetp, Type: t, Mod: b.comparison(),
				Dst: []isa.Operand{isa.Predicate(b.flag, false)},
				Src: []isa.Operand{b.operand(1, t), b.operand(2, t)}}, b.operand(3, isa.Pred)), nil
		}
		b.only("cc", "carry")
		i := &isa.Instruction{Op: isa.OpSet, Type: isa.U32, From: t, Mod: b.comparison(), Dst: []isa.Operand{b.operand(0, isa.B32)},
			Src: []isa.Operand{b.operand(1, t), b.operand(2, t)}}
		if b.is("bf", ".BF") {
			i.Type = isa.F32
		}
		return b.combined(i, b.operand(3, isa.Pred)), nil
	}
}

func selected(t isa.Type) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		i := b.make(isa.OpCsel, isa.B32, b.comparison(), b.operand(0, isa.B32), b.operand(1, isa.B32), b.operand(2, isa.B32))
		i.From = b.signedOr(t)
		i.Src = append(i.Src, b.operand(3, i.From))
		return i, nil
	}
}

// sum is an integer addition; if one operand is negated, it is a subtraction.
func sum(b *builder) (*isa.Instruction, error) {
	b.only("ill")
	x, y := b.operand(1, isa.U32), b.operand(2, isa.U32)
	if b.has(1, sass.Negated) {
		return b.integerSum(isa.OpSub, isa.OpSubc, y, x)
	}
	return b.integerSum(isa.OpAdd, isa.OpAddc, x, y)
}

func difference(b *builder) (*isa.Instruction, error) {
	return b.integerSum(isa.OpSub, isa.OpSubc, b.operand(1, isa.U32), b.operand(2, isa.U32))
}

func (b *builder) integerSum(op, carried isa.Opcode, x, y isa.Operand) (*isa.Instruction, error) {
	reads, writes := b.carries()
	t := isa.U32
	saturates := b.is("sat", ".SAT")
	if saturates {
		if t = isa.S32; reads || writes {
			b.fail("saturation with a carry is not simulated")
		}
	}
	if reads {
		op = carried
	}
	return b.make(op, t, isa.Modifiers{CarryOut: writes, Saturate: saturates}, b.operand(0, isa.U32), x, y), nil
}

// scaledSum is a shift and an addition: a multiply-add by a power of two.
func scaledSum(b *builder) (*isa.Instruction, error) {
	reads, writes := b.carries()
	by := b.operand(3, isa.U32)
	x, y := b.operand(1, isa.U32), b.operand(2, isa.U32)
	x.Negate, y.Negate = b.negated(1, reads || writes), b.negated(2, reads || writes)
	op := isa.OpMad
	if reads {
		op = isa.OpMadc
	}
	return b.make(op, isa.U32, isa.Modifiers{Half: isa.Lo, CarryOut: writes}, b.operand(0, isa.U32), x,
		isa.Imm(1<<by.Immediate, isa.U32), y), nil
}

// negated reports that an integer is negated; it fails for a sum with carry, where that is not supported.
func (b *builder) negated(n int, carry bool) bool {
	if b.has(n, sass.Negated) && carry {
		b.fail("a negative number in a sum with a carry is not simulated")
	}
	return b.has(n, sass.Negated)
}

// factors returns the type of a product's sources, and the half that is kept.
func (b *builder) factors(name string) (isa.Type, isa.Half) {
	half := isa.Lo
	if b.is("hi", ".HI") {
		half = isa.Hi
	}
	switch b.Modifier(name) {
	case ".U32.U32":
		return isa.U32, half
	case "":
		return isa.S32, half
	}
	if half == isa.Hi {
		b.fail("a product of a signed and an unsigned number is not simulated")
	}
	return isa.U32, half // the low half does not depend on signs
}

func product(b *builder) (*isa.Instruction, error) {
	t, half := b.factors("mul")
	if _, writes := b.carries(); writes { // a carry of a product alone
		return b.make(isa.OpMad, t, isa.Modifiers{Half: half, CarryOut: true}, b.operand(0, t), b.operand(1, t), b.operand(2, t),
			isa.Reg(isa.RZ, t)), nil
	}
	return b.make(isa.OpMul, t, isa.Modifiers{Half: half}, b.operand(0, t), b.operand(1, t), b.operand(2, t)), nil
}

func productSum(b *builder) (*isa.Instruction, error) {
	t, half := b.factors("mad")
	reads, writes := b.carries()
	saturates := b.is("sat", ".SAT")
	if saturates && (half != isa.Hi || t != isa.S32 || reads || writes || b.has(3, sass.Negated)) { // the limits of PTX
		b.fail("this saturation is not simulated")
	}
	x, z := b.operand(1, t), b.operand(3, t)
	x.Negate, z.Negate = b.negated(1, reads || writes || half == isa.Hi), b.negated(3, reads || writes)
	op := isa.OpMad
	if reads {
		op = isa.OpMadc
	}
	return b.make(op, t, isa.Modifiers{Half: half, CarryOut: writes, Saturate: saturates}, b.operand(0, t), x, b.operand(2, t), z), nil
}

func absoluteDifference(b *builder) (*isa.Instruction, error) {
	t := b.signedOr(isa.S32)
	return b.make(isa.OpSad, t, isa.Modifiers{}, b.operand(0, t), b.operand(1, t), b.operand(2, t), b.operand(3, t)), nil
}

// logic is and, or, xor, or the second source. With inverted sources it is a truth table.
func logic(b *builder) (*isa.Instruction, error) {
	b.only("cc", "carry")
	d, x, y := b.operand(0, isa.B32), b.operand(1, isa.B32), b.operand(2, isa.B32)
	op := map[string]isa.Opcode{".AND": isa.OpAnd, ".OR": isa.OpOr, ".XOR": isa.OpXor}[b.Modifier("lop")]
	passes := b.is("lop", ".PASS_B")
	notX, notY := b.has(1, sass.Inverted) && !passes, b.has(2, sass.Inverted)
	switch {
	case passes && notY:
		return b.make(isa.OpNot, isa.B32, isa.Modifiers{}, d, y), nil
	case passes:
		return b.make(isa.OpMov, isa.B32, isa.Modifiers{}, d, y), nil
	case !notX && !notY:
		return b.make(op, isa.B32, isa.Modifiers{}, d, x, y), nil
	}
	p, q := uint8(0xf0), uint8(0xcc)
	if notX {
		p = ^p
	}
	if notY {
		q = ^q
	}
	table := map[isa.Opcode]uint8{isa.OpAnd: p & q, isa.OpOr: p | q, isa.OpXor: p ^ q}[op]
	return b.make(isa.OpLop3, isa.B32, isa.Modifiers{}, d, x, y, isa.Imm(0, isa.B32), isa.Imm(uint64(table), isa.U32)), nil
}

func shift(op isa.Opcode) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		b.only("wrap", "cc")
		t := isa.U32
		if op == isa.OpShr {
			t = b.signedOr(isa.S32)
		}
		return b.make(op, t, isa.Modifiers{}, b.operand(0, t), b.operand(1, t), b.operand(2, isa.U32)), nil
	}
}

// funnel shifts a double word: a is the low word, c the high word, b the amount.
func funnel(b *builder) (*isa.Instruction, error) {
	mod := isa.Modifiers{Select: isa.ShiftRight, ShiftMode: isa.Clamp}
	if b.Name == "SHF.L" {
		mod.Select = isa.ShiftLeft
	}
	if b.is("wrap", ".W") {
		mod.ShiftMode = isa.Wrap
	}
	t := map[string]isa.Type{"": isa.B32, ".U64": isa.U64, ".S64": isa.S64}[b.Modifier("shf")]
	if b.is("hi", ".HI") {
		if mod.Half = isa.Hi; t == isa.B32 || mod.Select == isa.ShiftLeft {
			b.fail(".HI is not simulated here")
		}
	}
	if t == isa.TypeNone {
		b.fail("%s is no type", b.Modifier("shf"))
	}
	return b.make(isa.OpShf, t, mod, b.operand(0, isa.B32), b.operand(1, isa.B32), b.operand(3, isa.B32), b.operand(2, isa.U32)), nil
}

// bitField splits a number into a field's position and length; known is false for a register.
func (b *builder) bitField(n int) (position, length isa.Operand, known bool) {
	o := b.operand(n, isa.U32)
	return isa.Imm(o.Immediate&0xff, isa.U32), isa.Imm(o.Immediate>>8&0xff, isa.U32), o.Kind == isa.OperandImmediate
}

func extract(b *builder) (*isa.Instruction, error) {
	b.only("cc")
	t := b.signedOr(isa.S32)
	if b.is("brev", ".BREV") {
		const whole = 32 << 8 // from bit 0 on
		if o := b.operand(2, isa.U32); o.Kind != isa.OperandImmediate || o.Immediate != whole {
			b.fail(".BREV of a part of a word is not simulated")
		}
		return b.make(isa.OpBrev, isa.B32, isa.Modifiers{}, b.operand(0, isa.B32), b.operand(1, isa.B32)), nil
	}
	position, length, known := b.bitField(2)
	if !known {
		return b.make(isa.OpBfer, t, isa.Modifiers{}, b.operand(0, t), b.operand(1, t), b.operand(2, isa.U32)), nil
	}
	return b.make(isa.OpBfe, t, isa.Modifiers{}, b.operand(0, t), b.operand(1, t), position, length), nil
}

func insert(b *builder) (*isa.Instruction, error) {
	d, x, y := b.operand(0, isa.B32), b.operand(1, isa.B32), b.operand(3, isa.B32)
	position, length, known := b.bitField(2)
	if !known {
		return b.make(isa.OpBfir, isa.U32, isa.Modifiers{}, d, x, y, b.operand(2, isa.U32)), nil
	}
	return b.make(isa.OpBfi, isa.B32, isa.Modifiers{}, d, x, y, position, length), nil
}

func highestBit(b *builder) (*isa.Instruction, error) {
	b.plain(1)
	t := b.signedOr(isa.S32)
	return b.make(isa.OpBfind, t, isa.Modifiers{ShiftAmt: b.is("sh", ".SH")}, b.operand(0, isa.U32), b.operand(1, t)), nil
}

// countBits counts the bits that are set in both sources; equal sources are one.
func countBits(b *builder) (*isa.Instruction, error) {
	b.plain(1, 2)
	d, x, y := b.operand(0, isa.U32), b.operand(1, isa.B32), b.operand(2, isa.B32)
	if x != y {
		b.first(b.make(isa.OpAnd, isa.B32, isa.Modifiers{}, d, x, y))
		x = d
	}
	return b.make(isa.OpPopc, isa.B32, isa.Modifiers{}, d, x), nil
}

var permutations = map[string]isa.Sub{"": isa.SubNone, ".F4E": isa.PrmtF4E, ".B4E": isa.PrmtB4E, ".RC8": isa.PrmtRC8, ".ECL": isa.PrmtECL,
	".ECR": isa.PrmtECR, ".RC16": isa.PrmtRC16}

// permute has the selector as second source and the high bytes last.
func permute(b *builder) (*isa.Instruction, error) {
	mode, ok := permutations[b.Modifier("prmt")]
	if !ok {
		b.fail("%s is no permutation", b.Modifier("prmt"))
	}
	return b.make(isa.OpPrmt, isa.B32, isa.Modifiers{Select: mode}, b.operand(0, isa.B32), b.operand(1, isa.B32), b.operand(3, isa.B32),
		b.operand(2, isa.B32)), nil
}

func move(b *builder) (*isa.Instruction, error) {
	if f := b.Field("lanes"); f.Value(b.Word) != 15 {
		b.fail("a move of some lanes of four is not simulated")
	}
	d := b.operand(0, isa.B32)
	if b.relocation == nil {
		return b.make(isa.OpMov, isa.B32, isa.Modifiers{}, d, b.operand(1, isa.B32)), nil
	}
	return b.addressOf(d)
}

func pick(b *builder) (*isa.Instruction, error) {
	return b.make(isa.OpSelp, isa.B32, isa.Modifiers{}, b.operand(0, isa.B32), b.operand(1, isa.B32), b.operand(2, isa.B32), b.operand(3,
		isa.Pred)), nil
}

// predicates combines three predicates into (a op b) op c and !(a op b) op c.
func predicates(b *builder) (*isa.Instruction, error) {
	both := func(op uint64, x, y bool) bool {
		switch op {
		case 0:
			return x && y
		case 1:
			return x || y
		}
		return x != y
	}
	first, second := b.Fields[0].Value(b.Word), b.Fields[1].Value(b.Word)
	if first > 2 || second > 2 {
		b.fail("no operation of predicates")
	}
	mod := isa.Modifiers{}
	for k := range 8 {
		x := both(first, k&1 != 0, k&2 != 0)
		if both(second, x, k&4 != 0) {
			mod.SelectMask |= 1 << k
		}
		if both(second, !x, k&4 != 0) {
			mod.Scale |= 1 << k
		}
	}
	return &isa.Instruction{Op: isa.OpPlop, Type: isa.Pred, Mod: mod, Dst: []isa.Operand{b.written(0), b.written(1)},
		Src: []isa.Operand{b.operand(2, isa.Pred), b.operand(3, isa.Pred), b.operand(4, isa.Pred)}}, nil
}

// predicateSet sets a register to all ones, or 1.0, if a combination of three predicates is true: (a op b) op c.
func predicateSet(b *builder) (*isa.Instruction, error) {
	b.only("cc")
	d := b.operand(0, isa.U32)
	list := []*isa.Instruction{b.make(isa.OpSelp, isa.B32, isa.Modifiers{}, d, isa.Imm(1<<32-1, isa.B32), isa.Imm(0, isa.B32),
		b.operand(1, isa.Pred))}
	for k := range b.Fields {
		if f := &b.Fields[k]; f.Name == "bool" {
			op, ok := boolOps[f.Text(b.Word)]
			if !ok {
				b.fail("%s is no operation of predicates", f.Text(b.Word))
			}
			i := b.make(isa.OpSet, isa.U32, isa.Modifiers{Compare: isa.NE, Bool: op}, d, d, isa.Imm(0, isa.U32),
				b.operand(len(list)+1, isa.Pred))
			i.From = isa.U32
			list = append(list, i)
		}
	}
	last := list[len(list)-1]
	if b.is("bf", ".BF") {
		last.Type = isa.F32
	}
	for _, i := range list[:len(list)-1] {
		b.first(i)
	}
	return last, nil
}

// predicatesToRegister copies the predicates that a mask names into their bits of a register.
func predicatesToRegister(b *builder) (*isa.Instruction, error) {
	mask := b.operand(2, isa.B32)
	i := b.make(isa.OpP2r, isa.B32, isa.Modifiers{}, b.operand(0, isa.B32), b.operand(1, isa.B32), mask)
	i.Src = append(i.Src, named(&mask)...)
	return i, nil
}

// registerToPredicates copies a register's bits into the predicates that a mask names.
func registerToPredicates(b *builder) (*isa.Instruction, error) {
	mask := b.operand(1, isa.B32)
	i := &isa.Instruction{Op: isa.OpR2p, Type: isa.B32, Dst: named(&mask), Src: []isa.Operand{b.operand(0, isa.B32), mask}}
	if mask.Kind != isa.OperandImmediate { // predicates that the mask does not name keep their values
		i.Src = append(i.Src, i.Dst...)
	}
	return i, nil
}

// named returns the predicates that a mask names; all, if the mask is not constant.
func named(mask *isa.Operand) (list []isa.Operand) {
	for p := range isa.PT {
		if mask.Kind != isa.OperandImmediate || mask.Immediate>>p&1 != 0 {
			list = append(list, isa.Predicate(p, false))
		}
	}
	return list
}

// specials are the special registers that PTX has too.
var specials = map[string]isa.SpecialRegister{
	"SR_TID.X": isa.TidX, "SR_TID.Y": isa.TidY, "SR_TID.Z": isa.TidZ, "SR_CTAID.X": isa.CtaidX, "SR_CTAID.Y": isa.CtaidY,
	"SR_CTAID.Z": isa.CtaidZ,
	"SR_LANEID":  isa.LaneID, "SR_EQMASK": isa.LanemaskEQ, "SR_LTMASK": isa.LanemaskLT, "SR_LEMASK": isa.LanemaskLE,
	"SR_GTMASK": isa.LanemaskGT,
	"SR_GEMASK": isa.LanemaskGE, "SR_CLOCKLO": isa.Clock, "SR_CLOCKHI": isa.ClockHi, "SR_GLOBALTIMERLO": isa.GlobalTimerLo,
	"SR_GLOBALTIMERHI": isa.GlobalTimerHi,
}

func special(b *builder) (*isa.Instruction, error) {
	name := sass.Special(b.Field("sr").Value(b.Word))
	s, ok := specials[name]
	if name == "SR_LMEMHIOFF" { // lower limit of the call stack: local memory begins with it
		return b.make(isa.OpMov, isa.U32, isa.Modifiers{}, b.operand(0, isa.U32), isa.Imm(0, isa.U32)), nil
	}
	if !ok {
		b.fail("%s is not simulated", name)
	}
	return b.make(isa.OpMov, isa.U32, isa.Modifiers{}, b.operand(0, isa.U32), isa.Operand{Kind: isa.OperandSpecial, Special: s,
		Type: isa.U32}), nil
}

// vote writes the ballot to a register, and the result of all, any or uni to a predicate.
func vote(b *builder) (*isa.Instruction, error) {
	if b.Name != "VOTE" {
		b.fail("the operation is not simulated")
		return nil, nil
	}
	d, p := b.operand(0, isa.B32), b.written(1)
	mode := map[string]isa.Sub{".ALL": isa.VoteAll, ".ANY": isa.VoteAny, ".EQ": isa.VoteUni}[b.Modifier("vote")]
	i := &isa.Instruction{Op: isa.OpVote, Type: isa.Pred, Mod: isa.Modifiers{Select: mode}, Dst: []isa.Operand{p},
		Src: []isa.Operand{b.operand(2, isa.Pred)}}
	switch {
	case mode == isa.SubNone:
		b.fail("%s is no vote", b.Modifier("vote"))
	case d.Register != isa.RZ:
		ballot := *i
		ballot.Type, ballot.Mod.Select, ballot.Dst = isa.B32, isa.VoteBallot, []isa.Operand{d}
		if p.Kind == isa.OperandSink {
			return &ballot, nil
		}
		b.first(&ballot)
	}
	return i, nil
}

func shuffle(b *builder) (*isa.Instruction, error) {
	mode := map[string]isa.Sub{".IDX": isa.ShflIdx, ".UP": isa.ShflUp, ".DOWN": isa.ShflDown, ".BFLY": isa.ShflBfly}[b.Modifier("shfl")]
	i := &isa.Instruction{Op: isa.OpShfl, Type: isa.B32, Mod: isa.Modifiers{Select: mode}, Dst: []isa.Operand{b.operand(1, isa.B32)},
		Src: []isa.Operand{b.operand(2, isa.B32)}}
	if p := b.written(0); p.Kind != isa.OperandSink {
		i.Dst = append(i.Dst, p)
	}
	for _, name := range []string{"lane", "bound"} {
		i.Src = append(i.Src, b.registerOrNumber(name))
	}
	return i, nil
}

// registerOrNumber returns an operand that is a register or a number.
func (b *builder) registerOrNumber(name string) isa.Operand {
	v, number := b.Field(name).Either(b.Word)
	switch {
	case number:
		return isa.Imm(v, isa.U32)
	case v == uint64(isa.RZ):
		return isa.Imm(0, isa.U32)
	}
	return isa.Reg(isa.Register(v), isa.U32)
}
