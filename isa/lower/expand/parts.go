package expand

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// part is an instruction of arch.Generation.Parts: one that becomes a single operation.
type part struct {
	isa.Instruction // without operands
	guard           string
	dst, src        []partOperand
}

// partOperand is a reference of the table of forms, or a number.
type partOperand struct {
	reference
	number  bool
	value   uint64
	negated bool
}

// partsOf parses a generation's table of parts.
func partsOf(table string) map[string][]part {
	byName := map[string][]part{}
	for row := range rows(table) {
		name, text, _ := strings.Cut(row, " ")
		var list []part
		for step := range strings.SplitSeq(text, "|") {
			p, err := parsePart(strings.Fields(step))
			if err != nil {
				panic(fmt.Sprintf("lower: parts of %s: %v", name, err)) // the table is ours
			}
			list = append(list, p)
		}
		byName[name] = list
	}
	return byName
}

// partModifiers are the words of a part's name that are not types.
var partModifiers = map[string]isa.Modifiers{
	"nan": {Compare: isa.NAN}, "equ": {Compare: isa.EQU}, "geu": {Compare: isa.GEU}, "and": {Bool: isa.BoolAnd},
	"lo": {Half: isa.Lo}, "hi": {Half: isa.Hi}, "cc": {CarryOut: true}, "rn": {Rounding: isa.RoundNearest},
	"rp": {Rounding: isa.RoundPlus}, "rzi": {Rounding: isa.RoundZeroInt}, "approx": {Approx: true}, "ftz": {Flush: true},
	"l": {Select: isa.ShiftLeft}, "r": {Select: isa.ShiftRight}, "clamp": {ShiftMode: isa.Clamp}, "lt": {Compare: isa.LT},
	"gt": {Compare: isa.GT}, "ge": {Compare: isa.GE}, "eq": {Compare: isa.EQ}, "ne": {Compare: isa.NE},
}

// machineOpcodes are the opcodes that PTX does not have.
var machineOpcodes = map[string]isa.Opcode{"setc": isa.OpSetc, "rcp64h": isa.OpRcp64h, "rsqrt64h": isa.OpRsqrt64h}

// parsePart parses an instruction: its name with modifiers and types, its destinations and, behind a colon, its sources.
func parsePart(words []string) (p part, err error) {
	if guard, ok := strings.CutPrefix(words[0], "@"); ok {
		p.guard, words = guard, words[1:]
	}
	names := strings.Split(words[0], ".")
	var ok bool
	if p.Op, ok = isa.ParseOpcode(names[0]); !ok {
		p.Op, ok = machineOpcodes[names[0]]
	}
	if !ok {
		return p, fmt.Errorf("no opcode %s", names[0])
	}
	for _, name := range names[1:] {
		if t, ok := isa.ParseType(name); ok {
			if p.Type == isa.TypeNone {
				p.Type = t
			} else {
				p.From = t
			}
			continue
		}
		m, ok := partModifiers[name]
		if !ok {
			return p, fmt.Errorf("no modifier %s", name)
		}
		p.modify(m)
	}
	to := &p.dst
	for _, word := range words[1:] {
		if word == ":" {
			to = &p.src
			continue
		}
		o := partOperand{}
		word, o.negated = strings.CutPrefix(word, "-")
		if number, ok := strings.CutPrefix(word, "#"); ok {
			v, err := strconv.ParseInt(number, 0, 64)
			if err != nil {
				return p, err
			}
			o.number, o.value = true, uint64(uint32(v))
		} else if o.reference, err = parseReference(word); err != nil {
			return p, err
		}
		*to = append(*to, o)
	}
	return p, nil
}

// modify adds a modifier.
func (p *part) modify(m isa.Modifiers) {
	mod := &p.Mod
	mod.CarryOut, mod.Approx, mod.Flush = mod.CarryOut || m.CarryOut, mod.Approx || m.Approx, mod.Flush || m.Flush
	mod.Half, mod.Rounding, mod.ShiftMode = max(mod.Half, m.Half), max(mod.Rounding, m.Rounding), max(mod.ShiftMode, m.ShiftMode)
	mod.Select, mod.Compare, mod.Bool = max(mod.Select, m.Select), max(mod.Compare, m.Compare), max(mod.Bool, m.Bool)
}

