package assemble

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/sass"
)

// writer makes the text of one operation.
type writer struct {
	*isa.Instruction
	kernel  *kernel
	err     error
	address *address // of a variable, which the loader puts into the word
}

// address is a variable's address, or a half of it.
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

// texts are the forms of operations, by the opcode of PTX that they compute.
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

// Operands.

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

// d is destination n.
func (w *writer) d(n int) string {
	if n >= len(w.Dst) || w.Dst[n].Kind == isa.OperandSink {
		return "RZ"
	}
	return register(w.Dst[n].Register)
}

// p is the predicate that is written n-th.
func (w *writer) p(n int) string {
	if n >= len(w.Dst) || w.Dst[n].Kind != isa.OperandPredicate {
		return "PT"
	}
	return predicate(&w.Dst[n])
}

// guardOr is the predicate that is read as source n, PT where there is none.
func (w *writer) guardOr(n int) string {
	if n >= len(w.Src) {
		return "PT"
	}
	return predicate(&w.Src[n])
}

// r is source n, which has to be a register, or zero.
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

// b is source n, which may be in a constant bank or a number.
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

// number is an immediate in the type of its use.
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

// signed puts an operand's signs around it.
func signed(o *isa.Operand, text string) string {
	if o.Absolute {
		text = "|" + text + "|"
	}
	if o.Negate {
		text = "-" + text
	}
	return text
}

// small reports a number that fits into 20 bits, or an operand that is none.
func small(o *isa.Operand) bool {
	v := int64(int32(uint32(o.Immediate)))
	return o.Kind != isa.OperandImmediate || o.Bank == isa.ConstantBankLiterals || v >= -1<<19 && v < 1<<19
}

// long is the name of an operation, or of its form for numbers of 32 bits where source n is one.
func (w *writer) long(name string, n int) string {
	o := &w.Src[n]
	short := small(o)
	if o.Kind == isa.OperandImmediate && w.Type == isa.F32 && o.Bank != isa.ConstantBankLiterals {
		short = o.Immediate&0xfff == 0
	}
	if short {
		return name
	}
	return name + "32I"
}

// Modifiers.

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

// Arithmetic.

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
			return "FADD" + w.float() + " " + w.d(0) + ", " + w.r(0) + ", -RZ"
		}
		if name = w.long(name, 1); strings.HasSuffix(name, "32I") && w.float() != when(".FTZ", w.Mod.Flush) {
			w.fail("a rounding with a number of 32 bits")
		}
		return name + w.float() + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(1)
	}
	if w.Type.Bytes() == 8 {
		w.fail("64 bits")
	}
	saturates := when(".SAT", w.Mod.Saturate)
	y := &w.Src[1]
	switch {
	case subtracts && w.Src[0].Kind != isa.OperandRegister && !zero(&w.Src[0]):
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
		return w.long("IADD", 1) + saturates + carry + " " + w.d(0) + w.cc() + ", -" + w.r(0) + ", " + w.b(1)
	case subtracts && y.Kind == isa.OperandImmediate && y.Bank != isa.ConstantBankLiterals && carry+w.cc() == "":
		y.Immediate = uint64(-uint32(y.Immediate))
		return w.long("IADD", 1) + saturates + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(1)
	case subtracts:
		return "ISUB" + saturates + carry + " " + w.d(0) + w.cc() + ", " + w.r(0) + ", " + w.b(1)
	case w.Src[0].Kind != isa.OperandRegister:
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
	}
	return w.long("IADD", 1) + saturates + carry + " " + w.d(0) + w.cc() + ", " + w.r(0) + ", " + w.b(1)
}

func zero(o *isa.Operand) bool { return o.Kind == isa.OperandImmediate && o.Immediate == 0 }

func product(w *writer) string {
	if w.Src[0].Kind != isa.OperandRegister {
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
	}
	if w.Type.Float() {
		x, y := &w.Src[0], &w.Src[1]
		x.Negate, y.Negate = x.Negate != y.Negate, false
		if y.Kind == isa.OperandImmediate && x.Negate && y.Bank != isa.ConstantBankLiterals && y.Immediate != 0 {
			x.Negate = false
			y.Immediate ^= 1 << (8*w.Type.Bytes() - 1)
		}
		if w.Type == isa.F64 {
			return "DMUL" + w.float() + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(1)
		}
		name := w.long("FMUL", 1)
		return name + w.float() + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(1)
	}
	if w.Mod.Half == isa.Wide || w.Type.Bytes() == 8 {
		w.fail("a product of 64 bits")
	}
	return w.long("IMUL", 1) + w.factors() + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(1)
}

