package fuzz

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/internal/columns"
)

// The shape of every program.
const (
	Threads     = 64
	InputWords  = 16 // 32-bit words of input a thread
	OutputWords = 36 // 32-bit words of output a thread: 12 words, 4 f32, 6 of 64 bits, 4 predicates, 2 f64
)

const (
	words      = 12 // %r0 to %r11
	doubles    = 6  // %d0 to %d5
	floats     = 4  // %f0 to %f3
	wides      = 4  // %g0 to %g3, f64
	predicates = 5  // %p0 to %p4
)

// generator writes one program.
type generator struct {
	random *rand.Rand
	out    strings.Builder
	labels int
	loops  int // the loop counters used: %c0 and so on, which only their loops write
	budget int // instructions still to write
	// uniform means that all threads reach the end of every statement at depth 0. There they may meet at barriers and see each other's
	// registers.
	uniform   bool
	functions []string // texts of the device functions
	forms     []form   // the instructions to draw from
	rolled    bool     // no loop may be unrolled, and no value is compared with itself
	counted   bool     // has loops of straight code with a constant number of iterations
	open      bool     // in these loops, the number of iterations is in a register
	// leaves means paths that leave the kernel; with exits, threads take some of them. coldCode is code after the current function's end.
	leaves, exits bool
	coldCode      string
	wide          bool // also draws from the wide forms
}

// Generate writes the program of a seed; the same seed gives the same text. All its floating-point instructions specify their rounding.
func Generate(seed uint64) string {
	return newGenerator(seed, forms()["plain"]).program("")
}

// withoutRounding removes .rn from instructions that may omit it.
var withoutRounding = strings.NewReplacer("add.rn.", "add.", "sub.rn.", "sub.", "mul.rn.", "mul.")

// GenerateUnrounded writes a program whose f32 and f64 additions, subtractions and multiplications omit .rn, so that they may fuse to
// multiply-adds. Even seeds draw from all instructions. Odd seeds draw from those that matter for fusing, on numbers with inexact products.
// ptxas must not unroll their loops: that would bring a iteration's products together with the next iteration's additions.
func GenerateUnrounded(seed uint64) string {
	if seed%2 == 0 {
		return withoutRounding.Replace(Generate(seed))
	}
	g := newGenerator(seed, forms()["arithmetic"])
	g.rolled = true
	return g.program(fraction())
}

// GenerateCounted is GenerateUnrounded with most instructions in loops that the driver's compiler unrolls.
func GenerateCounted(seed uint64) string {
	g := newGenerator(seed, forms()["arithmetic"])
	g.counted = true
	return g.program(fraction())
}

// GenerateOpen is GenerateCounted with different numbers of iterations in different threads.
func GenerateOpen(seed uint64) string {
	g := newGenerator(seed, forms()["arithmetic"])
	g.counted, g.open = true, true
	return g.program(fraction())
}

func newGenerator(seed uint64, list []form) *generator {
	return &generator{random: rand.New(rand.NewPCG(seed, 0x6b65706c6572)), budget: 24 + int(seed%5)*16, uniform: seed%3 != 0, forms: list}
}

// fraction are instructions that turn the integers in the floating-point registers into numbers around 1 that use all bits of their
// significands.
func fraction() string {
	var b strings.Builder
	for n := range floats {
		fmt.Fprintf(&b, "\tfma.rn.f32 %%f%d, %%f%d, 0f30123457, 0f3F8%dCCCD;\n", n, n, n)
	}
	for n := range wides {
		fmt.Fprintf(&b, "\tfma.rn.f64 %%g%d, %%g%d, 0d3C01234567890123, 0d3FF%d999999999999;\n", n, n, n)
	}
	return b.String()
}