// partsOf returns the parts of an instruction, by its most specific name; nil if one operation computes it.
func (x *expander) partsOf(i *isa.Instruction) []part {
	if i.Mod.CarryOut && i.Type.Bytes() == 8 || i.Op == isa.OpCvt || i.Op == isa.OpMov {
		return nil
	}
	name := i.Op.Facts().Name
	if i.Mod.Half != isa.HalfNone {
		name += "." + half(i)
	}
	if i.Type.Float() && (i.Mod.Approx || i.Mod.Full) {
		name += "." + precision(i)
	} else if (i.Op == isa.OpDiv || i.Op == isa.OpRcp || i.Op == isa.OpSqrt) && i.Mod.Rounding == isa.RoundNearest {
		name += ".rn"
	}
	ends := []string{"." + i.From.String(), ""}
	if !x.Options.Abilities().FunnelShifts {
		ends = append(ends[:1:1], ".unfunnelled", "")
	}
	for _, t := range []string{i.Type.String(), typeGroup(i.Type)} {
		for _, from := range ends {
			if parts := x.tables.parts()[name+"."+t+from]; parts != nil {
				return parts
			}
		}
	}
	return nil
}

// split expands an instruction as its parts; done is false if it is one operation.
func (x *expander) split(i *isa.Instruction) (done bool, err error) {
	if i.Op == isa.OpSetp && i.Type.Bytes() == 8 && !i.Type.Float() || i.Op == isa.OpSet && i.From.Bytes() == 8 && !i.From.Float() {
		return true, x.compareWide(i)
	}
	if done, err := x.prepared(i); done || err != nil {
		return done, err
	}
	x.widen(i)
	parts := x.partsOf(i)
	if parts == nil {
		if i.Op == isa.OpSelp && i.Type.Bytes() == 4 {
			x.hold(i)
		}
		if o := &i.Src; (i.Op == isa.OpNeg || i.Op == isa.OpAbs) && (*o)[0].Kind != isa.OperandRegister && i.Type.Bytes() == 4 {
			t := x.Temporary(isa.B32)
			x.moveWord(i, isa.Reg(t, isa.B32), (*o)[0])
			(*o)[0] = isa.Reg(t, i.Type)
		}
		return false, nil
	}
	clear(x.temporaries)
	guarded := false // by the table itself: then intermediate results do not depend on the instruction's guard
	for n := range parts {
		guarded = guarded || parts[n].guard != ""
	}
	for n := range parts {
		p := &parts[n]
		step := p.Instruction
		step.Line, step.InlineRegion = i.Line, i.InlineRegion
		if !guarded || n == len(parts)-1 {
			step.Guard = i.Guard
		}
		if p.guard != "" {
			r, err := parseReference(p.guard)
			if err != nil {
				return true, err
			}
			step.Guard = isa.Guard{Present: true, Register: x.temporaryOf(r)}
		}
		if step.Type == isa.F32 && (step.Op == isa.OpMul || step.Op == isa.OpCvt) || step.From == isa.F32 {
			step.Mod.Flush = step.Mod.Flush || i.Mod.Flush
			step.Mod.Saturate = i.Mod.Saturate && n == len(parts)-1
		}
		for k := range p.dst {
			step.Dst = append(step.Dst, x.partOf(i, &step, &p.dst[k]))
		}
		for k := range p.src {
			step.Src = append(step.Src, x.partOf(i, &step, &p.src[k]))
		}
		if len(step.Src) > 1 && step.Op == isa.OpMad && step.Src[1].Kind == isa.OperandRegister && x.Options.Abilities().ShiftedProducts {
			if v, known := x.numbers[virtual.Whole(step.Src[1].Register)]; known && bits.OnesCount64(v) == 1 && v>>32 == 0 {
				step.Src[1] = isa.Imm(v, isa.U32)
			}
		}
		if err := x.single(&step, n == len(parts)-1); err != nil {
			return true, err
		}
	}
	return true, nil
}