// factors are the types of a product of integers, and its half.
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
		return fmt.Sprintf("ISCADD %s%s, %s, %s, 0x%x", w.d(0), w.cc(), w.r(0), w.b(2), bits.TrailingZeros32(uint32(n)))
	}
	if w.Src[0].Kind != isa.OperandRegister {
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
	}
	return "IMAD" + w.factors() + carry + " " + w.d(0) + w.cc() + ", " + w.r(0) + ", " + w.second() + ", " + w.third()
}

// second and third are the sources of an operation of three: one of them may be in a constant bank.
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
	if w.Src[0].Kind != isa.OperandRegister {
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
	}
	x, y := &w.Src[0], &w.Src[1]
	x.Negate, y.Negate = x.Negate != y.Negate, false
	if y.Kind == isa.OperandImmediate && x.Negate && y.Bank != isa.ConstantBankLiterals && y.Immediate != 0 {
		x.Negate = false
		y.Immediate ^= 1 << (8*w.Type.Bytes() - 1)
	}
	return name + w.float() + " " + w.d(0) + ", " + w.r(0) + ", " + w.second() + ", " + w.third()
}

func smaller(w *writer) string {
	if w.Src[0].Kind != isa.OperandRegister {
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
	}
	which := when("!", w.Op == isa.OpMax) + "PT"
	name := map[isa.Type]string{isa.F32: "FMNMX", isa.F64: "DMNMX"}[w.Type]
	if name == "" {
		name = "IMNMX" + w.unsigned()
	}
	w.narrow()
	return name + when(".FTZ", w.Mod.Flush) + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(1) + ", " + which
}

// narrow refuses integers that are not as long as the operation's.
func (w *writer) narrow() {
	if n := w.Type.Bytes(); !w.Type.Float() && n != 4 {
		w.fail("numbers of %d bits", 8*n)
	}
}

func sign(w *writer) string {
	if w.Type == isa.F32 { // a sum with -0
		bars := when("|", w.Op == isa.OpAbs)
		return "FADD" + when(".FTZ", w.Mod.Flush) + " " + w.d(0) + ", " + when("-", w.Op == isa.OpNeg) + bars + w.r(0) + bars + ", -RZ"
	}
	w.narrow()
	if w.Op == isa.OpNeg {
		return "IADD " + w.d(0) + ", -" + w.r(0) + ", RZ"
	}
	return "I2I.S32.S32 " + w.d(0) + ", |" + w.r(0) + "|"
}

func difference(w *writer) string {
	w.narrow()
	return "ISAD" + w.unsigned() + " " + w.d(0) + ", " + w.r(0) + ", " + w.second() + ", " + w.third()
}

// Bits.

var logics = map[isa.Opcode]string{isa.OpAnd: ".AND", isa.OpOr: ".OR", isa.OpXor: ".XOR"}

func logic(w *writer) string {
	if w.Type == isa.Pred {
		return "PSETP" + logics[w.Op] + ".AND " + w.p(0) + ", PT, " + w.guardOr(0) + ", " + w.guardOr(1) + ", PT"
	}
	if w.Type.Bytes() == 8 {
		w.fail("64 bits")
	}
	if w.Src[0].Kind != isa.OperandRegister {
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
	}
	if y := &w.Src[1]; !small(y) {
		return fmt.Sprintf("LOP32I%s %s, %s, 0x%x", logics[w.Op], w.d(0), w.r(0), uint32(y.Immediate))
	}
	return "LOP" + logics[w.Op] + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(1)
}

func invert(w *writer) string {
	if w.Type == isa.Pred {
		return "PSETP.AND.AND " + w.p(0) + ", PT, " + opposite(w.guardOr(0)) + ", PT, PT"
	}
	return "LOP.PASS_B " + w.d(0) + ", RZ, ~" + w.r(0)
}

func opposite(p string) string {
	if cut, negated := strings.CutPrefix(p, "!"); negated {
		return cut
	}
	return "!" + p
}

func shift(w *writer) string {
	if s := &w.Src[0]; s.Kind == isa.OperandSymbol && w.Op == isa.OpShr { // the upper half of an address
		w.place(s, cubin.RelocateHigh23)
		return "MOV32I " + w.d(0) + ", 0x0"
	}
	name := "SHL"
	if w.Op == isa.OpShr {
		name = "SHR" + w.unsigned()
		w.narrow()
	}
	return name + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(1)
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
	return name + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(2) + ", " + w.r(1)
}

// field is where a bit field begins and how long it is, which have to be known.
func (w *writer) field(n int) string {
	position, length := &w.Src[n], &w.Src[n+1]
	if position.Kind != isa.OperandImmediate || length.Kind != isa.OperandImmediate {
		w.fail("a bit field whose place is in a register")
	}
	w.narrow()
	return fmt.Sprintf("0x%x", position.Immediate&0xff|length.Immediate&0xff<<8)
}

