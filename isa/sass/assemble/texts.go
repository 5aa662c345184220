package assemble

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/sass"
)

// writer writes the text of one operation.
type writer struct {
	*isa.Instruction
	kernel  *kernel
	err     error
	address *address // of a variable: the loader puts it into the word
}

// address is the address of a variable, or half of one.
type address struct {
	symbol string
	kind   uint32
	addend int64
}

func (w *writer) fail(format string, arguments ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, arguments...)
	}
}

// texts write operations, by the PTX opcode of their effect.
var texts map[isa.Opcode]func(*writer) string

func init() {
	texts = map[isa.Opcode]func(*writer) string{
		isa.OpMov: move, isa.OpAdd: sum, isa.OpSub: sum, isa.OpAddc: sum, isa.OpSubc: sum, isa.OpMul: product, isa.OpMad: productSum,
		isa.OpMadc: productSum, isa.OpFma: fused, isa.OpMin: smaller, isa.OpMax: smaller, isa.OpAbs: sign, isa.OpNeg: sign,
		isa.OpAnd: logic, isa.OpOr: logic, isa.OpXor: logic, isa.OpNot: invert, isa.OpShl: shift, isa.OpShr: shift, isa.OpShf: funnel,
		isa.OpBfe: extract, isa.OpBfi: insert, isa.OpBfind: highest, isa.OpPopc: count, isa.OpBrev: reverse, isa.OpPrmt: permute,
		isa.OpSelp: pick, isa.OpSetp: compare, isa.OpSetc: compare, isa.OpSet: set, isa.OpSad: difference, isa.OpCvt: convert,
		isa.OpRcp: function, isa.OpRsqrt: function, isa.OpSin: function, isa.OpCos: function, isa.OpEx2: function, isa.OpLg2: function,
		isa.OpRcp64h: estimate, isa.OpRsqrt64h: estimate, isa.OpFchk: divisionCheck,
		isa.OpLd: load, isa.OpSt: store, isa.OpAtom: atomic, isa.OpRed: atomic, isa.OpBar: barrier, isa.OpMembar: fence,
		isa.OpFence: fence, isa.OpVote: vote, isa.OpShfl: shuffle,
	}
}

// launchConstants are the special registers that are in constant bank 0.
var launchConstants = map[isa.SpecialRegister]uint32{isa.NtidX: 0x28, isa.NtidY: 0x2c, isa.NtidZ: 0x30, isa.NctaidX: 0x34,
	isa.NctaidY: 0x38, isa.NctaidZ: 0x3c}

var specials = map[isa.SpecialRegister]string{
	isa.TidX: "SR_TID.X", isa.TidY: "SR_TID.Y", isa.TidZ: "SR_TID.Z", isa.CtaidX: "SR_CTAID.X", isa.CtaidY: "SR_CTAID.Y",
	isa.CtaidZ: "SR_CTAID.Z", isa.LaneID: "SR_LANEID", isa.LanemaskEQ: "SR_EQMASK", isa.LanemaskLT: "SR_LTMASK",
	isa.LanemaskLE: "SR_LEMASK", isa.LanemaskGT: "SR_GTMASK", isa.LanemaskGE: "SR_GEMASK", isa.Clock: "SR_CLOCKLO",
	isa.ClockHi: "SR_CLOCKHI", isa.GlobalTimerLo: "SR_GLOBALTIMERLO", isa.GlobalTimerHi: "SR_GLOBALTIMERHI",
}

func move(w *writer) string {
	if len(w.Src) != 1 || len(w.Dst) != 1 {
		return pack(w)
	}
	s := &w.Src[0]
	if w.Type == isa.Pred || w.Dst[0].Kind == isa.OperandPredicate {
		return "PSETP.AND.AND " + w.p(0) + ", PT, " + w.guardOr(0) + ", PT, PT"
	}
	switch {
	case s.Kind == isa.OperandSpecial && s.Special == isa.FrameAddress:
		return "MOV " + w.d() + ", R1"
	case s.Kind == isa.OperandSpecial && specials[s.Special] != "":
		return "S2R " + w.d() + ", " + specials[s.Special]
	case s.Kind == isa.OperandSymbol:
		w.place(s, cubin.RelocateLow23)
		return "MOV32I " + w.d() + ", 0x0"
	case s.Kind == isa.OperandImmediate && s.Bank != isa.ConstantBankLiterals && s.Immediate != 0:
		return fmt.Sprintf("MOV32I %s, 0x%x", w.d(), uint32(s.Immediate))
	case s.Negate:
		w.fail("a move with a sign")
	}
	return "MOV " + w.d() + ", " + w.b(0)
}

// place makes the loader put the address of a variable into the word.
func (w *writer) place(s *isa.Operand, kind uint32) {
	if w.kernel.encoding == sass.SM30 {
		kind = map[uint32]uint32{cubin.RelocateLow23: cubin.RelocateLow26, cubin.RelocateHigh23: cubin.RelocateHigh26}[kind]
	}
	w.address = &address{w.kernel.program.Symbols[s.Symbol].Name, kind, int64(s.Immediate)}
}

// pack joins two halves into a word, or takes one half of a word.
func pack(w *writer) string {
	if len(w.Src) == 2 && len(w.Dst) == 1 && w.Dst[0].Type.Bytes() == 4 {
		return "PRMT " + w.d() + ", " + w.r(0) + ", 0x5410, " + w.r(1)
	}
	w.fail("a move of several values")
	return ""
}