// prepared expands instructions that first need something in registers: addresses of the read-only path, both words of a compare-and-swap,
// arguments of functions, and addresses of variables.
func (x *expander) prepared(i *isa.Instruction) (done bool, err error) {
	switch m := i.Memory; {
	case i.Op == isa.OpLd && m.Offset != 0 && m.Base.Kind == isa.OperandRegister && m.Base.Type.Bytes() == 8 &&
		(m.Cache == isa.CacheReadOnly || m.Uniform) && m.Space == isa.SpaceGlobal:
		t := isa.Reg(x.Temporary(isa.B64), isa.B64)
		sum := &isa.Instruction{Op: isa.OpAdd, Type: isa.U64, Guard: i.Guard, Line: i.Line, Dst: []isa.Operand{t},
			Src: []isa.Operand{m.Base, isa.Imm(uint64(m.Offset), isa.U64)}}
		if _, err := x.split(sum); err != nil {
			return false, err
		}
		x.Out[len(x.Out)-1].PTXCount = 0
		m.Base, m.Offset = isa.Reg(t.Register, m.Base.Type), 0
	case i.Op == isa.OpAtom && i.Mod.Select == isa.AtomicCas && m.Space != isa.SpaceShared:
		words := max(1, i.Type.Registers())
		t := x.Temporary(map[int]isa.Type{1: isa.B64, 2: isa.B128}[words])
		for n := range i.Src {
			for w := range words {
				x.moveWord(i, isa.Reg(virtual.Part(t, n*words+w), isa.B32), x.wordOf(i.Src[n], w))
			}
			i.Src[n] = isa.Reg(virtual.Part(t, n*words), i.Type)
		}
	case i.Op == isa.OpMov && i.Src[0].Kind == isa.OperandSymbol && x.OperandWords(&i.Dst[0]) == 2:
		for n, op := range []isa.Opcode{isa.OpMov, isa.OpShr} {
			half := &isa.Instruction{Op: op, Type: isa.B32, Guard: i.Guard, Line: i.Line, Dst: []isa.Operand{x.wordOf(i.Dst[0], n)},
				Src: []isa.Operand{i.Src[0]}}
			if op == isa.OpShr {
				half.Type, half.Src = isa.U64, append(half.Src, isa.Imm(32, isa.U32))
			}
			x.Simple(half, "MOV32I", isa.ClassMove).PTXCount = uint8(n)
		}
		return true, nil
	case (i.Op == isa.OpSin || i.Op == isa.OpCos || i.Op == isa.OpEx2) && i.Type == isa.F32 && (i.Mod.Flush || i.Op != isa.OpEx2):
		t := isa.Reg(x.Temporary(isa.B32), isa.B32)
		reduce, function := "RRO.SINCOS", map[isa.Opcode]string{isa.OpSin: "MUFU.SIN", isa.OpCos: "MUFU.COS", isa.OpEx2: "MUFU.EX2"}[i.Op]
		if i.Op == isa.OpEx2 {
			reduce = "RRO.EX2"
		}
		x.hold(i)
		s := i.Src[0]
		s.Type = isa.B32
		x.Simple(&isa.Instruction{Op: isa.OpMov, Type: isa.B32, Guard: i.Guard, Line: i.Line, Dst: []isa.Operand{t},
			Src: []isa.Operand{s}}, reduce, isa.ClassRangeReduce).PTXCount = 0
		i.Src[0].Register = t.Register
		x.Simple(i, function, isa.ClassSFU)
		return true, nil
	}
	return false, nil
}