func extract(w *writer) string {
	return "BFE" + w.unsigned() + " " + w.d(0) + ", " + w.r(0) + ", " + w.field(1)
}

func insert(w *writer) string {
	return "BFI " + w.d(0) + ", " + w.r(0) + ", " + w.field(2) + ", " + w.r(1)
}

func highest(w *writer) string {
	w.narrow()
	return "FLO" + w.unsigned() + when(".SH", w.Mod.ShiftAmt) + " " + w.d(0) + ", " + w.r(0)
}

func count(w *writer) string {
	w.narrow()
	return "POPC " + w.d(0) + ", " + w.r(0) + ", " + w.r(0)
}

func reverse(w *writer) string {
	w.narrow()
	return "BFE.U32.BREV " + w.d(0) + ", " + w.r(0) + ", 0x2000"
}

var permutations = map[isa.Sub]string{isa.PrmtF4E: ".F4E", isa.PrmtB4E: ".B4E", isa.PrmtRC8: ".RC8", isa.PrmtECL: ".ECL",
	isa.PrmtECR: ".ECR", isa.PrmtRC16: ".RC16"}

func permute(w *writer) string {
	return "PRMT" + permutations[w.Mod.Select] + " " + w.d(0) + ", " + w.r(0) + ", " + w.b(2) + ", " + w.r(1)
}

// Comparison and selection.

var compares = map[isa.Compare]string{isa.EQ: ".EQ", isa.NE: ".NE", isa.LT: ".LT", isa.LE: ".LE", isa.GT: ".GT", isa.GE: ".GE",
	isa.LO: ".LT", isa.LS: ".LE", isa.HI: ".GT", isa.HS: ".GE", isa.EQU: ".EQU", isa.NEU: ".NEU", isa.LTU: ".LTU", isa.LEU: ".LEU",
	isa.GTU: ".GTU", isa.GEU: ".GEU", isa.NUM: ".NUM", isa.NAN: ".NAN"}

// turned is the comparison with its sides exchanged.
var turned = map[isa.Compare]isa.Compare{isa.LT: isa.GT, isa.GT: isa.LT, isa.LE: isa.GE, isa.GE: isa.LE, isa.LO: isa.HI, isa.HI: isa.LO,
	isa.LS: isa.HS, isa.HS: isa.LS, isa.LTU: isa.GTU, isa.GTU: isa.LTU, isa.LEU: isa.GEU, isa.GEU: isa.LEU}

var combinations = map[isa.BoolOp]string{isa.BoolNone: ".AND", isa.BoolAnd: ".AND", isa.BoolOr: ".OR", isa.BoolXor: ".XOR"}

// comparison is the text of what is compared, t its type, from the operation's letter on; behind are the modifiers behind the comparison.
func (w *writer) comparison(kind string, t isa.Type) (name, sources string) {
	if w.Src[0].Kind != isa.OperandRegister && !zero(&w.Src[0]) {
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
		if c, ok := turned[w.Mod.Compare]; ok {
			w.Mod.Compare = c
		}
	}
	c := compares[w.Mod.Compare]
	if c == "" {
		w.fail("no comparison")
	}
	sources = w.r(0) + ", " + w.b(1)
	boolean := combinations[w.Mod.Bool]
	switch {
	case t == isa.F32:
		return "F" + kind + c + when(".FTZ", w.Mod.Flush) + boolean, sources
	case t == isa.F64:
		return "D" + kind + c + boolean, sources
	case t.Bytes() != 4:
		w.fail("numbers of %d bits", 8*t.Bytes())
	}
	unsigned := !t.Signed() && w.Mod.Compare != isa.EQ && w.Mod.Compare != isa.NE
	return "I" + kind + c + when(".U32", unsigned) + when(".X", w.Op == isa.OpSetc) + boolean, sources
}

func compare(w *writer) string {
	name, sources := w.comparison("SETP", w.Type)
	return name + " " + w.p(0) + ", " + w.p(1) + ", " + sources + ", " + w.guardOr(2)
}

func set(w *writer) string {
	kind := "SET" + when(".BF", w.Type == isa.F32)
	name, sources := w.comparison(kind, w.From)
	return name + " " + w.d(0) + ", " + sources + ", " + w.guardOr(2)
}

func pick(w *writer) string {
	if w.Type.Bytes() == 8 {
		w.fail("64 bits")
	}
	w.Type = isa.B32 // whose numbers are whole
	if w.Src[0].Kind != isa.OperandRegister && !zero(&w.Src[0]) {
		return "SEL " + w.d(0) + ", " + w.r(1) + ", " + w.b(0) + ", " + opposite(w.guardOr(2))
	}
	return "SEL " + w.d(0) + ", " + w.r(0) + ", " + w.b(1) + ", " + w.guardOr(2)
}

