package assemble

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
)

var logics = map[isa.Opcode]string{isa.OpAnd: ".AND", isa.OpOr: ".OR", isa.OpXor: ".XOR"}

func logic(w *writer) string {
	if w.Type == isa.Pred {
		return "PSETP" + logics[w.Op] + ".AND " + w.p(0) + ", PT, " + w.guardOr(0) + ", " + w.guardOr(1) + ", PT"
	}
	if w.Type.Bytes() == 8 {
		w.fail("64 bits")
	}
	w.registerFirst()
	if y := &w.Src[1]; !small(y) {
		return fmt.Sprintf("LOP32I%s %s, %s, 0x%x", logics[w.Op], w.d(), w.r(0), uint32(y.Immediate))
	}
	return "LOP" + logics[w.Op] + " " + w.d() + ", " + w.r(0) + ", " + w.b(1)
}

func invert(w *writer) string {
	if w.Type == isa.Pred {
		return "PSETP.AND.AND " + w.p(0) + ", PT, " + opposite(w.guardOr(0)) + ", PT, PT"
	}
	return "LOP.PASS_B " + w.d() + ", RZ, ~" + w.r(0)
}

func opposite(p string) string {
	if cut, negated := strings.CutPrefix(p, "!"); negated {
		return cut
	}
	return "!" + p
}

func shift(w *writer) string {
	if s := &w.Src[0]; s.Kind == isa.OperandSymbol && w.Op == isa.OpShr { // the high half of an address
		w.place(s, cubin.RelocateHigh23)
		return "MOV32I " + w.d() + ", 0x0"
	}
	name := "SHL"
	if w.Op == isa.OpShr {
		name = "SHR" + w.unsigned()
		w.narrow()
	}
	return name + " " + w.d() + ", " + w.r(0) + ", " + w.b(1)
}

func funnel(w *writer) string {
	name := "SHF.R"
	if w.Mod.Select == isa.ShiftLeft {
		name = "SHF.L"
	}
	if w.Mod.ShiftMode == isa.Wrap {
		name += ".W"
	}
	name += map[isa.Type]string{isa.U64: ".U64", isa.S64: ".S64"}[w.Type]
	return name + " " + w.d() + ", " + w.r(0) + ", " + w.b(2) + ", " + w.r(1)
}

// field returns a bit field's position and length, which must be constant.
func (w *writer) field(n int) string {
	position, length := &w.Src[n], &w.Src[n+1]
	if position.Kind != isa.OperandImmediate || length.Kind != isa.OperandImmediate {
		w.fail("a bit field whose place is in a register")
	}
	w.narrow()
	return fmt.Sprintf("0x%x", position.Immediate&0xff|length.Immediate&0xff<<8)
}

func extract(w *writer) string {
	return "BFE" + w.unsigned() + " " + w.d() + ", " + w.r(0) + ", " + w.field(1)
}

func insert(w *writer) string {
	return "BFI " + w.d() + ", " + w.r(0) + ", " + w.field(2) + ", " + w.r(1)
}

func highest(w *writer) string {
	w.narrow()
	return "FLO" + w.unsigned() + when(".SH", w.Mod.ShiftAmt) + " " + w.d() + ", " + w.r(0)
}

func count(w *writer) string {
	w.narrow()
	return "POPC " + w.d() + ", " + w.r(0) + ", " + w.r(0)
}

func reverse(w *writer) string {
	w.narrow()
	return "BFE.U32.BREV " + w.d() + ", " + w.r(0) + ", 0x2000"
}

var permutations = map[isa.Sub]string{isa.PrmtF4E: ".F4E", isa.PrmtB4E: ".B4E", isa.PrmtRC8: ".RC8", isa.PrmtECL: ".ECL",
	isa.PrmtECR: ".ECR", isa.PrmtRC16: ".RC16"}

func permute(w *writer) string {
	return "PRMT" + permutations[w.Mod.Select] + " " + w.d() + ", " + w.r(0) + ", " + w.b(2) + ", " + w.r(1)
}