// widen turns a 16-bit operation into a 32-bit one if its result depends on the upper halves of registers.
func (x *expander) widen(i *isa.Instruction) {
	compared := &i.Type
	if i.Op == isa.OpSet {
		compared = &i.From
	}
	if compared.Bytes() >= 4 || compared.Float() || *compared == isa.Pred || *compared == isa.TypeNone {
		return
	}
	first := 0
	switch i.Op {
	case isa.OpSetp, isa.OpSet, isa.OpShr, isa.OpMin, isa.OpMax, isa.OpDiv, isa.OpRem, isa.OpAbs, isa.OpSad:
	case isa.OpMul, isa.OpMad:
		if i.Mod.Half == isa.Hi {
			return
		}
		i.Mod.Half = isa.Lo // also for a wide product, whose 32 bits are the low ones
	case isa.OpSelp, isa.OpAdd, isa.OpSub, isa.OpShl, isa.OpNeg:
		first = len(i.Src) // the low half of the result does not depend on them
	default:
		return
	}
	narrow, wide := *compared, isa.U32
	if narrow.Signed() {
		wide = isa.S32
	}
	*compared = wide
	for n := first; n < len(i.Src); n++ {
		o := &i.Src[n]
		switch {
		case o.Kind == isa.OperandPredicate || n == 1 && (i.Op == isa.OpShr) || n == 2 && i.Op == isa.OpMad && o.Type.Bytes() >= 4:
			continue
		case o.Kind == isa.OperandImmediate:
			v := o.Immediate & 0xffff
			if narrow.Signed() {
				v = uint64(uint32(int32(int16(v))))
			}
			*o = isa.Imm(v, wide)
			continue
		case o.Kind != isa.OperandRegister:
			continue
		}
		t := isa.Reg(x.Temporary(isa.B32), wide)
		x.Simple(&isa.Instruction{Op: isa.OpCvt, Type: wide, From: narrow, Line: i.Line, Guard: i.Guard, Dst: []isa.Operand{t},
			Src: []isa.Operand{*o}}, "I2I.B32.B16", isa.ClassConvertNarrow).PTXCount = 0
		*o = t
	}
}

// single expands an instruction that is one operation, with operands of any kind; last says that it completes the PTX instruction.
func (x *expander) single(step *isa.Instruction, last bool) error {
	x.hold(step)
	named := x.temporaries // the table's expansion uses the map
	x.temporaries = map[reference]isa.Register{}
	first := len(x.Out)
	err := expanders[step.Op.Facts().Lowering.By](x, step)
	x.temporaries = named
	for _, op := range x.Out[first:] {
		op.PTXCount = 0
	}
	if last && err == nil {
		x.Out[len(x.Out)-1].PTXCount = 1
	}
	return err
}

// hold moves operands into registers if the operation cannot hold them: all but one, and immediates that are too long.
func (x *expander) hold(step *isa.Instruction) {
	rule := step.Op.Facts().Lowering.Inline
	if step.Op == isa.OpSetc {
		rule = isa.OpSetp.Facts().Lowering.Inline
	}
	shifted := step.Op == isa.OpMad && step.Mod.Half != isa.Hi && len(step.Src) > 1 && step.Src[1].Kind == isa.OperandImmediate &&
		bits.OnesCount32(uint32(step.Src[1].Immediate)) == 1 // ISCADD encodes the shift
	inline := func(o *isa.Operand) bool {
		return o.Kind != isa.OperandRegister && o.Kind != isa.OperandPredicate && o.Kind != isa.OperandSink
	}
	if rule.Swap && len(step.Src) > 1 && inline(&step.Src[0]) && !inline(&step.Src[1]) && step.Op != isa.OpSub && step.Op != isa.OpSubc {
		step.Src[0], step.Src[1] = step.Src[1], step.Src[0]
	}
	free := -1
	for _, place := range rule.Places {
		if place < len(step.Src) && inline(&step.Src[place]) && !(shifted && place == 1) {
			free = place
		}
	}
	for n := range step.Src {
		o := &step.Src[n]
		if step.Type == isa.F64 || step.Op == isa.OpCvt || step.Op == isa.OpMov || step.Op == isa.OpRcp64h || step.Op == isa.OpRsqrt64h {
			continue // only 32-bit words can be moved
		}
		bank := uint8(0) // a number is in the operation, or in a register
		if o.Kind == isa.OperandConstant {
			bank = o.Bank
		}
		short := int64(int32(o.Immediate)) >= -1<<19 && int64(int32(o.Immediate)) < 1<<19 || step.Op == isa.OpAdd || step.Op == isa.OpAnd ||
			step.Op == isa.OpXor
		switch {
		case !inline(o) || shifted && n == 1 || o.Kind == isa.OperandImmediate && o.Immediate == 0,
			n == free && (o.Kind != isa.OperandImmediate || short):
			o.Bank = bank
			continue
		}
		t := x.Temporary(isa.B32)
		s := *o
		s.Negate, s.Bank = false, bank
		x.moveWord(step, isa.Reg(t, isa.B32), s)
		*o = isa.Operand{Kind: isa.OperandRegister, Register: t, Type: o.Type, Negate: o.Negate}
	}
}

