package numerics

import (
	"fmt"
	"sort"
	"strings"

	"github.com/keplersim/keplersim/isa/fp"
)

// Instruction is a PTX instruction form with its operands, ready to evaluate.
type Instruction struct {
	Text     string
	Key      fp.Key
	Inputs   []string // PTX types of the operands
	Output   string   // PTX type of the result; pred for setp and testp
	Operands []uint64
	op       fp.Operation
}

var (
	rounds   = map[string]fp.Rounding{}
	compares = map[string]fp.Compare{}
	widths   = map[string]uint{"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64, "b32": 32, "b64": 64,
		"f16": 16, "f32": 32, "f64": 64}
)

func init() {
	for r := fp.RoundNearest; r <= fp.RoundPlusInteger; r++ {
		rounds[r.String()] = r
	}
	for c := fp.EQ; c <= fp.NAN; c++ {
		compares[c.String()] = c
	}
}

var testNames = map[string]bool{"finite": true, "infinite": true, "number": true, "notanumber": true, "normal": true, "subnormal": true}

// ParseInstruction reads an instruction form and its operands, as in "fma.rm.f32 0x3F800001 0x3F800001 0xBF800002". Commas between operands
// are allowed.
func ParseInstruction(text string) (*Instruction, error) {
	words := strings.Fields(strings.NewReplacer(",", " ", ";", " ").Replace(text))
	if len(words) == 0 {
		return nil, fmt.Errorf("no instruction: give one such as 'add.rn.f32 1.5 0x3F800001'")
	}
	in := &Instruction{Text: words[0]}
	types, err := in.parseForm(words[0])
	if err != nil {
		return nil, err
	}
	if err := in.resolve(types); err != nil {
		return nil, err
	}
	if len(words)-1 != len(in.Inputs) {
		return nil, fmt.Errorf("%s takes %d operands (%s), not %d", in.Text, len(in.Inputs), strings.Join(in.Inputs, ", "), len(words)-1)
	}
	for i, word := range words[1:] {
		value, err := parseOperand(in.Inputs[i], word)
		if err != nil {
			return nil, fmt.Errorf("operand %c of %s: %w", 'a'+i, in.Text, err)
		}
		in.Operands = append(in.Operands, value)
	}
	return in, nil
}

// parseForm reads the opcode and its modifiers, and returns the types in order.
func (in *Instruction) parseForm(form string) (types []string, err error) {
	parts := strings.Split(form, ".")
	k := &in.Key
	k.Op = parts[0]
	flags := map[string]*bool{"ftz": &k.Flush, "sat": &k.Saturate, "approx": &k.Approx, "full": &k.Full}
	for _, part := range parts[1:] {
		if r, ok := rounds[part]; ok {
			k.Rounding = r
		} else if c, ok := compares[part]; ok {
			k.Comparison = c
		} else if _, ok := widths[part]; ok {
			types = append(types, part)
		} else if testNames[part] {
			k.Test = part
		} else if flag, ok := flags[part]; ok {
			*flag = true
		} else {
			return nil, fmt.Errorf("%s: unknown modifier .%s", form, part)
		}
	}
	if len(types) == 0 {
		return nil, fmt.Errorf("%s: no type: end the instruction with one such as .f32", form)
	}
	return types, nil
}

// resolve finds the operation and the types of operands and result.
func (in *Instruction) resolve(types []string) error {
	k := &in.Key
	last := types[len(types)-1]
	wanted := 1
	k.Type, in.Output = last, types[0]
	switch k.Op {
	case "cvt":
		wanted, k.Type, k.From = 2, types[0], last
	case "set", "slct":
		wanted = 2
	case "setp", "testp":
		in.Output = "pred"
	}
	if len(types) != wanted {
		return fmt.Errorf("%s: %s takes %d types, not %d", in.Text, k.Op, wanted, len(types))
	}
	if err := in.checkModifiers(); err != nil {
		return err
	}
	op, ok := fp.Find(*k)
	if !ok {
		return fmt.Errorf(
			"%s: no such floating-point instruction; there are %s, with their PTX modifiers", in.Text, strings.Join(operations(), " "),
		)
	}
	in.op = op
	operand := k.Type
	count := 2
	switch {
	case k.Op == "slct":
		in.Inputs = []string{in.Output, in.Output, k.Type}
		return nil
	case k.Op == "cvt":
		operand, count = k.From, 1
	case op.Unary32 != nil || op.Unary64 != nil || op.Test32 != nil || op.Test64 != nil:
		count = 1
	case op.Ternary32 != nil || op.Ternary64 != nil:
		count = 3
	}
	for range count {
		in.Inputs = append(in.Inputs, operand)
	}
	return nil
}