// Moves and conversions.

// launchConstants are the special registers that lie in constant bank 0.
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
		return "MOV " + w.d(0) + ", R1"
	case s.Kind == isa.OperandSpecial && specials[s.Special] != "":
		return "S2R " + w.d(0) + ", " + specials[s.Special]
	case s.Kind == isa.OperandSymbol:
		w.place(s, cubin.RelocateLow23)
		return "MOV32I " + w.d(0) + ", 0x0"
	case s.Kind == isa.OperandImmediate && s.Bank != isa.ConstantBankLiterals && s.Immediate != 0:
		return fmt.Sprintf("MOV32I %s, 0x%x", w.d(0), uint32(s.Immediate))
	case s.Negate:
		w.fail("a move with a sign")
	}
	return "MOV " + w.d(0) + ", " + w.b(0)
}

// place has the loader put the address of a variable into the word.
func (w *writer) place(s *isa.Operand, kind uint32) {
	if w.kernel.encoding == sass.SM30 {
		kind = map[uint32]uint32{cubin.RelocateLow23: cubin.RelocateLow26, cubin.RelocateHigh23: cubin.RelocateHigh26}[kind]
	}
	w.address = &address{w.kernel.program.Symbols[s.Symbol].Name, kind, int64(s.Immediate)}
}

// pack joins two halves of a word, or takes one of them.
func pack(w *writer) string {
	if len(w.Src) == 2 && len(w.Dst) == 1 && w.Dst[0].Type.Bytes() == 4 {
		return "PRMT " + w.d(0) + ", " + w.r(0) + ", 0x5410, " + w.r(1)
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
	ends := " " + w.d(0) + ", " + w.b(0)
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

// bitsAsNumber takes untyped bits for an unsigned number.
func bitsAsNumber(t string) string { return strings.Replace(t, ".B", ".U", 1) }

var functions = map[isa.Opcode]string{isa.OpRcp: "RCP", isa.OpRsqrt: "RSQ", isa.OpSin: "SIN", isa.OpCos: "COS", isa.OpEx2: "EX2",
	isa.OpLg2: "LG2"}

func function(w *writer) string {
	if w.Type != isa.F32 || !w.Mod.Approx {
		w.fail("a rounded function")
	}
	return "MUFU." + functions[w.Op] + when(".SAT", w.Mod.Saturate) + " " + w.d(0) + ", " + w.r(0)
}

func estimate(w *writer) string {
	return map[isa.Opcode]string{isa.OpRcp64h: "MUFU.RCP64H ", isa.OpRsqrt64h: "MUFU.RSQ64H "}[w.Op] + w.d(0) + ", " + w.r(0)
}

func divisionCheck(w *writer) string {
	return "FCHK.DIVIDE " + w.p(0) + ", " + w.r(0) + ", " + w.b(1)
}

// Warps and blocks.

func vote(w *writer) string {
	p := w.guardOr(0)
	switch w.Mod.Select {
	case isa.VoteBallot:
		return "VOTE.ANY " + w.d(0) + ", PT, " + p
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
	return "SHFL." + mode + " " + w.p(1) + ", " + w.d(0) + ", " + w.r(0) + ", " + w.either(1) + ", " + w.either(2)
}

// either is a source that is a register or any number.
func (w *writer) either(n int) string {
	if o := &w.Src[n]; o.Kind == isa.OperandImmediate {
		return fmt.Sprintf("0x%x", uint32(o.Immediate))
	}
	return w.r(n)
}

var reductions = map[isa.BoolOp]string{isa.BoolPopc: ".POPC", isa.BoolAnd: ".AND", isa.BoolOr: ".OR"}

func barrier(w *writer) string {
	if w.Mod.Select == isa.BarWarp { // only the scheduler has to know: Kepler's warps advance together
		return "NOP"
	}
	name := map[isa.Sub]string{isa.BarSync: "BAR.SYNC", isa.BarArrive: "BAR.ARV",
		isa.BarRed: "BAR.RED" + reductions[w.Mod.Bool]}[w.Mod.Select]
	older := w.kernel.encoding == sass.SM30 // whose barrier has its results itself
	switch {
	case !older:
	case w.Mod.Select == isa.BarSync:
		name = "BAR.RED.POPC RZ," // a sum that goes nowhere
	case w.Mod.Select == isa.BarRed && w.Mod.Bool == isa.BoolPopc:
		name += " " + w.d(0) + ","
	case w.Mod.Select == isa.BarRed:
		name += " " + w.p(0) + ", RZ,"
	default:
		name += " PT, RZ,"
	}
	text, counts := name+" "+w.either(0), len(w.Src)-1
	if w.Mod.Select == isa.BarRed {
		counts--
	}
	if counts > 0 {
		text += ", " + w.either(1)
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