// program writes the program; prepare comes before its body.
func (g *generator) program(prepare string) string {
	for n := range 2 {
		g.functions = append(g.functions, g.function(n))
	}
	body := g.body()
	var b strings.Builder
	b.WriteString(".version 6.0\n.target sm_35\n.address_size 64\n\n")
	board := 4 * Threads
	if g.leaves {
		b.WriteString(outside)
		board *= 2
	}
	b.WriteString(strings.Join(g.functions, "\n") +
		"\n.visible .entry random(.param .u64 in, .param .u64 out)\n{\n")
	fmt.Fprintf(&b, "\t.shared .align 4 .b8 board[%d];\n", board)
	if g.wide {
		b.WriteString(wideVariables)
	}
	fmt.Fprintf(&b, "\t.reg .b32 %%r<%d>, %%c<%d>, %%w<5>, %%i, %%board, %%mine;\n\t.reg .b64 %%d<%d>, %%in, %%out, %%at;\n"+
		"\t.reg .f32 %%f<%d>;\n\t.reg .f64 %%g<%d>;\n\t.reg .pred %%p<%d>, %%q;\n", words, g.loops+1, doubles, floats, wides, predicates)
	fmt.Fprintf(&b, "\tmov.u32 %%i, %%tid.x;\n\tmov.u32 %%board, board;\n\tmad.lo.u32 %%mine, %%i, 4, %%board;\n"+
		"\tst.shared.u32 [%%mine], %%i;\n\tbarrier.sync 0;\n\tld.param.u64 %%in, [in];\n\tmul.wide.u32 %%at, %%i, %d;\n"+
		"\tadd.u64 %%in, %%in, %%at;\n\tld.param.u64 %%out, [out];\n\tmul.wide.u32 %%at, %%i, %d;\n\tadd.u64 %%out, %%out, %%at;\n",
		4*InputWords, 4*OutputWords)
	for n := range words {
		fmt.Fprintf(&b, "\tld.global.u32 %%r%d, [%%in+%d];\n", n, 4*n)
	}
	for n := range doubles {
		fmt.Fprintf(&b, "\tld.global.u64 %%d%d, [%%in+%d];\n", n, 8*n)
	}
	for n := range floats {
		fmt.Fprintf(&b, "\tcvt.rn.f32.s32 %%f%d, %%r%d;\n", n, n+3)
	}
	for n := range wides {
		fmt.Fprintf(&b, "\tcvt.rn.f64.s64 %%g%d, %%d%d;\n", n, n+1)
	}
	for n := range predicates {
		fmt.Fprintf(&b, "\tsetp.lt.s32 %%p%d, %%r%d, %%r%d;\n", n, n, n+1)
	}
	b.WriteString(prepare)
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
	for n := range 2 {
		// PTX does not say which operand's bits a NaN keeps, so each NaN is stored as 0.
		fmt.Fprintf(&b, "\tadd.rn.f64 %%g%d, %%g%d, %%g%d;\n\tsetp.nan.f64 %%q, %%g%d, %%g%d;\n"+
			"\tselp.f64 %%g%d, 0d0000000000000000, %%g%d, %%q;\n\tst.global.f64 [%%out+%d], %%g%d;\n", n, n, n+2, n, n, n, n, 128+8*n, n)
	}
	b.WriteString("GONE:\n\texit;\n" + g.coldCode + "}\n")
	return b.String()
}

// function writes a device function: %r0 and %d0 are its parameters and %r0 is the result. The second function calls itself as often as its
// first parameter says, at most 4 times.
func (g *generator) function(n int) string {
	outer := g.out
	g.out = strings.Builder{}
	for range 2 + g.random.IntN(4) {
		g.plain(pureForms())
		if g.leaves && g.random.IntN(3) == 0 {
			skip := g.label()
			g.line("@%s bra %s", g.guard(), skip)
			g.leave(true)
			g.plain(pureForms())
			g.out.WriteString(skip + ":\n")
		}
	}
	body, rare := g.out.String(), g.coldCode
	g.out, g.coldCode = outer, ""
	var b strings.Builder
	fmt.Fprintf(&b, ".func (.param .b32 result%d) f%d(.param .b32 word%d, .param .b64 double%d)\n{\n", n, n, n, n)
	fmt.Fprintf(&b, "\t.reg .b32 %%r<%d>, %%w<5>, %%x<2>, %%i;\n\t.reg .b64 %%d<%d>;\n\t.reg .pred %%p<%d>, %%q;\n", words, doubles,
		predicates)
	if g.leaves {
		b.WriteString("\tmov.u32 %i, %tid.x;\n")
	}
	for k := range words {
		if k == 0 {
			fmt.Fprintf(&b, "\tld.param.u32 %%r0, [word%d];\n", n)
		} else {
			fmt.Fprintf(&b, "\tadd.u32 %%r%d, %%r%d, %d;\n", k, k-1, 0x1000193+k)
		}
	}
	for k := range doubles {
		if k == 0 {
			fmt.Fprintf(&b, "\tld.param.u64 %%d0, [double%d];\n", n)
		} else {
			fmt.Fprintf(&b, "\tsub.u64 %%d%d, %%d%d, %d;\n", k, k-1, 77*k)
		}
	}
	for k := range predicates {
		fmt.Fprintf(&b, "\tsetp.lt.s32 %%p%d, %%r%d, %%r%d;\n", k, k, k+1)
	}
	b.WriteString(body)
	if n == 1 {
		b.WriteString("\tld.param.u32 %x0, [word1];\n\tand.b32 %x0, %x0, 3;\n\tsetp.eq.u32 %q, %x0, 0;\n\t@%q bra LAST;\n" +
			"\tsub.u32 %x0, %x0, 1;\n" +
			"\t.param .b32 given;\n\t.param .b64 wide;\n\t.param .b32 back;\n\tst.param.b32 [given], %x0;\n" +
			"\tst.param.b64 [wide], %d1;\n\tcall (back), f1, (given, wide);\n\tld.param.b32 %x1, [back];\n" +
			"\txor.b32 %r0, %r0, %x1;\n\tLAST:\n")
	}
	fmt.Fprintf(&b, "\tst.param.b32 [result%d], %%r0;\n\tret;\n%s}\n", n, rare)
	return b.String()
}

