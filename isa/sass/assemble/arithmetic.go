package assemble

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/keplersim/keplersim/isa"
)

func sum(w *writer) string {
	subtracts := w.Op == isa.OpSub || w.Op == isa.OpSubc
	carry := when(".X", w.Op == isa.OpAddc || w.Op == isa.OpSubc)
	if w.Type.Float() {
		name := map[isa.Type]string{isa.F32: "FADD", isa.F64: "DADD"}[w.Type]
		if w.Src[0].Kind != isa.OperandRegister {
			w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
			if subtracts {
				w.Src[0].Negate, w.Src[1].Negate = !w.Src[0].Negate, !w.Src[1].Negate
			}
		}
		if y := &w.Src[1]; subtracts {
			y.Negate = !y.Negate
		}
		if y := &w.Src[1]; y.Kind == isa.OperandImmediate && y.Negate && y.Bank != isa.ConstantBankLiterals {
			y.Immediate ^= 1 << (8*w.Type.Bytes() - 1)
			y.Negate = false
		}
		if y := &w.Src[1]; y.Kind == isa.OperandImmediate && y.Immediate == 1<<31 && w.Type == isa.F32 {
			return "FADD" + w.float() + " " + w.d() + ", " + w.r(0) + ", -RZ"
		}
		if name = w.long(name); strings.HasSuffix(name, "32I") && w.float() != when(".FTZ", w.Mod.Flush) {
			w.fail("a rounding with a number of 32 bits")
		}
		return name + w.float() + " " + w.d() + ", " + w.r(0) + ", " + w.b(1)
	}
	if w.Type.Bytes() == 8 {
		w.fail("64 bits")
	}
	saturates := when(".SAT", w.Mod.Saturate)
	y := &w.Src[1]
	switch {
	case subtracts && w.Src[0].Kind != isa.OperandRegister && !zero(&w.Src[0]):
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
		return w.long("IADD") + saturates + carry + " " + w.d() + w.cc() + ", -" + w.r(0) + ", " + w.b(1)
	case subtracts && y.Kind == isa.OperandImmediate && y.Bank != isa.ConstantBankLiterals && carry+w.cc() == "":
		y.Immediate = uint64(-uint32(y.Immediate))
		return w.long("IADD") + saturates + " " + w.d() + ", " + w.r(0) + ", " + w.b(1)
	case subtracts:
		return "ISUB" + saturates + carry + " " + w.d() + w.cc() + ", " + w.r(0) + ", " + w.b(1)
	case w.Src[0].Kind != isa.OperandRegister:
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
	}
	return w.long("IADD") + saturates + carry + " " + w.d() + w.cc() + ", " + w.r(0) + ", " + w.b(1)
}

func zero(o *isa.Operand) bool { return o.Kind == isa.OperandImmediate && o.Immediate == 0 }

func product(w *writer) string {
	w.registerFirst()
	if w.Type.Float() {
		w.joinSigns()
		if w.Type == isa.F64 {
			return "DMUL" + w.float() + " " + w.d() + ", " + w.r(0) + ", " + w.b(1)
		}
		name := w.long("FMUL")
		return name + w.float() + " " + w.d() + ", " + w.r(0) + ", " + w.b(1)
	}
	if w.Mod.Half == isa.Wide || w.Type.Bytes() == 8 {
		w.fail("a product of 64 bits")
	}
	return w.long("IMUL") + w.factors() + " " + w.d() + ", " + w.r(0) + ", " + w.b(1)
}

// factors returns the modifiers for an integer product's types and half.
func (w *writer) factors() string {
	return when(".U32.U32", !w.Type.Signed()) + when(".HI", w.Mod.Half == isa.Hi)
}

func productSum(w *writer) string {
	if w.Type.Float() {
		return fused(w)
	}
	if w.Mod.Half == isa.Wide || w.Type.Bytes() == 8 {
		w.fail("a product of 64 bits")
	}
	carry := when(".X", w.Op == isa.OpMadc)
	if n := w.Src[1].Immediate; w.Src[1].Kind == isa.OperandImmediate && w.Src[1].Bank == 0 && bits.OnesCount32(uint32(n)) == 1 &&
		w.Mod.Half != isa.Hi && w.Op == isa.OpMad {
		return fmt.Sprintf("ISCADD %s%s, %s, %s, 0x%x", w.d(), w.cc(), w.r(0), w.b(2), bits.TrailingZeros32(uint32(n)))
	}
	w.registerFirst()
	name := "IMAD" + w.factors() + when(".SAT", w.Mod.Saturate) + carry
	return name + " " + w.d() + w.cc() + ", " + w.r(0) + ", " + w.second() + ", " + w.third()
}

// second and third return the sources of a three-source operation; one of them may be in a constant bank.
func (w *writer) second() string { return w.b(1) }

func (w *writer) third() string {
	o := &w.Src[2]
	switch {
	case o.Kind == isa.OperandImmediate && o.Bank != isa.ConstantBankLiterals && !zero(o):
		w.fail("a number as the third source")
	case o.Kind == isa.OperandRegister || zero(o):
		return w.r(2)
	case w.Src[1].Kind != isa.OperandRegister && !zero(&w.Src[1]):
		w.fail("two constants")
	}
	return w.b(2)
}

func fused(w *writer) string {
	name := map[isa.Type]string{isa.F32: "FFMA", isa.F64: "DFMA"}[w.Type]
	w.registerFirst()
	w.joinSigns()
	return name + w.float() + " " + w.d() + ", " + w.r(0) + ", " + w.second() + ", " + w.third()
}

func smaller(w *writer) string {
	w.registerFirst()
	which := when("!", w.Op == isa.OpMax) + "PT"
	name := map[isa.Type]string{isa.F32: "FMNMX", isa.F64: "DMNMX"}[w.Type]
	if name == "" {
		name = "IMNMX" + w.unsigned()
	}
	w.narrow()
	return name + when(".FTZ", w.Mod.Flush) + " " + w.d() + ", " + w.r(0) + ", " + w.b(1) + ", " + which
}

// narrow fails unless integers have 32 bits.
func (w *writer) narrow() {
	if n := w.Type.Bytes(); !w.Type.Float() && n != 4 {
		w.fail("numbers of %d bits", 8*n)
	}
}

func sign(w *writer) string {
	if w.Type == isa.F32 { // a sum with -0
		bars := when("|", w.Op == isa.OpAbs)
		return "FADD" + when(".FTZ", w.Mod.Flush) + " " + w.d() + ", " + when("-", w.Op == isa.OpNeg) + bars + w.r(0) + bars + ", -RZ"
	}
	w.narrow()
	if w.Op == isa.OpNeg {
		return "IADD " + w.d() + ", -" + w.r(0) + ", RZ"
	}
	return "I2I.S32.S32 " + w.d() + ", |" + w.r(0) + "|"
}

func difference(w *writer) string {
	w.narrow()
	return "ISAD" + w.unsigned() + " " + w.d() + ", " + w.r(0) + ", " + w.second() + ", " + w.third()
}
