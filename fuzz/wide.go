package fuzz

import (
	"fmt"
	"slices"
	"strings"
)

// GenerateWide writes a program like Generate's with more: chains of carries, video instructions, half precision, saturation, local memory,
// and atomics on the thread's own words.
func GenerateWide(seed uint64) string {
	g := newGenerator(seed, slices.Concat(forms()["plain"], forms()["wide"]))
	g.wide, g.uniform = true, false
	var b strings.Builder
	b.WriteString("\tmov.u32 %stack, stack;\n")
	for n := range stackWords {
		fmt.Fprintf(&b, "\tst.local.u32 [%%stack+%d], %%r%d;\n", 4*n, n%words)
	}
	return g.program(b.String())
}

// stackWords is the size of each thread's local memory.
const stackWords = 16

const wideVariables = "\t.local .align 8 .b8 stack[64];\n\t.reg .b32 %stack, %slot;\n\t.reg .b16 %h;\n"

// wideStatement writes a group of instructions, or one from the table.
func (g *generator) wideStatement() {
	switch g.random.IntN(10) {
	case 0: // numbers of several words
		kind := g.pick("add", "sub")
		g.line("%s.cc.u32 %s, %s, %s", kind, g.word(), g.word(), g.wordSource())
		for range g.random.IntN(3) {
			g.line("%sc.cc.u32 %s, %s, %s", kind, g.word(), g.word(), g.wordSource())
		}
		g.line("%sc.u32 %s, %s, %s", kind, g.word(), g.word(), g.wordSource())
	case 1:
		g.line("mad."+g.pick("lo", "hi")+".cc.u32 %s, %s, %s, %s", g.word(), g.word(), g.word(), g.word())
		g.line("madc."+g.pick("lo", "hi")+".cc.u32 %s, %s, %s, %s", g.word(), g.word(), g.word(), g.word())
		g.line("madc.hi.u32 %s, %s, %s, %s", g.word(), g.word(), g.word(), g.word())
	case 2: // parts of words
		part := func() string { return g.word() + g.pick("", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1") }
		g.line("v%s.s32.%s.%s%s %s, %s, %s", g.pick("add", "sub", "absdiff", "min", "max"), g.pick("u32", "s32"), g.pick("u32", "s32"),
			g.pick("", ".sat"), g.word(), part(), part())
	case 3:
		g.line("cvt.%s.f16.f32 %%h, %s", g.pick("rn", "rz", "rm", "rp"), g.float())
		g.line("cvt.f32.f16 %s, %%h", g.float())
	case 4:
		g.stack()
		g.line("st.local.u32 [%%slot], %s", g.word())
	case 5:
		g.stack()
		g.line("ld.local.%s %s, [%%slot]", g.pick("u32", "u16", "s16", "u8", "s8"), g.word())
	case 6:
		g.line("atom.shared.%s %s, [%%mine], %s", g.atomic(), g.word(), g.word())
	case 7:
		g.line("atom.global.%s %s, [%%out+%d], %s", g.atomic(), g.word(), 4*g.random.IntN(OutputWords), g.word())
	case 8: // unguarded: the driver's compiler would guard the comparison but not what it makes of the result
		g.line("testp.%s.f32 %s, %s", g.pick("finite", "infinite", "number", "notanumber", "normal", "subnormal"), g.predicate(), g.float())
		g.line("set.%s.f32.f32 %s, %s, %s", g.pick("eq", "lt", "gtu"), g.word(), g.float(), g.float())
	default:
		g.line("atom.shared.cas.b32 %s, [%%mine], %s, %s", g.word(), g.word(), g.word())
	}
}

func (g *generator) atomic() string {
	return g.pick("add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "exch.b32", "inc.u32", "dec.u32", "and.b32", "or.b32", "xor.b32")
}

// stack puts the address of the local word that a register selects into %slot.
func (g *generator) stack() {
	g.line("and.b32 %%slot, %s, %d", g.word(), 4*(stackWords-1))
	g.line("add.u32 %%slot, %%slot, %%stack")
}