// call writes a call of one of the functions.
func (g *generator) call() {
	n := g.random.IntN(len(g.functions))
	g.out.WriteString("\t{\n\t.param .b32 given;\n\t.param .b64 wide;\n\t.param .b32 back;\n")
	g.line("st.param.b32 [given], %s", g.word())
	g.line("st.param.b64 [wide], %s", g.double())
	g.line("call (back), f%d, (given, wide)", n)
	g.line("ld.param.b32 %s, [back]", g.word())
	g.out.WriteString("\t}\n")
}

// synchronise writes a statement that all threads execute together.
func (g *generator) synchronise() {
	const all = "0xffffffff"
	kinds := 5
	if g.exits { // a shuffle or vote of all lanes is undefined after some have left
		kinds = 2
	}
	if g.leaves && g.random.IntN(3) == 0 { // read what a thread wrote before it left
		g.line("barrier.sync 0")
		g.address(g.word())
		g.line("ld.shared.u32 %s, [%%w1+%d]", g.word(), 4*Threads)
		g.line("barrier.sync 0")
		return
	}
	switch g.random.IntN(kinds) {
	case 0: // read what another thread has written
		g.line("st.shared.u32 [%%mine], %s", g.word())
		g.line("barrier.sync 0")
		g.address(g.word())
		g.line("ld.shared.u32 %s, [%%w1]", g.word())
		g.line("barrier.sync 0")
	case 1: // reduce into words that several threads share
		g.address(g.word())
		g.line("red.shared.%s [%%w1], %s", g.pick("add.u32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32"),
			g.word())
		g.line("barrier.sync 0")
		g.line("ld.shared.u32 %s, [%%mine]", g.word())
		g.line("barrier.sync 0")
	case 2:
		g.line("and.b32 %%w0, %s, 31", g.word())
		g.line("shfl.sync.idx.b32 %s, %s, %%w0, %s, %s", g.word(), g.word(), g.pick("0x1f", "0x181f", "0x1c1f", "0x100f"), all)
	case 3:
		direction := g.pick("up", "down", "bfly")
		clamp := map[string]string{"up": g.pick("0", "0x1800", "0x1000"), "down": g.pick("0x1f", "0x181f", "0x101f"),
			"bfly": g.pick("0x1f", "0x181f")}[direction]
		g.line("shfl.sync.%s.b32 %s, %s, %d, %s, %s", direction, g.word(), g.word(), g.random.IntN(32), clamp, all)
	default:
		if g.random.IntN(2) == 0 {
			g.line("vote.sync.ballot.b32 %s, %s, %s", g.word(), g.predicate(), all)
		} else {
			g.line("vote.sync.%s.pred %s, %s, %s", g.pick("all", "any", "uni"), g.predicate(), g.predicate(), all)
		}
	}
}