// temporaryOf returns the register of a temporary; the first call creates it.
func (x *expander) temporaryOf(r reference) isa.Register {
	t, ok := x.temporaries[r.temporary()]
	if !ok {
		t = x.Temporary(temporaryTypes[r.kind])
		x.temporaries[r.temporary()] = t
	}
	return t
}

// partOf returns the operand that a part's operand means.
func (x *expander) partOf(i, step *isa.Instruction, o *partOperand) isa.Operand {
	t := step.Type
	if step.From != isa.TypeNone && len(step.Dst) > 0 {
		t = step.From
	}
	if t.Bytes() == 8 && !t.Float() { // for a shift of two words
		t = isa.B32
	}
	if o.number {
		return isa.Imm(o.value, t)
	}
	switch o.kind {
	case 'p':
		return isa.Predicate(x.temporaryOf(o.reference), false)
	case 't', 'w':
		r := isa.Reg(x.temporaryOf(o.reference), t)
		if o.word >= 0 {
			r.Register = virtual.Part(r.Register, int(o.word))
		}
		r.Negate = o.negated
		return r
	}
	from := &i.Src
	if o.kind == 'd' {
		from = &i.Dst
	}
	s := (*from)[o.n]
	if s.Kind == isa.OperandPredicate {
		return s
	}
	if t.Bytes() < 8 || o.word >= 0 {
		s = x.wordOf(s, int(max(o.word, 0)))
	}
	s.Type, s.Negate = t, o.negated
	return s
}

// compareWide compares 64-bit integers: it subtracts the low words, then compares the high words with the flags of that.
func (x *expander) compareWide(i *isa.Instruction) error {
	t := isa.U32
	compared := i.Type
	if i.Op == isa.OpSet {
		compared = i.From
	}
	if compared.Signed() {
		t = isa.S32
	}
	word := func(n, k int) isa.Operand {
		o := x.wordOf(i.Src[n], k)
		o.Type = t
		return o
	}
	low := &isa.Instruction{Op: isa.OpSub, Type: isa.U32, Mod: isa.Modifiers{CarryOut: true}, Guard: i.Guard, Line: i.Line,
		Dst: []isa.Operand{isa.Reg(x.Temporary(isa.B32), isa.U32)}, Src: []isa.Operand{word(0, 0), word(1, 0)}}
	high := *i
	high.Op, high.Type, high.From = isa.OpSetc, t, isa.TypeNone
	high.Src = append([]isa.Operand{word(0, 1), word(1, 1)}, i.Src[2:]...)
	if i.Op == isa.OpSet {
		high.Dst = []isa.Operand{isa.Predicate(x.Temporary(isa.Pred), false)}
	}
	// Load the operands of both operations first: no move may come between the two, since it could change the flags.
	x.hold(&high)
	if err := x.single(low, false); err != nil {
		return err
	}
	if err := x.single(&high, i.Op == isa.OpSetp); err != nil || i.Op == isa.OpSetp {
		return err
	}
	yes := uint64(0xffffffff)
	if i.Type == isa.F32 {
		yes = 0x3f800000
	}
	return x.single(&isa.Instruction{Op: isa.OpSelp, Type: isa.B32, Guard: i.Guard, Line: i.Line, Dst: i.Dst,
		Src: []isa.Operand{isa.Imm(yes, isa.B32), isa.Imm(0, isa.B32), high.Dst[0]}}, true)
}

// encodable fails if an operation of the expansion has no effect or belongs to a slow path: it cannot be encoded alone.
func (x *expander) encodable(i *isa.Instruction, first int) error {
	for _, op := range x.Out[first:] {
		if op.Path != nil || op.Effect == nil && op.Class != isa.ClassBranch && op.Class != isa.ClassNop && op.Class != isa.ClassFence {
			return x.ErrorAt(i.Line, "%s has no machine code here yet: %s is a step of it without operands of its own", formOf(i),
				op.Mnemonic)
		}
	}
	return nil
}
