package randomptx

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The shape of every program.
const (
	Threads     = 64
	InputWords  = 16 // 32-bit words of input a thread
	OutputWords = 32 // 32-bit words of output a thread: 16 words, 8 of 64 bits
)

const (
	words      = 12 // %r0 to %r11
	doubles    = 6  // %d0 to %d5
	floats     = 4  // %f0 to %f3
	predicates = 5  // %p0 to %p4
)

// generator writes one program.
type generator struct {
	random *rand.Rand
	out    strings.Builder
	labels int
	loops  int // loop counters used: %c0 and so on, which nothing else writes
	budget int // instructions still to write
}

// Generate writes the program of a seed; the same seed gives the same text.
func Generate(seed uint64) string {
	g := &generator{random: rand.New(rand.NewPCG(seed, 0x6b65706c6572)), budget: 24 + int(seed%5)*16}
	body := g.body()
	var b strings.Builder
	b.WriteString(".version 4.2\n.target sm_35\n.address_size 64\n\n.visible .entry random(.param .u64 in, .param .u64 out)\n{\n")
	fmt.Fprintf(&b, "\t.reg .b32 %%r<%d>, %%c<%d>, %%w<5>, %%i;\n\t.reg .b64 %%d<%d>, %%in, %%out, %%at;\n\t.reg .f32 %%f<%d>;\n\t.reg .pred %%p<%d>, %%q;\n", words, g.loops+1, doubles, floats, predicates)
	b.WriteString("\tmov.u32 %i, %tid.x;\n\tld.param.u64 %in, [in];\n\tmul.wide.u32 %at, %i, 64;\n\tadd.u64 %in, %in, %at;\n\tld.param.u64 %out, [out];\n\tmul.wide.u32 %at, %i, 128;\n\tadd.u64 %out, %out, %at;\n")
	for n := range words {
		fmt.Fprintf(&b, "\tld.global.u32 %%r%d, [%%in+%d];\n", n, 4*n)
	}
	for n := range doubles {
		fmt.Fprintf(&b, "\tld.global.u64 %%d%d, [%%in+%d];\n", n, 8*n)
	}
	for n := range floats {
		fmt.Fprintf(&b, "\tcvt.rn.f32.s32 %%f%d, %%r%d;\n", n, n+3)
	}
	for n := range predicates {
		fmt.Fprintf(&b, "\tsetp.lt.s32 %%p%d, %%r%d, %%r%d;\n", n, n, n+1)
	}
	b.WriteString(body)
	b.WriteString("END:\n")
	for n := range words {
		fmt.Fprintf(&b, "\tst.global.u32 [%%out+%d], %%r%d;\n", 4*n, n)
	}
	for n := range floats {
		fmt.Fprintf(&b, "\tst.global.f32 [%%out+%d], %%f%d;\n", 48+4*n, n)
	}
	for n := range doubles {
		fmt.Fprintf(&b, "\tst.global.u64 [%%out+%d], %%d%d;\n", 64+8*n, n)
	}
	for n := range predicates - 1 {
		fmt.Fprintf(&b, "\tselp.u32 %%r0, 1, 0, %%p%d;\n\tst.global.u32 [%%out+%d], %%r0;\n", n, 112+4*n)
	}
	b.WriteString("\texit;\n}\n")
	return b.String()
}

// body writes statements until the budget is spent.
func (g *generator) body() string {
	for g.budget > 0 {
		g.statement(0)
	}
	return g.out.String()
}

func (g *generator) line(format string, arguments ...any) {
	fmt.Fprintf(&g.out, "\t"+format+";\n", arguments...)
	g.budget--
}

func (g *generator) label() string {
	g.labels++
	return fmt.Sprintf("L%d", g.labels)
}