// checkModifiers returns an error for combinations that PTX does not have and whose result would be misleading if they were ignored.
func (in *Instruction) checkModifiers() error {
	k := in.Key
	switch {
	case k.Op != "cvt" && k.Flush && k.Type == "f64" && k.Op != "rcp" && k.Op != "rsqrt":
		return fmt.Errorf("%s: .ftz is for f32", in.Text)
	case k.Op != "cvt" && k.Saturate && k.Type != "f32":
		return fmt.Errorf("%s: .sat is for f32", in.Text)
	case k.Op != "cvt" && k.Rounding > fp.RoundPlus:
		return fmt.Errorf("%s: .%s is for cvt to integral values", in.Text, k.Rounding)
	}
	switch k.Op {
	case "fma", "mad", "div", "rcp", "sqrt":
		if k.Rounding == fp.RoundNone && !k.Approx && !k.Full {
			return fmt.Errorf("%s: needs a rounding: .rn .rz .rm .rp%s", in.Text,
				map[bool]string{true: ", or .approx", false: ""}[k.Type == "f32" && k.Op != "fma" && k.Op != "mad"])
		}
	case "sin", "cos", "lg2", "ex2", "rsqrt":
		if !k.Approx {
			return fmt.Errorf("%s: there is only %s.approx", in.Text, k.Op)
		}
	}
	return nil
}

func operations() []string {
	names := []string{"add", "sub", "mul", "mad", "fma", "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "min", "max", "abs",
		"neg", "copysign", "testp", "set", "setp", "slct", "cvt"}
	sort.Strings(names)
	return names
}

func parseOperand(ptxType, text string) (uint64, error) {
	if f, ok := Formats[ptxType]; ok {
		return ParseValue(f, text)
	}
	return parseInteger(widths[ptxType], text)
}

// Result returns the bits of the instruction's result; 0 or 1 for a predicate.
func (in *Instruction) Result() uint64 {
	var narrow [3]fp.Lanes32
	var wide [3]fp.Lanes64
	for i, x := range in.Operands {
		narrow[i][0], wide[i][0] = uint32(x), x
	}
	var d32 fp.Lanes32
	var d64 fp.Lanes64
	op, a, b, c := in.op, &narrow[0], &narrow[1], &narrow[2]
	const lane = 1
	var mask uint32
	switch {
	case in.Key.Op == "slct":
		if op.Test32(c, lane) != 0 {
			return in.Operands[0]
		}
		return in.Operands[1]
	case op.Unary32 != nil:
		op.Unary32(&d32, a, lane)
	case op.Binary32 != nil:
		op.Binary32(&d32, a, b, lane)
	case op.Ternary32 != nil:
		op.Ternary32(&d32, a, b, c, lane)
	case op.Narrow != nil:
		op.Narrow(&d32, &wide[0], lane)
	case op.Unary64 != nil:
		op.Unary64(&d64, &wide[0], lane)
		return d64[0]
	case op.Binary64 != nil:
		op.Binary64(&d64, &wide[0], &wide[1], lane)
		return d64[0]
	case op.Ternary64 != nil:
		op.Ternary64(&d64, &wide[0], &wide[1], &wide[2], lane)
		return d64[0]
	case op.Widen != nil:
		op.Widen(&d64, a, lane)
		return d64[0]
	case op.Test32 != nil:
		mask = op.Test32(a, lane)
	case op.Test64 != nil:
		mask = op.Test64(&wide[0], lane)
	case op.Compare32 != nil:
		mask = op.Compare32(a, b, lane)
	case op.Compare64 != nil:
		mask = op.Compare64(&wide[0], &wide[1], lane)
	}
	switch {
	case in.Key.Op == "set" && mask != 0 && in.Output == "f32":
		return 0x3f800000
	case in.Key.Op == "set" && mask != 0:
		return 0xffffffff
	case in.Output == "pred" || in.Key.Op == "set":
		return uint64(mask)
	}
	width := widths[in.Output]
	return uint64(d32[0]) & (1<<width - 1)
}