// address puts the address of the shared word that a register selects into %w1.
func (g *generator) address(word string) {
	g.line("and.b32 %%w0, %s, %d", word, Threads-1)
	g.line("shl.b32 %%w0, %%w0, 2")
	g.line("add.u32 %%w1, %%board, %%w0")
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

// head writes a loop's label. The loop is not unrolled if rolled is set here or for all loops.
func (g *generator) head(label string, rolled bool) {
	g.out.WriteString(label + ":\n")
	if rolled || g.rolled {
		g.out.WriteString("\t.pragma \"nounroll\";\n")
	}
}

func (g *generator) label() string {
	g.labels++
	return fmt.Sprintf("L%d", g.labels)
}

// statement writes an instruction, a conditional or a loop.
func (g *generator) statement(depth int) {
	kind := g.random.IntN(24)
	switch {
	case g.wide && kind > 11:
		g.wideStatement()
	case g.leaves && g.random.IntN(6) == 0:
		g.leave(false)
	case kind == 20:
		g.call()
	case kind >= 21 && depth == 0 && g.uniform:
		g.synchronise()
	case kind == 3 && depth == 0 && g.uniform: // all threads have the same rounds, and may meet in them
		counter := fmt.Sprintf("%%c%d", g.loops)
		g.loops++
		head := g.label()
		g.line("mov.b32 %s, %d", counter, g.random.IntN(3))
		g.head(head, g.counted) // iterations may have branches, and the evaluator unrolls only straight code
		for range 1 + g.random.IntN(3) {
			if g.random.IntN(2) == 0 {
				g.synchronise()
			} else {
				g.statement(1)
			}
		}
		g.line("sub.s32 %s, %s, 1", counter, counter)
		g.line("setp.ge.s32 %%q, %s, 0", counter)
		g.line("@%%q bra %s", head)
	case g.counted && depth == 0 && kind < 6:
		counter, head := fmt.Sprintf("%%c%d", g.loops), g.label()
		g.loops++
		if iterations := g.random.IntN(8); g.open {
			g.line("and.b32 %s, %s, 15", counter, g.word())
		} else {
			g.line("mov.b32 %s, %d", counter, iterations)
		}
		g.head(head, false)
		for range 1 + g.random.IntN(8) {
			g.instruction()
		}
		g.line("sub.s32 %s, %s, 1", counter, counter)
		g.line("setp.ge.s32 %%q, %s, 0", counter)
		g.line("@%%q bra %s", head)
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
	case depth < 2 && kind == 2: // a loop of 1 to 8 rounds that a guard may leave
		counter := fmt.Sprintf("%%c%d", g.loops)
		g.loops++
		head, out := g.label(), g.label()
		g.line("and.b32 %s, %s, 7", counter, g.word())
		g.head(head, false)
		g.block(depth + 1)
		if g.random.IntN(2) == 0 {
			g.line("@%s bra %s", g.guard(), out)
			g.block(depth + 1)
		}
		if g.random.IntN(4) == 0 && !g.uniform {
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

// wordSource returns a register or a number, often a border value.
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

// instruction writes an instruction from the table, sometimes guarded.
func (g *generator) instruction() { g.plain(g.forms) }

// plain writes an instruction from a list.
func (g *generator) plain(list []form) {
	f := list[g.random.IntN(len(list))]
	mnemonic := f.name
	for strings.Contains(mnemonic, "(") { // a choice: (a|b|c)
		open, end := strings.Index(mnemonic, "("), strings.Index(mnemonic, ")")
		mnemonic = mnemonic[:open] + g.pick(strings.Split(mnemonic[open+1:end], "|")...) + mnemonic[end+1:]
	}
	var operands []string
	for n, c := range f.operands {
		switch c {
		case 'r':
			if n <= 1 { // a number is not allowed as the first operand everywhere
				operands = append(operands, g.word())
			} else {
				operands = append(operands, g.wordSource())
			}
		case 'R':
			operands = append(operands, g.word())
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
		case 'F':
			number := g.pick("0f3F8CCCCD", "0f3F333333", "0fBF99999A", "0f40000000", "0f3F800000")
			operands = append(operands, g.pick(g.float(), g.float(), number))
		case 'g':
			operands = append(operands, fmt.Sprintf("%%g%d", g.random.IntN(wides)))
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
	if g.rolled && strings.HasPrefix(mnemonic, "setp") && operands[1] == operands[2] {
		g.plain(list)
		return
	}
	if strings.HasSuffix(mnemonic, ".f32.f64") {
		// The conversion would show which operand's bits a NaN kept.
		g.line("setp.nan.f64 %%q, %s, %s", operands[1], operands[1])
		g.line("selp.f64 %s, 0d0000000000000000, %s, %%q", operands[1], operands[1])
	}
	guard := ""
	if g.random.IntN(6) == 0 {
		guard = "@" + g.guard() + " "
	}
	g.line("%s%s %s", guard, mnemonic, strings.Join(operands, ", "))
}

// form is a family of instructions: a row of forms.txt, which says what the operands are.
type form struct{ name, operands string }

//go:embed forms.txt
var formsText string

// forms returns the forms of each set.
var forms = sync.OnceValue(func() map[string][]form {
	sets := map[string][]form{}
	for line := range columns.Lines(formsText) {
		cells := columns.Split(line)
		sets[cells[0]] = append(sets[cells[0]], form{cells[1], cells[2]})
	}
	return sets
})

// pureForms are the forms with only words, doubles and predicates, for device functions.
var pureForms = sync.OnceValue(func() []form {
	var list []form
	for _, f := range forms()["plain"] {
		if !strings.ContainsAny(f.operands, "fgaA") {
			list = append(list, f)
		}
	}
	return list
})