// statement writes an instruction, a conditional or a loop.
func (g *generator) statement(depth int) {
	kind := g.random.IntN(20)
	switch {
	case depth < 3 && kind == 0: // if
		skip := g.label()
		g.line("@%s bra %s", g.guard(), skip)
		g.block(depth + 1)
		g.out.WriteString(skip + ":\n")
	case depth < 3 && kind == 1: // if and else
		other, join := g.label(), g.label()
		g.line("@%s bra %s", g.guard(), other)
		g.block(depth + 1)
		g.line("bra %s", join)
		g.out.WriteString(other + ":\n")
		g.block(depth + 1)
		g.out.WriteString(join + ":\n")
	case depth < 2 && kind == 2: // loop of 1 to 8 rounds, which a guard may leave
		counter := fmt.Sprintf("%%c%d", g.loops)
		g.loops++
		head, out := g.label(), g.label()
		g.line("and.b32 %s, %s, 7", counter, g.word())
		g.out.WriteString(head + ":\n")
		g.block(depth + 1)
		if g.random.IntN(2) == 0 {
			g.line("@%s bra %s", g.guard(), out)
			g.block(depth + 1)
		}
		if g.random.IntN(4) == 0 {
			g.line("@%s bra END", g.guard())
		}
		g.line("sub.s32 %s, %s, 1", counter, counter)
		g.line("setp.ge.s32 %%q, %s, 0", counter)
		g.line("@%%q bra %s", head)
		g.out.WriteString(out + ":\n")
	default:
		g.instruction()
	}
}

func (g *generator) block(depth int) {
	for range 1 + g.random.IntN(4) {
		g.statement(depth)
	}
}

func (g *generator) pick(list ...string) string { return list[g.random.IntN(len(list))] }

func (g *generator) word() string      { return fmt.Sprintf("%%r%d", g.random.IntN(words)) }
func (g *generator) double() string    { return fmt.Sprintf("%%d%d", g.random.IntN(doubles)) }
func (g *generator) float() string     { return fmt.Sprintf("%%f%d", g.random.IntN(floats)) }
func (g *generator) predicate() string { return fmt.Sprintf("%%p%d", g.random.IntN(predicates)) }
func (g *generator) guard() string     { return g.pick("", "!") + g.predicate() }

// wordSource is a register or a number, often one at the edge of something.
func (g *generator) wordSource() string {
	if g.random.IntN(4) != 0 {
		return g.word()
	}
	return g.pick("0", "1", "-1", "31", "32", "0x7fffffff", "0x80000000", "255", "-128", "0x12345678", "7", "65536")
}

func (g *generator) doubleSource() string {
	if g.random.IntN(4) != 0 {
		return g.double()
	}
	return g.pick("0", "1", "-1", "63", "0x7fffffffffffffff", "0x8000000000000000", "4294967296", "0x123456789abcdef0")
}

// instruction writes one instruction of the table, guarded now and then.
func (g *generator) instruction() {
	f := forms[g.random.IntN(len(forms))]
	mnemonic := f.name
	for strings.Contains(mnemonic, "(") { // a choice: (a|b|c)
		open, end := strings.Index(mnemonic, "("), strings.Index(mnemonic, ")")
		mnemonic = mnemonic[:open] + g.pick(strings.Split(mnemonic[open+1:end], "|")...) + mnemonic[end+1:]
	}
	var operands []string
	for n, c := range f.operands {
		switch c {
		case 'r':
			if n <= 1 { // a number may not come first everywhere
				operands = append(operands, g.word())
			} else {
				operands = append(operands, g.wordSource())
			}
		case 'w':
			// PTX limits positions and lengths to 255.
			limited := fmt.Sprintf("%%w%d", n)
			g.line("and.b32 %s, %s, 255", limited, g.word())
			operands = append(operands, limited)
		case 'd':
			if n <= 1 {
				operands = append(operands, g.double())
			} else {
				operands = append(operands, g.doubleSource())
			}
		case 'f':
			operands = append(operands, g.float())
		case 'p':
			operands = append(operands, g.predicate())
		case 'n':
			operands = append(operands, g.guard())
		case 'a':
			operands = append(operands, fmt.Sprintf("[%%in+%d]", 4*g.random.IntN(InputWords)))
		case 'A':
			operands = append(operands, fmt.Sprintf("[%%in+%d]", 8*g.random.IntN(InputWords/2)))
		}
	}
	guard := ""
	if g.random.IntN(6) == 0 {
		guard = "@" + g.guard() + " "
	}
	g.line("%s%s %s", guard, mnemonic, strings.Join(operands, ", "))
}

