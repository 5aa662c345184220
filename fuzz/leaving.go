package fuzz

import "fmt"

// GenerateLeaving writes a program whose threads meet and in which paths leave the kernel. Conditions that never hold guard traps, failed
// assertions, exits and functions that do not return. In two of three programs, some threads also take exits, in conditionals and loops. A
// thread that leaves writes words to shared memory that others read after the next barrier.
func GenerateLeaving(seed uint64) string {
	g := newGenerator(seed, forms()["plain"])
	g.uniform, g.leaves, g.exits = true, true, seed%3 != 0
	return g.program(fmt.Sprintf("\tst.shared.u32 [%%mine+%d], %%i;\n\tbarrier.sync 0;\n", 4*Threads))
}

// outside are functions that such programs call.
const outside = `.extern .func __assertfail(.param .b64 text, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.func give_up()
{
	trap;
	ret;
}

`

// leave writes a path that leaves the kernel and a condition for it.
func (g *generator) leave(inFunction bool) {
	if g.exits && !inFunction && g.random.IntN(3) == 0 {
		g.exit()
		return
	}
	g.line("setp.gt.u32 %%q, %%i, %d", Threads+g.random.IntN(1000)) // no thread has such a number
	if g.random.IntN(5) == 0 {
		g.line("@%%q %s", g.pick("trap", "exit", "call give_up"))
		return
	}
	g.out.WriteString(g.outOfLine("%q", g.pick("\ttrap;\n", "\texit;\n", "\tcall give_up;\n", "\t{\n\t.param .b64 text;\n"+
		"\t.param .b64 file;\n\t.param .b32 line;\n\t.param .b64 function;\n\t.param .b64 size;\n\tst.param.b64 [text], 0;\n"+
		"\tst.param.b64 [file], 0;\n\tst.param.b32 [line], 0;\n\tst.param.b64 [function], 0;\n\tst.param.b64 [size], 0;\n"+
		"\tcall __assertfail, (text, file, line, function, size);\n\t}\n")))
}

// exit writes an exit that some threads take.
func (g *generator) exit() {
	g.line("and.b32 %%w0, %s, %d", g.word(), []int{3, 7, 15}[g.random.IntN(3)])
	g.line("setp.eq.u32 %%q, %%w0, %d", g.random.IntN(4))
	if g.random.IntN(4) == 0 {
		g.line("@%%q exit")
		return
	}
	g.out.WriteString(g.outOfLine("%q", fmt.Sprintf("\tst.shared.u32 [%%mine+%d], %s;\n\tst.global.u32 [%%out+0], %s;\n%s", 4*Threads,
		g.word(), g.word(), g.pick("\texit;\n", "\tret;\n", "\tbra GONE;\n"))))
}

// outOfLine returns code for threads whose predicate holds: in place, or after the function's end, where compilers put rare code.
func (g *generator) outOfLine(predicate, code string) string {
	label := g.label()
	if g.random.IntN(2) == 0 {
		return fmt.Sprintf("\t@!%s bra %s;\n%s%s:\n", predicate, label, code, label)
	}
	g.coldCode += label + ":\n" + code
	return fmt.Sprintf("\t@%s bra %s;\n", predicate, label)
}
