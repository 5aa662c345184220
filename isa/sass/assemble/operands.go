package assemble

import (
	"fmt"
	"math"
	"strconv"

	"github.com/keplersim/keplersim/isa"
)

func register(r isa.Register) string {
	if r == isa.RZ {
		return "RZ"
	}
	return "R" + strconv.Itoa(int(r))
}

func predicate(o *isa.Operand) string {
	name := "PT"
	if o.Kind == isa.OperandPredicate && o.Register != isa.PT {
		name = "P" + strconv.Itoa(int(o.Register))
	}
	if o.Negate || o.Kind == isa.OperandImmediate && o.Immediate&1 == 0 {
		return "!" + name
	}
	return name
}

// registerFirst exchanges the first two sources, which commute, if the first is no register.
func (w *writer) registerFirst() {
	if w.Src[0].Kind != isa.OperandRegister {
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
	}
}

// joinSigns gives the sign of a product of floats to its second factor if that is a number, else to the first.
func (w *writer) joinSigns() {
	x, y := &w.Src[0], &w.Src[1]
	x.Negate, y.Negate = x.Negate != y.Negate, false
	if y.Kind == isa.OperandImmediate && x.Negate && y.Bank != isa.ConstantBankLiterals && y.Immediate != 0 {
		x.Negate = false
		y.Immediate ^= 1 << (8*w.Type.Bytes() - 1)
	}
}

// d returns the destination.
func (w *writer) d() string {
	if len(w.Dst) == 0 || w.Dst[0].Kind == isa.OperandSink {
		return "RZ"
	}
	return register(w.Dst[0].Register)
}

// p returns the destination predicate n.
func (w *writer) p(n int) string {
	if n >= len(w.Dst) || w.Dst[n].Kind != isa.OperandPredicate {
		return "PT"
	}
	return predicate(&w.Dst[n])
}

// guardOr returns the predicate that is source n, PT if there is none.
func (w *writer) guardOr(n int) string {
	if n >= len(w.Src) {
		return "PT"
	}
	return predicate(&w.Src[n])
}

// r returns source n, which must be a register or zero.
func (w *writer) r(n int) string {
	o := &w.Src[n]
	switch {
	case o.Kind == isa.OperandRegister:
		return signed(o, register(o.Register))
	case o.Kind == isa.OperandImmediate && o.Immediate == 0:
		return "RZ"
	}
	w.fail("source %d is no register", n+1)
	return "RZ"
}

// b returns source n, which may be a register, in a constant bank, or a number.
func (w *writer) b(n int) string {
	o := &w.Src[n]
	switch o.Kind {
	case isa.OperandConstant:
		return signed(o, fmt.Sprintf("c[0x%x][0x%x]", o.Bank, o.Offset))
	case isa.OperandSpecial:
		if at, ok := launchConstants[o.Special]; ok {
			return fmt.Sprintf("c[0x0][0x%x]", at)
		}
		w.fail("%s as an operand", o.Special)
	case isa.OperandImmediate:
		if o.Bank == isa.ConstantBankLiterals {
			w.kernel.literal(o)
			return signed(o, fmt.Sprintf("c[0x2][0x%x]", o.Offset))
		}
		if o.Immediate == 0 {
			return "RZ"
		}
		return w.number(o)
	}
	return w.r(n)
}

// number returns an immediate in the type of its use.
func (w *writer) number(o *isa.Operand) string {
	v := o.Immediate
	switch {
	case o.Type == isa.F64 || w.Type == isa.F64:
		return float(math.Float64frombits(v), v&(1<<44-1) != 0, w)
	case o.Type == isa.F32 && (w.Type == isa.F32 || w.From == isa.F32):
		return float(float64(math.Float32frombits(uint32(v))), false, w)
	}
	n := int64(int32(uint32(v)))
	if n < 0 {
		return fmt.Sprintf("-0x%x", -n)
	}
	return fmt.Sprintf("0x%x", n)
}

func float(x float64, lost bool, w *writer) string {
	switch {
	case lost:
		w.fail("%g has no place in the operation", x)
	case math.IsInf(x, 1):
		return "+INF "
	case math.IsInf(x, -1):
		return "-INF "
	case math.IsNaN(x):
		w.fail("a number that is none")
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// signed adds an operand's signs to its text.
func signed(o *isa.Operand, text string) string {
	if o.Absolute {
		text = "|" + text + "|"
	}
	if o.Negate {
		text = "-" + text
	}
	return text
}

// small reports a number that fits into 20 bits, or an operand that is not a number.
func small(o *isa.Operand) bool {
	v := int64(int32(uint32(o.Immediate)))
	return o.Kind != isa.OperandImmediate || o.Bank == isa.ConstantBankLiterals || v >= -1<<19 && v < 1<<19
}

// long returns the name of an operation, or of its form with a 32-bit number if the second source needs that.
func (w *writer) long(name string) string {
	o := &w.Src[1]
	short := small(o)
	if o.Kind == isa.OperandImmediate && w.Type == isa.F32 && o.Bank != isa.ConstantBankLiterals {
		short = o.Immediate&0xfff == 0
	}
	if short {
		return name
	}
	return name + "32I"
}

func when(text string, condition bool) string {
	if condition {
		return text
	}
	return ""
}

var roundings = map[isa.Rounding]string{isa.RoundMinus: ".RM", isa.RoundPlus: ".RP", isa.RoundZero: ".RZ"}

func (w *writer) float() string {
	return when(".FTZ", w.Mod.Flush) + roundings[w.Mod.Rounding] + when(".SAT", w.Mod.Saturate)
}

func (w *writer) unsigned() string { return when(".U32", !w.Type.Signed()) }

func (w *writer) cc() string { return when(".CC", w.Mod.CarryOut) }