// form is a family of instructions: (a|b) in the name is a choice; operands are r 32-bit, w a position or a length, d 64-bit, f f32, p predicate written, n predicate
// read, a and A addresses of a word and of a double.
type form struct{ name, operands string }

var forms = []form{
	{"(add|sub|mul.lo|min|max).(s32|u32)", "rrr"}, {"(add|sub|mul.lo|min|max).(s64|u64)", "ddd"},
	{"mul.hi.(s32|u32)", "rrr"}, {"mul.hi.(s64|u64)", "ddd"}, {"mul.wide.(s32|u32)", "drr"},
	{"mad.lo.(s32|u32)", "rrrr"}, {"mad.hi.(s32|u32)", "rrrr"}, {"mad.wide.(s32|u32)", "drrd"}, {"mad.lo.(s64|u64)", "dddd"},
	{"(and|or|xor).b32", "rrr"}, {"(and|or|xor).b64", "ddd"}, {"not.b32", "rr"}, {"not.b64", "dd"}, {"cnot.b32", "rr"},
	{"(abs|neg).s32", "rr"}, {"(abs|neg).s64", "dd"}, {"(add|sub).sat.s32", "rrr"},
	{"shl.b32", "rrr"}, {"shr.(u32|s32)", "rrr"}, {"shl.b64", "ddr"}, {"shr.(u64|s64)", "ddr"}, {"shf.(l|r).(wrap|clamp).b32", "rrrr"},
	{"(div|rem).(u32|s32)", "rrr"}, {"(div|rem).(u64|s64)", "ddd"}, {"sad.(u32|s32)", "rrrr"},
	{"popc.b32", "rr"}, {"popc.b64", "rd"}, {"clz.b32", "rr"}, {"clz.b64", "rd"}, {"brev.b32", "rr"}, {"brev.b64", "dd"}, {"bfind.(u32|s32)", "rr"}, {"bfind.shiftamt.(u32|s32)", "rr"}, {"bfind.(u64|s64)", "rd"},
	{"bfe.(u32|s32)", "rrww"}, {"bfe.(u64|s64)", "ddww"}, {"bfi.b32", "rrrww"}, {"bfi.b64", "dddww"}, {"prmt.b32", "rrrr"},
	{"cvt.(s64.s32|u64.u32)", "dr"}, {"cvt.u32.u64", "rd"}, {"cvt.s32.(s8|s16|u8|u16)", "rr"}, {"cvt.sat.(s8.s32|u8.s32|u16.u32|s16.s32)", "rr"}, {"cvt.sat.s32.s64", "rd"},
	{"setp.(eq|ne|lt|le|gt|ge).(s32|u32)", "prr"}, {"setp.(eq|ne|lt|le|gt|ge).(s64|u64)", "pdd"}, {"setp.(lt|ge|eq).(and|or|xor).s32", "prrn"},
	{"setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|geu|num|nan).f32", "pff"}, {"(and|or|xor).pred", "ppp"}, {"not.pred", "pp"}, {"set.(lt|ne|ge).u32.s32", "rrr"},
	{"selp.b32", "rrrp"}, {"selp.b64", "dddp"}, {"selp.f32", "fffp"}, {"slct.s32.s32", "rrrr"}, {"slct.u64.s32", "dddr"},
	{"mov.b32", "rr"}, {"mov.b64", "dd"}, {"mov.f32", "ff"}, {"mov.b32", "rf"}, {"mov.b32", "fr"},
	{"(add|sub|mul).rn.f32", "fff"}, {"(add|mul).(rz|rm|rp).f32", "fff"}, {"fma.(rn|rz|rm|rp).f32", "ffff"}, {"(min|max).f32", "fff"},
	{"cvt.rn.f32.(s32|u32)", "fr"}, {"cvt.(rzi|rni|rmi|rpi).(s32|u32).f32", "rf"}, {"cvt.rn.f32.(s64|u64)", "fd"},
	{"ld.global.u32", "ra"}, {"ld.global.(s8|u8|s16|u16)", "ra"}, {"ld.global.u64", "dA"}, {"ld.global.f32", "fa"},
}
