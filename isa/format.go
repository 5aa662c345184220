package isa

import (
	"fmt"
	"strings"
)

var (
	roundingNames = [...]string{"", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"}
	halfNames     = [...]string{"", "lo", "hi", "wide"}
	shiftNames    = [...]string{"", "clamp", "wrap"}
	compareNames  = [...]string{"", "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
		"num", "nan"}
	boolNames = [...]string{"", "and", "or", "xor", "popc"}
	subNames  = [...]string{"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16", "up", "down", "bfly", "idx", "all", "any", "uni", "ballot",
		"l", "r",
		"finite", "infinite", "number", "notanumber", "normal", "subnormal",
		"add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas", "sync", "arrive", "red", "warp", "any", "all"}
	cacheNames    = [...]string{"", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"}
	orderNames    = [...]string{"", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc"}
	scopeNames    = [...]string{"", "cta", "cluster", "gpu", "sys"}
	selectorNames = [...]string{"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}
)

// String returns the sub-operation's PTX name without the dot.
func (s Sub) String() string { return subNames[s] }

// String returns the comparison's PTX name without the dot.
func (c Compare) String() string { return compareNames[c] }

// String returns the rounding mode's PTX name without the dot.
func (r Rounding) String() string { return roundingNames[r] }

// Mnemonic returns the instruction's opcode and modifiers in one fixed order, for messages and listings.
func (i *Instruction) Mnemonic() string {
	var out strings.Builder
	out.WriteString(i.Op.String())
	word := func(w string) {
		if w != "" {
			out.WriteByte('.')
			out.WriteString(w)
		}
	}
	flag := func(on bool, w string) {
		if on {
			word(w)
		}
	}
	m := &i.Mod
	flag(m.To, "to")
	if i.Memory != nil {
		flag(i.Memory.Uniform, "u")
		word(orderNames[i.Memory.Order])
		word(scopeNames[i.Memory.Scope])
		word(i.Memory.Space.String())
		word(cacheNames[i.Memory.Cache])
		if t := i.Memory.Texture; t != nil {
			word(t.MipMode)
			word(t.Geometry)
			word(t.Query)
			word(t.ClampMode)
		}
		if i.Memory.Vector > 1 {
			word(fmt.Sprintf("v%d", i.Memory.Vector))
		}
	}
	word(subNames[m.Select])
	word(compareNames[m.Compare])
	word(boolNames[m.Bool])
	word(roundingNames[m.Rounding])
	flag(m.Approx, "approx")
	flag(m.Full, "full")
	word(halfNames[m.Half])
	word(shiftNames[m.ShiftMode])
	flag(m.ShiftAmt, "shiftamt")
	flag(m.PostOp, "po")
	flag(m.Flush, "ftz")
	flag(m.Saturate, "sat")
	flag(m.CarryOut, "cc")
	flag(m.Uniform, "uni")
	if m.Scale != 0 {
		word(fmt.Sprintf("shr%d", m.Scale))
	}
	if m.SIMDTypes[1] != TypeNone {
		for _, t := range m.SIMDTypes {
			word(t.String())
		}
		return out.String()
	}
	word(i.Type.String())
	word(i.From.String())
	return out.String()
}

// Format returns the instruction as PTX-like text for messages, listings and tests. Registers have their names in f, or v7 where they have
// none.
func (i *Instruction) Format(f *Function) string {
	var out strings.Builder
	if i.Guard.Present {
		out.WriteByte('@')
		if i.Guard.Negate {
			out.WriteByte('!')
		}
		out.WriteString(f.registerName(i.Guard.Register))
		out.WriteByte(' ')
	}
	out.WriteString(i.Mnemonic())
	separator := " "
	put := func(text string) {
		out.WriteString(separator)
		out.WriteString(text)
		separator = ", "
	}
	for k := range i.Dst {
		put(f.operandText(&i.Dst[k]))
	}
	if i.Memory != nil && (i.Memory.Base.Kind != OperandNone || i.Op == OpLd || i.Op == OpSt || i.Op == OpAtom || i.Op == OpRed) {
		put(f.addressText(i.Memory))
	}
	if i.Memory != nil && i.Memory.Texture != nil {
		put(f.textureText(i.Memory.Texture))
	}
	if len(i.Dst) > 0 && len(i.Src) > 0 || i.Memory != nil && i.Memory.Base.Kind != OperandNone {
		separator = ", "
	}
	for k := range i.Src {
		put(f.operandText(&i.Src[k]))
	}
	for _, t := range i.Targets {
		put(fmt.Sprintf("B%d", t))
	}
	if i.Call != nil {
		put(fmt.Sprintf("function %d", i.Call.Function))
	}
	return out.String()
}

func (f *Function) registerName(r Register) string {
	if r >= 0 && int(r) < len(f.Registers) && f.Registers[r].Name != "" {
		return f.Registers[r].Name
	}
	return fmt.Sprintf("v%d", r)
}

// operandText returns one operand with its type; predicates and sinks have none.
func (f *Function) operandText(o *Operand) string {
	text := ""
	switch o.Kind {
	case OperandNone:
		return "none"
	case OperandRegister:
		text = f.registerName(o.Register)
	case OperandPredicate:
		text = f.registerName(o.Register)
		if o.Negate {
			text = "!" + text
		}
		return text
	case OperandImmediate:
		text = fmt.Sprintf("%#x", o.Immediate)
	case OperandConstant:
		text = fmt.Sprintf("c%d[%#x]", o.Bank, o.Offset)
	case OperandSpecial:
		text = o.Special.String()
	case OperandSink:
		return "_"
	case OperandSymbol:
		text = fmt.Sprintf("symbol %d+%#x", o.Symbol, o.Immediate)
	case OperandFunction:
		text = fmt.Sprintf("function %d", o.Symbol)
	case OperandFrame:
		text = fmt.Sprintf("frame+%#x", o.Immediate)
	default:
		text = fmt.Sprintf("variable %d+%#x", o.Symbol, o.Immediate)
	}
	if o.Negate {
		text = "-" + text
	}
	text += selectorNames[o.Selector]
	if o.Permute != 0 {
		text += fmt.Sprintf(".%x", o.Permute)
	}
	return text + ":" + o.Type.String()
}

func (f *Function) addressText(m *Memory) string {
	base := ""
	if m.Base.Kind != OperandNone {
		base = f.operandText(&m.Base)
	}
	if m.Offset == 0 && base != "" {
		return "[" + base + "]"
	}
	return fmt.Sprintf("[%s%+d]", base, m.Offset)
}

func (f *Function) textureText(t *TextureRef) string {
	parts := []string{f.operandText(&t.Object)}
	if t.Sampler.Kind != OperandNone {
		parts = append(parts, f.operandText(&t.Sampler))
	}
	for k := range t.Coordinates {
		parts = append(parts, f.operandText(&t.Coordinates[k]))
	}
	if t.Level.Kind != OperandNone {
		parts = append(parts, "level "+f.operandText(&t.Level))
	}
	for k := range t.Gradient {
		parts = append(parts, "gradient "+f.operandText(&t.Gradient[k]))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Listing returns the function as text, block by block with their successors and reconvergence points, for people and tests.
func (f *Function) Listing() string {
	var out strings.Builder
	for _, b := range f.Blocks {
		fmt.Fprintf(&out, "B%d", b.ID)
		if b.Label != "" {
			fmt.Fprintf(&out, " %s", b.Label)
		}
		fmt.Fprintf(&out, ": -> %v", b.Successors)
		if b.Reconverge >= 0 {
			fmt.Fprintf(&out, " joins B%d", b.Reconverge)
		}
		out.WriteByte('\n')
		for _, i := range b.Instructions {
			out.WriteString("    ")
			out.WriteString(i.Format(f))
			out.WriteByte('\n')
		}
	}
	return out.String()
}