func convert(w *writer) string {
	to, from := "."+strings.ToUpper(w.Type.String()), "."+strings.ToUpper(w.From.String())
	if w.Src[0].Kind == isa.OperandSpecial {
		if w.Type.Bytes() == 4 {
			w.Op, w.Type = isa.OpMov, isa.B32
			return move(w)
		}
		w.fail("a conversion of %s", w.Src[0].Special)
	}
	ends := " " + w.d() + ", " + w.b(0)
	whole := map[isa.Rounding]string{isa.RoundMinusInt: ".FLOOR", isa.RoundPlusInt: ".CEIL", isa.RoundZeroInt: ".TRUNC"}[w.Mod.Rounding]
	flush, saturates := when(".FTZ", w.Mod.Flush), when(".SAT", w.Mod.Saturate)
	switch {
	case w.Type.Float() && w.From.Float():
		if w.Mod.Rounding == isa.RoundNearestInt {
			whole = ".ROUND"
		}
		return "F2F" + flush + to + from + whole + roundings[w.Mod.Rounding] + saturates + ends
	case w.Type.Float():
		return "I2F" + to + bitsAsNumber(from) + roundings[w.Mod.Rounding] + ends
	case w.From.Float():
		return "F2I" + flush + bitsAsNumber(to) + from + whole + ends
	}
	return "I2I" + bitsAsNumber(to) + bitsAsNumber(from) + saturates + ends
}

// bitsAsNumber replaces an untyped name by an unsigned one.
func bitsAsNumber(t string) string { return strings.Replace(t, ".B", ".U", 1) }

var functions = map[isa.Opcode]string{isa.OpRcp: "RCP", isa.OpRsqrt: "RSQ", isa.OpSin: "SIN", isa.OpCos: "COS", isa.OpEx2: "EX2",
	isa.OpLg2: "LG2"}

func function(w *writer) string {
	if w.Type != isa.F32 || !w.Mod.Approx {
		w.fail("a rounded function")
	}
	return "MUFU." + functions[w.Op] + when(".SAT", w.Mod.Saturate) + " " + w.d() + ", " + w.r(0)
}

func estimate(w *writer) string {
	return map[isa.Opcode]string{isa.OpRcp64h: "MUFU.RCP64H ", isa.OpRsqrt64h: "MUFU.RSQ64H "}[w.Op] + w.d() + ", " + w.r(0)
}

func divisionCheck(w *writer) string {
	return "FCHK.DIVIDE " + w.p(0) + ", " + w.r(0) + ", " + w.b(1)
}

func vote(w *writer) string {
	p := w.guardOr(0)
	switch w.Mod.Select {
	case isa.VoteBallot:
		return "VOTE.ANY " + w.d() + ", PT, " + p
	case isa.VoteAll:
		return "VOTE.ALL RZ, " + w.p(0) + ", " + p
	case isa.VoteAny:
		return "VOTE.ANY RZ, " + w.p(0) + ", " + p
	case isa.VoteUni:
		return "VOTE.EQ RZ, " + w.p(0) + ", " + p
	}
	w.fail("no vote")
	return ""
}

func shuffle(w *writer) string {
	mode := map[isa.Sub]string{isa.ShflIdx: "IDX", isa.ShflUp: "UP", isa.ShflDown: "DOWN", isa.ShflBfly: "BFLY"}[w.Mod.Select]
	return "SHFL." + mode + " " + w.p(1) + ", " + w.d() + ", " + w.r(0) + ", " + w.registerOrNumber(1) + ", " + w.registerOrNumber(2)
}

// registerOrNumber returns a source that is a register or any number.
func (w *writer) registerOrNumber(n int) string {
	if o := &w.Src[n]; o.Kind == isa.OperandImmediate {
		return fmt.Sprintf("0x%x", uint32(o.Immediate))
	}
	return w.r(n)
}

var reductions = map[isa.BoolOp]string{isa.BoolPopc: ".POPC", isa.BoolAnd: ".AND", isa.BoolOr: ".OR"}

func barrier(w *writer) string {
	if w.Mod.Select == isa.BarWarp { // nothing to do: Kepler's warps advance together
		return "NOP"
	}
	name := map[isa.Sub]string{isa.BarSync: "BAR.SYNC", isa.BarArrive: "BAR.ARV",
		isa.BarRed: "BAR.RED" + reductions[w.Mod.Bool]}[w.Mod.Select]
	older := w.kernel.encoding == sass.SM30 // there the barrier returns its results itself
	switch {
	case !older:
	case w.Mod.Select == isa.BarSync:
		name = "BAR.RED.POPC RZ," // the count is unused
	case w.Mod.Select == isa.BarRed && w.Mod.Bool == isa.BoolPopc:
		name += " " + w.d() + ","
	case w.Mod.Select == isa.BarRed:
		name += " " + w.p(0) + ", RZ,"
	default:
		name += " PT, RZ,"
	}
	text, counts := name+" "+w.registerOrNumber(0), len(w.Src)-1
	if w.Mod.Select == isa.BarRed {
		counts--
	}
	if counts > 0 {
		text += ", " + w.registerOrNumber(1)
	}
	switch {
	case w.Mod.Select == isa.BarRed:
		text += ", " + w.guardOr(len(w.Src)-1)
	case older && w.Mod.Select == isa.BarSync:
		text += ", PT"
	}
	return text
}

func fence(w *writer) string {
	scope := map[isa.Scope]string{isa.ScopeBlock: ".CTA", isa.ScopeDevice: ".GL", isa.ScopeSystem: ".SYS"}[w.Memory.Scope]
	if scope == "" {
		scope = ".GL"
	}
	return "MEMBAR" + scope
}
