package fuzz

import (
	"fmt"
	"strings"
)

// GenerateWide writes a program like Generate's with more: chains of carries, video instructions, half precision, saturation, local memory,
// and atomics on the thread's own words.
func GenerateWide(seed uint64) string {
	g := newGenerator(seed, append(forms[:len(forms):len(forms)], wideForms...))
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

// wideForms are single instructions. Video instructions with an unsigned result and a second minimum or maximum are missing: GPUs compare
// other bits than PTX says.
var wideForms = []form{
	{"mul24.(lo|hi).(u32|s32)", "rrr"}, {"mad24.(lo|hi).(u32|s32)", "rrrr"}, {"mad.hi.sat.s32", "rrrr"},
	{"prmt.b32.(f4e|b4e|rc8|ecl|ecr|rc16)", "rrrr"}, {"copysign.f32", "fff"}, {"copysign.f64", "ggg"},
	{"(add|sub|mul).rn.(ftz|sat|ftz.sat).f32", "fff"}, {"fma.(rn|rz|rm|rp).(ftz|sat|ftz.sat).f32", "ffff"}, {"(min|max).ftz.f32", "fff"},
	{"setp.(lt|ge|ne|equ).ftz.f32", "pff"}, {"set.(eq|lt|gtu).(u32|s32).f32", "rff"}, {"cvt.(rni|rzi).sat.f32.f32", "ff"},
	{"cvt.(rni|rzi|rmi|rpi).f32.f32", "ff"}, {"cvt.(rzi|rni).(s64|u64).f32", "df"}, {"cvt.(rzi|rni).(s64|u64).f64", "dg"},
	{"cvt.(s8|s16|u8|u16).u32", "rr"},
	{"v(add|sub|absdiff|min|max).(u32|s32).(u32|s32).(u32|s32)", "rrr"},
	{"v(add|sub|absdiff|min|max).(u32|s32).(u32|s32).(u32|s32).sat", "rrr"},
	{"v(add|sub|absdiff|min|max).(u32|s32).(u32|s32).(u32|s32).add", "rrrr"},
	{"v(add|sub|absdiff|min|max).s32.(u32|s32).(u32|s32).(min|max)", "rrrr"},
	{"vsh(l|r).(u32|s32).(u32|s32).u32.(clamp|wrap)", "rrr"}, {"vset.(u32|s32).(u32|s32).(eq|ne|lt|le|gt|ge)", "rrr"},
	{"v(add|sub|absdiff|min|max|avrg)(2|4).(u32|s32).(u32|s32).(u32|s32)", "RRRR"},
	{"v(add|sub|absdiff)(2|4).(u32|s32).(u32|s32).(u32|s32).sat", "RRRR"}, {"vset(2|4).(u32|s32).(u32|s32).(eq|ne|lt|le|gt|ge)", "RRRR"},
	{"v(absdiff|min|max|avrg)(2|4).s32.(u32|s32).(u32|s32).add", "RRRR"},
}

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
