package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// isType matches the types in a mnemonic, and no modifiers.
var isType = regexp.MustCompile(`^(b|u|s|f)(8|16|32|64)$|^pred$`)

// typesOf returns the types in a form, in order.
func typesOf(form string) []string {
	var list []string
	for _, word := range strings.Split(form, ".")[1:] {
		if isType.MatchString(word) {
			list = append(list, word)
		}
	}
	return list
}

// has tells whether a form has a modifier.
func has(form, modifier string) bool { return slices.Contains(strings.Split(form, ".")[1:], modifier) }

// deriveValue makes a form's value from its name, if the opcode determines the operands; else ok is false.
func deriveValue(form string) (v value, ok bool) {
	opcode, _, _ := strings.Cut(form, ".")
	types := typesOf(form)
	v = value{group: groupOf(form), name: form, target: kepler}
	if unassembled[form] != "" || strings.Contains(form, "f16") || strings.Contains(form, "relu") {
		return v, false
	}
	if len(types) == 0 || slices.Contains(types, "pred") || has(form, "cc") {
		return v, false
	}
	last := types[len(types)-1]
	three := func(in string) string { return in + "," + in + "," + in }
	boolean := has(form, "and") || has(form, "or") || has(form, "xor")
	switch opcode {
	case "add", "sub", "mul", "div", "rem", "min", "max", "copysign", "mul24":
		v.inputs, v.output, v.body = last+","+last, last, form+" {d}, {a}, {b};"
		if form == "div.f32" {
			v.target = oldest
		}
		if has(form, "wide") {
			v.output = last[:1] + map[string]string{"16": "32", "32": "64"}[last[1:]]
		}
	case "fma", "mad", "sad", "mad24":
		v.inputs, v.output, v.body = three(last), last, form+" {d}, {a}, {b}, {c};"
		if has(form, "wide") {
			return v, false
		}
		if opcode == "mad" && (form == "mad.f32" || form == "mad.ftz.f32") {
			v.target = older
		}
	case "abs", "neg", "rcp", "rsqrt", "sqrt", "sin", "cos", "lg2", "ex2", "not", "cnot", "brev":
		v.inputs, v.output, v.body = last, last, form+" {d}, {a};"
		if strings.HasSuffix(opcode+".f32", form) && strings.Contains("rcp rsqrt sqrt sin cos lg2 ex2", opcode) {
			v.target = oldest // .approx is optional
		}
	case "popc", "clz", "bfind":
		v.inputs, v.output, v.body = last, "u32", form+" {d}, {a};"
	case "shl", "shr":
		v.inputs, v.output, v.body = last+",u32", last, form+" {d}, {a}, {b};"
	case "and", "or", "xor":
		v.inputs, v.output, v.body = last+","+last, last, form+" {d}, {a}, {b};"
	case "cvt":
		if len(types) != 2 {
			return v, false
		}
		v.inputs, v.output, v.body = last, types[0], form+" {d}, {a};"
	case "setp":
		v.inputs, v.output = three(last), "u32"
		if boolean {
			v.body = "setp." + map[bool]string{true: "ne", false: "lt"}[last[0] == 'b'] + "." + last + " {q}, {b}, {c}; " + form +
				" {p}, {a}, {b}, {q}; selp.u32 {d}, 1, 0, {p};"
		} else {
			v.inputs = last + "," + last
			v.body = form + " {p}, {a}, {b}; selp.u32 {d}, 1, 0, {p};"
		}
	case "set":
		v.inputs, v.output, v.body = last+","+last, types[0], form+" {d}, {a}, {b};"
		if boolean {
			v.inputs = three(last)
			v.body = "setp." + map[bool]string{true: "ne", false: "lt"}[last[0] == 'b'] + "." + last + " {q}, {b}, {c}; " + form +
				" {d}, {a}, {b}, {q};"
		}
	case "selp":
		v.inputs, v.output, v.body = last+","+last+",s32", last, "setp.gt.s32 {p}, {c}, 1; "+form+" {d}, {a}, {b}, {p};"
	case "slct":
		v.inputs, v.output, v.body = types[0]+","+types[0]+","+last, types[0], form+" {d}, {a}, {b}, {c};"
	case "dp4a", "dp2a":
		out := "u32"
		if slices.Contains(types, "s32") {
			out = "s32"
		}
		v.inputs, v.output, v.body, v.target = "u32,u32,u32", out, form+" {d}, {a}, {b}, {c};", pascal
	case "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vadd4",
		"vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4":
		v.inputs, v.output = "b32,b32,b32", types[0]
		third := ", {c}"
		if !strings.ContainsAny(opcode, "24") && !has(form, "add") && !has(form, "min") && !has(form, "max") {
			v.inputs, third = "b32,b32", ""
		}
		v.body = form + " {d}, {a}, {b}" + third + ";"
	case "mov":
		if has(form, "v2") || has(form, "v4") || has(form, "v8") {
			return v, false
		}
		v.inputs, v.output, v.body = last, last, form+" {d}, {a};"
	default:
		return v, false
	}
	return v, true
}

// moreForms are forms that PTX allows beyond those in real programs. derived knows each name.
var moreForms = strings.Fields(`
	mul24.hi.u32 mul24.hi.s32 mad24.lo.u32 mad24.hi.u32 mad24.lo.s32 mad24.hi.s32 mad24.hi.sat.s32
	add.s64 add.u16 sub.u64 sub.s64 cnot.b16 cnot.b64 shl.b16 shl.b64 shr.b16 shr.b64 shr.s64 shr.u16
	set.eq.u32.b32 set.ne.u32.b64 set.eq.f32.s32 set.lt.f32.f32 set.gt.f32.u64 set.leu.f32.f64 set.hs.u32.u64 set.ls.f32.u16
	set.lt.and.u32.f32 set.ge.or.f32.f64 set.nan.xor.s32.f32 set.lt.and.ftz.u32.f32 set.eq.or.u32.b16 set.gt.xor.u32.u64 set.le.and.f32.s16 set.num.u32.f64
	setp.lo.u16 setp.ls.u64 setp.hi.u64 setp.hs.u16 setp.lt.and.s16 setp.gt.or.s64 setp.eq.xor.b16 setp.ne.and.b32 setp.eq.or.b64 setp.hi.and.u32 setp.lt.xor.f64
	setp.nan.or.f64 setp.ltu.and.f32 setp.num.xor.ftz.f32 setp.hs.or.u64 setp.ge.and.u16
	slct.b16.s32 slct.b32.s32 slct.b64.s32 slct.s32.f32 slct.f64.s32 slct.b32.f32 slct.b64.f32 slct.b16.f32 slct.ftz.u64.f32 slct.f64.f32 slct.ftz.s32.f32
	selp.u32 selp.s32 selp.f64 fma.rz.ftz.sat.f32 fma.rm.sat.f32 fma.rp.ftz.f32 mad.rz.f32 mad.rm.f64 mad.rp.ftz.f32 mad.rz.ftz.sat.f32
	vsub.s32.s32.s32.max vabsdiff.u32.s32.s32.min vmin.s32.s32.s32.add vmax.u32.u32.u32.min
	vshr.s32.s32.u32.wrap.min vshr.u32.s32.u32.clamp.sat.max
	rcp.f32 rsqrt.f32 sqrt.f32 lg2.f32 ex2.f32 div.f32
	vadd.u32.u32.s32.sat vadd.u32.s32.u32.sat vsub.u32.s32.u32.sat vabsdiff.u32.s32.u32.sat
	vadd2.u32.u32.u32.sat vsub2.s32.s32.s32.sat vavrg2.s32.s32.s32 vabsdiff2.u32.u32.u32.add vmin2.s32.s32.s32 vmax2.s32.u32.s32.add
	mad.rp.f64 mad.rz.f64 mad.rm.f32
	vadd.s32.s32.u32.min vmin.s32.s32.s32.min vsub.s32.u32.s32.min
	vshl.u32.u32.u32.clamp.add vshl.s32.s32.u32.wrap.max vshl.u32.s32.u32.clamp.sat.min vshl.s32.s32.u32.clamp.sat vshl.u32.u32.u32.clamp.sat set.eq.and.u32.b64 vshl.u32.u32.u32.wrap.sat vshl.s32.u32.u32.clamp.sat.max vshl.u32.u32.u32.clamp.max vshl.s32.u32.u32.wrap.min vshl.u32.s32.u32.wrap.add
	vadd4.u32.u32.u32.sat vsub4.s32.s32.s32.sat vavrg4.s32.s32.s32 vabsdiff4.u32.u32.u32.add vmin4.s32.s32.s32.add vmax4.s32.u32.s32
`)

// moreCompares are comparisons of every kind, with the Boolean operations and results in turn.
func moreCompares() []string {
	var forms []string
	booleans, results := []string{"and", "or", "xor"}, []string{"u32", "s32", "f32"}
	n := 0
	for _, c := range []struct{ comparisons, types string }{
		{"eq ne", "b16 b32 b64"}, {"eq ne lt le gt ge", "s16 s32 s64"}, {"eq ne lt le gt ge lo ls hi hs", "u16 u32 u64"},
		{"eq ne lt le gt ge equ neu ltu leu gtu geu num nan", "f64"}, {"eq ne lt le gt ge equ neu ltu leu gtu geu num nan", "f32"},
	} {
		types := strings.Fields(c.types)
		for i, comparison := range strings.Fields(c.comparisons) {
			t := types[i%len(types)]
			for k := range 2 {
				forms = append(forms, fmt.Sprintf("set.%s.%s.%s.%s", comparison, booleans[(n+k)%3], results[(n/3+n+k)%3], t),
					fmt.Sprintf("set.%s.%s.%s", comparison, results[(n+k)%3], t))
			}
			forms = append(forms, fmt.Sprintf("setp.%s.%s.%s", comparison, booleans[n%3], t))
			n++
		}
	}
	return forms
}

// extraValues are forms whose operands must be written out.
var extraValues = []value{
	// Carry chains. addc reads the carry of a sum, and also that of a difference (the adder's: no borrow).
	{"carry", "add.cc.s32", "s32,s32,s32", "b64", "add.cc.s32 {x}, {a}, {b}; addc.s32 {y}, {c}, 0; mov.b64 {d}, {{x}, {y}};", kepler},
	{"carry", "sub.cc.s32", "s32,s32,s32", "b64", "sub.cc.s32 {x}, {a}, {b}; subc.s32 {y}, {c}, {a}; mov.b64 {d}, {{x}, {y}};", kepler},
	{"carry", "addc.cc.u32", "u32,u32,u32", "b64", "add.cc.u32 {x}, {a}, {b}; addc.cc.u32 {x}, {b}, {c}; addc.u32 {y}, 0, 0; mov.b64 " +
		"{d}, {{x}, {y}};", kepler},
	{"carry", "addc.cc.s32", "s32,s32,s32", "b64", "add.cc.s32 {x}, {a}, {b}; addc.cc.s32 {x}, {b}, {c}; addc.s32 {y}, 0, 0; mov.b64 " +
		"{d}, {{x}, {y}};", kepler},
	{"carry", "subc.cc.u32", "u32,u32,u32", "b64", "sub.cc.u32 {x}, {a}, {b}; subc.cc.u32 {x}, {b}, {c}; subc.u32 {y}, 0, 0; mov.b64 " +
		"{d}, {{x}, {y}};", kepler},
	{"carry", "subc.cc.s32", "s32,s32,s32", "b64", "sub.cc.s32 {x}, {a}, {b}; subc.cc.s32 {x}, {b}, {c}; subc.s32 {y}, 0, 0; mov.b64 " +
		"{d}, {{x}, {y}};", kepler},
	{"carry", "sub.cc then addc", "u32,u32", "b64", "sub.cc.u32 {x}, {a}, {b}; addc.u32 {y}, 0, 0; mov.b64 {d}, {{x}, {y}};", kepler},
	{"carry", "add.cc then subc", "u32,u32", "b64", "add.cc.u32 {x}, {a}, {b}; subc.u32 {y}, 10, 3; mov.b64 {d}, {{x}, {y}};", kepler},
	{"carry", "add.cc.s64", "s64,s64,s64", "s64", "add.cc.s64 {X}, {a}, {b}; addc.s64 {d}, {X}, {c};", target{"4.3", "sm_35"}},
	{"carry", "addc.cc.s64", "s64,s64,s64", "s64", "add.cc.s64 {X}, {a}, {b}; addc.cc.s64 {Y}, {X}, {c}; addc.s64 {d}, {Y}, 0;",
		target{"4.3", "sm_35"}},
	{"carry", "sub.cc.s64", "s64,s64,s64", "s64", "sub.cc.s64 {X}, {a}, {b}; subc.s64 {d}, {X}, {c};", target{"4.3", "sm_35"}},
	{"carry", "subc.cc.s64", "s64,s64,s64", "s64", "sub.cc.s64 {X}, {a}, {b}; subc.cc.s64 {Y}, {X}, {c}; subc.s64 {d}, {Y}, 0;",
		target{"4.3", "sm_35"}},
	{"carry", "add.cc.u64", "u64,u64,u64", "u64", "add.cc.u64 {X}, {a}, {b}; addc.cc.u64 {Y}, {X}, {c}; addc.u64 {d}, {Y}, {a};",
		target{"4.3", "sm_35"}},
	{"carry", "sub.cc.u64", "u64,u64,u64", "u64", "sub.cc.u64 {X}, {a}, {b}; subc.cc.u64 {Y}, {X}, {c}; subc.u64 {d}, {Y}, {a};",
		target{"4.3", "sm_35"}},
	{"carry", "mad.lo.cc.u32", "u32,u32,u32", "b64", "mad.lo.cc.u32 {x}, {a}, {b}, {c}; madc.hi.u32 {y}, {a}, {b}, 0; mov.b64 {d}, " +
		"{{x}, {y}};", kepler},
	{"carry", "mad.lo.cc.s32", "s32,s32,s32", "b64", "mad.lo.cc.s32 {x}, {a}, {b}, {c}; madc.hi.s32 {y}, {a}, {b}, {c}; mov.b64 {d}, " +
		"{{x}, {y}};", kepler},
	{"carry", "mad.hi.cc.u32", "u32,u32,u32", "b64", "mad.hi.cc.u32 {x}, {a}, {b}, {c}; madc.lo.u32 {y}, {a}, {c}, {b}; mov.b64 {d}, " +
		"{{x}, {y}};", kepler},
	{"carry", "mad.hi.cc.s32", "s32,s32,s32", "b64", "mad.hi.cc.s32 {x}, {a}, {b}, {c}; madc.lo.s32 {y}, {a}, {c}, {b}; mov.b64 {d}, " +
		"{{x}, {y}};", kepler},
	{"carry", "madc.lo.cc.u32", "u32,u32,u32", "b64", "add.cc.u32 {x}, {a}, {b}; madc.lo.cc.u32 {x}, {a}, {b}, {c}; addc.u32 {y}, 0, " +
		"0; mov.b64 {d}, {{x}, {y}};", kepler},
	{"carry", "madc.hi.cc.u32", "u32,u32,u32", "b64", "add.cc.u32 {x}, {a}, {b}; madc.hi.cc.u32 {x}, {a}, {b}, {c}; addc.u32 {y}, 0, " +
		"0; mov.b64 {d}, {{x}, {y}};", kepler},
	{"carry", "madc.lo.cc.s32", "s32,s32,s32", "b64", "add.cc.s32 {x}, {a}, {b}; madc.lo.cc.s32 {x}, {a}, {b}, {c}; addc.s32 {y}, 0, " +
		"0; mov.b64 {d}, {{x}, {y}};", kepler},
	{"carry", "madc.hi.cc.s32", "s32,s32,s32", "b64", "add.cc.s32 {x}, {a}, {b}; madc.hi.cc.s32 {x}, {a}, {b}, {c}; addc.s32 {y}, 0, " +
		"0; mov.b64 {d}, {{x}, {y}};", kepler},
	{"carry", "mad.lo.cc.u64", "u64,u64,u64", "u64", "mad.lo.cc.u64 {X}, {a}, {b}, {c}; madc.hi.u64 {d}, {a}, {b}, {X};",
		target{"4.3", "sm_35"}},
	{"carry", "mad.hi.cc.s64", "s64,s64,s64", "s64", "mad.hi.cc.s64 {X}, {a}, {b}, {c}; madc.lo.cc.s64 {X}, {a}, {b}, {X}; " +
		"madc.hi.cc.s64 {Y}, {a}, {c}, {X}; addc.s64 {d}, {Y}, 0;", target{"4.3", "sm_35"}},
	{"carry", "128-bit product", "u64,u64", "u64", "mov.b64 {{x}, {y}}, {a}; mov.b64 {%r10, %r11}, {b}; mul.lo.u32 %r12, {x}, %r10; " +
		"mul.hi.u32 %r13, {x}, %r10; mad.lo.cc.u32 %r13, {x}, %r11, %r13; madc.hi.u32 %r14, {x}, %r11, 0; mad.lo.cc.u32 %r13, {y}, " +
		"%r10, %r13; madc.hi.cc.u32 %r14, {y}, %r10, %r14; addc.u32 %r15, 0, 0; mad.lo.cc.u32 %r14, {y}, %r11, %r14; madc.hi.u32 %r15, " +
		"{y}, %r11, %r15; mov.b64 {d}, {%r14, %r15};", kepler},
	{"carry", "carry under a predicate", "u32,u32,s32", "b64", "setp.gt.s32 {p}, {c}, 0; add.cc.u32 {x}, {a}, {b}; @{p} add.cc.u32 " +
		"{x}, {x}, {x}; addc.u32 {y}, 0, 0; mov.b64 {d}, {{x}, {y}};", kepler},

	// Predicates.
	{"predicate", "setp pair", "s32,s32,s32", "u32", "setp.lt.s32 {p}|{q}, {a}, {b}; selp.u32 {x}, 1, 0, {p}; selp.u32 {y}, 2, 0, {q}; " +
		"add.u32 {d}, {x}, {y};", kepler},
	{"predicate", "setp pair and", "s32,s32,s32", "u32", "setp.gt.s32 %p3, {c}, 0; setp.lt.and.s32 {p}|{q}, {a}, {b}, %p3; selp.u32 " +
		"{x}, 1, 0, {p}; selp.u32 {y}, 2, 0, {q}; add.u32 {d}, {x}, {y};", kepler},
	{"predicate", "setp pair or not", "f32,f32,f32", "u32", "setp.gt.f32 %p3, {c}, 0f00000000; setp.ltu.or.f32 {p}|{q}, {a}, {b}, " +
		"!%p3; selp.u32 {x}, 1, 0, {p}; selp.u32 {y}, 2, 0, {q}; add.u32 {d}, {x}, {y};", kepler},
	{"predicate", "setp pair xor", "u64,u64,u64", "u32", "setp.gt.u64 %p3, {c}, {a}; setp.hs.xor.u64 {p}|{q}, {a}, {b}, %p3; selp.u32 " +
		"{x}, 1, 0, {p}; selp.u32 {y}, 2, 0, {q}; add.u32 {d}, {x}, {y};", kepler},
	{"predicate", "and.pred", "s32,s32", "u32", "setp.gt.s32 {p}, {a}, 0; setp.lt.s32 {q}, {b}, 9; and.pred {p}, {p}, {q}; selp.u32 " +
		"{d}, 1, 0, {p};", kepler},
	{"predicate", "or.pred", "s32,s32", "u32", "setp.gt.s32 {p}, {a}, 0; setp.lt.s32 {q}, {b}, 9; or.pred {p}, {p}, {q}; selp.u32 {d}, " +
		"1, 0, {p};", kepler},
	{"predicate", "xor.pred", "s32,s32", "u32", "setp.gt.s32 {p}, {a}, 0; setp.lt.s32 {q}, {b}, 9; xor.pred {p}, {p}, {q}; selp.u32 " +
		"{d}, 1, 0, {p};", kepler},
	{"predicate", "not.pred", "s32,s32", "u32", "setp.gt.s32 {p}, {a}, 0; not.pred {q}, {p}; selp.u32 {d}, 1, 0, {q};", kepler},
	{"predicate", "mov.pred", "s32,s32", "u32", "setp.gt.s32 {p}, {a}, 0; mov.pred {q}, {p}; selp.u32 {d}, 1, 0, {q};", kepler},
	{"predicate", "selp not", "s32,s32,s32", "u32", "setp.gt.s32 {p}, {a}, 0; selp.u32 {d}, {b}, {c}, !{p};", kepler},
	{"predicate", "guards", "s32,s32,s32", "u32", "setp.gt.s32 {p}, {a}, 0; mov.u32 {d}, {b}; @{p} add.u32 {d}, {d}, {c}; @!{p} " +
		"xor.b32 {d}, {d}, {a}; @{p} setp.lt.s32 {p}, {b}, {c}; @{p} shl.b32 {d}, {d}, 1;", kepler},
	{"predicate", "many predicates", "s32,s32,s32", "u32", "setp.gt.s32 %p1, {a}, 0; setp.gt.s32 %p2, {b}, 0; setp.gt.s32 %p3, {c}, 0; " +
		"setp.lt.s32 %p4, {a}, {b}; setp.lt.s32 %p5, {b}, {c}; setp.lt.s32 %p6, {c}, {a}; setp.eq.s32 %p7, {a}, {b}; setp.eq.s32 %p8, " +
		"{b}, {c}; setp.ne.s32 %p9, {a}, {c}; selp.u32 {d}, 1, 0, %p1; @%p2 add.u32 {d}, {d}, 2; @%p3 add.u32 {d}, {d}, 4; @%p4 " +
		"add.u32 {d}, {d}, 8; @%p5 add.u32 {d}, {d}, 16; @%p6 add.u32 {d}, {d}, 32; @%p7 add.u32 {d}, {d}, 64; @%p8 add.u32 {d}, {d}, " +
		"128; @%p9 add.u32 {d}, {d}, 256;", kepler},

	// Video: selectors, negation, permutations and masks.
	{"video-scalar", "vadd selectors", "b32,b32,b32", "u32", "vadd.s32.u32.s32.sat {x}, {a}.b1, {b}.h1; vadd.s32.s32.s32.add {y}, " +
		"{a}.b3, {b}.h0, {x}; vadd.u32.u32.u32 {d}.b2, {a}.h1, {b}.b0, {y};", kepler},
	{"video-scalar", "vsub selectors", "b32,b32,b32", "u32", "vsub.s32.s32.u32.sat {x}, {a}.h0, {b}.b2; vsub.u32.s32.s32 {d}.h0, " +
		"{a}.b0, {b}.h1, {x};", kepler},
	{"video-scalar", "vmad", "b32,b32,b32", "s32", "vmad.s32.s32.s32 {d}, {a}.h0, {b}.h1, {c};", kepler},
	{"video-scalar", "vmad.sat", "b32,b32,b32", "s32", "vmad.s32.s32.u32.sat {d}, {a}.h0, {b}.b1, {c};", kepler},
	{"video-scalar", "vmad.shr7", "b32,b32,b32", "u32", "vmad.u32.u32.u32.shr7 {d}, {a}, {b}, {c};", kepler},
	{"video-scalar", "vmad.shr15 negated", "b32,b32,b32", "s32", "vmad.s32.s32.s32.sat.shr15 {d}, {a}.h1, {b}.h0, -{c};", kepler},
	{"video-scalar", "vmad negated product", "b32,b32,b32", "s32", "vmad.s32.s32.s32 {d}, -{a}.h1, {b}.h0, {c};", kepler},
	{"video-scalar", "vmad.po", "b32,b32,b32", "u32", "vmad.u32.u32.u32.po {d}, {a}.h1, {b}.b0, {c};", kepler},
	{"video-scalar", "vmad.po.sat.shr7", "b32,b32,b32", "u32", "vmad.u32.u32.u32.po.sat.shr7 {d}, {a}.h0, {b}.h1, {c};", kepler},
	{"video-scalar", "vset", "b32,b32,b32", "u32", "vset.s32.s32.lt {x}, {a}.h0, {b}.b1; vset.u32.u32.ge.add {y}, {a}.b1, {b}.b2, {x}; " +
		"vset.s32.u32.ne.min {x}, {a}, {b}, {y}; vset.u32.s32.gt.max {y}, {a}, {b}, {x}; vset.u32.u32.le {d}.b2, {a}.h1, {b}.h0, {y};",
		kepler},
	{"video-simd", "vadd2 masks", "b32,b32,b32", "u32", "vadd2.s32.s32.s32.sat {d}.h0, {a}.h12, {b}.h03, {c};", kepler},
	{"video-simd", "vavrg2 masks", "b32,b32,b32", "s32", "vavrg2.s32.u32.s32 {d}.h1, {a}.h32, {b}.h10, {c};", kepler},
	{"video-simd", "vadd4 masks", "b32,b32,b32", "u32", "vadd4.u32.u32.u32.sat {d}.b20, {a}.b7612, {b}.b0123, {c};", kepler},
	{"video-simd", "vmax4 masks", "b32,b32,b32", "u32", "vmax4.s32.s32.s32 {d}.b321, {a}.b3210, {b}.b4567, {c};", kepler},
	{"video-simd", "vabsdiff4.add masks", "b32,b32,b32", "u32", "vabsdiff4.u32.u32.u32.add {d}.b31, {a}, {b}, {c};", kepler},
	{"video-simd", "vset2", "b32,b32,b32", "u32", "vset2.s32.s32.lt {d}.h1, {a}.h10, {b}.h32, {c};", kepler},
	{"video-simd", "vset2.add", "b32,b32,b32", "u32", "vset2.u32.u32.ge.add {d}.h10, {a}, {b}, {c};", kepler},
	{"video-simd", "vset4", "b32,b32,b32", "u32", "vset4.u32.u32.ne {d}.b21, {a}.b3210, {b}.b0123, {c};", kepler},
	{"video-simd", "vset4.add", "b32,b32,b32", "u32", "vset4.s32.s32.le.add {d}.b3210, {a}, {b}, {c};", kepler},

	{"video-scalar", "vset.eq", "b32,b32,b32", "u32", "vset.u32.u32.eq {d}, {a}.h0, {b}.b0;", kepler},
	{"video-scalar", "vset.gt", "b32,b32,b32", "u32", "vset.s32.s32.gt {d}, {a}.h1, {b}.b1;", kepler},
	{"video-simd", "vset2.eq", "b32,b32,b32", "u32", "vset2.u32.u32.eq {d}, {a}, {b}, {c};", kepler},
	{"video-simd", "vset2.gt", "b32,b32,b32", "u32", "vset2.u32.u32.gt {d}, {a}, {b}, {c};", kepler},
	{"video-simd", "vset2.le", "b32,b32,b32", "u32", "vset2.u32.u32.le {d}, {a}, {b}, {c};", kepler},
	{"video-simd", "vset2.ne", "b32,b32,b32", "u32", "vset2.u32.u32.ne {d}, {a}, {b}, {c};", kepler},
	{"video-simd", "vset4.eq", "b32,b32,b32", "u32", "vset4.u32.u32.eq {d}, {a}, {b}, {c};", kepler},
	{"video-simd", "vset4.ge", "b32,b32,b32", "u32", "vset4.u32.u32.ge {d}, {a}, {b}, {c};", kepler},
	{"video-simd", "vset4.gt", "b32,b32,b32", "u32", "vset4.u32.u32.gt {d}, {a}, {b}, {c};", kepler},
	{"moves", "mov.v2.b16", "b16,b16", "b32", ".reg .v2 .b16 %v; .reg .v2 .b16 %w; mov.v2.b16 %v, {{a}, {b}}; mov.v2.b16 %w, %v; " +
		"mov.b32 {d}, {%w.y, %w.x};", kepler},
	{"moves", "mov.v2.b32", "b32,b32", "b64", ".reg .v2 .b32 %v; .reg .v2 .b32 %w; mov.b32 %r3, {a}; mov.b32 %r4, {b}; mov.v2.b32 %v, " +
		"{%r3, %r4}; mov.v2.b32 %w, %v; mov.b32 {x}, %w.x; mov.b32 {y}, %w.y; mov.b64 {d}, {{x}, {y}};", kepler},
	{"moves", "mov.v2.b64", "b64,b64", "b64", ".reg .v2 .b64 %v; .reg .v2 .b64 %w; mov.b64 %d3, {a}; mov.b64 %d4, {b}; mov.v2.b64 %v, " +
		"{%d3, %d4}; mov.v2.b64 %w, %v; mov.b64 {X}, %w.x; mov.b64 {Y}, %w.y; sub.u64 {d}, {X}, {Y};", kepler},
	{"moves", "mov.v2.f32", "b32,b32", "b64", ".reg .v2 .f32 %v; .reg .v2 .f32 %w; mov.b32 %f3, {a}; mov.b32 %f4, {b}; mov.v2.f32 %v, " +
		"{%f3, %f4}; mov.v2.f32 %w, %v; mov.b32 {x}, %w.x; mov.b32 {y}, %w.y; mov.b64 {d}, {{x}, {y}};", kepler},
	{"moves", "mov.v2.f64", "b64,b64", "b64", ".reg .v2 .f64 %v; .reg .v2 .f64 %w; mov.b64 %g3, {a}; mov.b64 %g4, {b}; mov.v2.f64 %v, " +
		"{%g3, %g4}; mov.v2.f64 %w, %v; mov.b64 {X}, %w.x; mov.b64 {Y}, %w.y; sub.u64 {d}, {X}, {Y};", kepler},
	{"moves", "mov.v2.s16", "b16,b16", "b32", ".reg .v2 .s16 %v; .reg .v2 .s16 %w; mov.v2.s16 %v, {{a}, {b}}; mov.v2.s16 %w, %v; " +
		"mov.b32 {d}, {%w.y, %w.x};", kepler},
	{"moves", "mov.v2.s32", "b32,b32", "b64", ".reg .v2 .s32 %v; .reg .v2 .s32 %w; mov.b32 %r3, {a}; mov.b32 %r4, {b}; mov.v2.s32 %v, " +
		"{%r3, %r4}; mov.v2.s32 %w, %v; mov.b32 {x}, %w.x; mov.b32 {y}, %w.y; mov.b64 {d}, {{x}, {y}};", kepler},
	{"moves", "mov.v2.s64", "b64,b64", "b64", ".reg .v2 .s64 %v; .reg .v2 .s64 %w; mov.b64 %d3, {a}; mov.b64 %d4, {b}; mov.v2.s64 %v, " +
		"{%d3, %d4}; mov.v2.s64 %w, %v; mov.b64 {X}, %w.x; mov.b64 {Y}, %w.y; sub.u64 {d}, {X}, {Y};", kepler},
	{"moves", "mov.v2.u64", "b64,b64", "b64", ".reg .v2 .u64 %v; .reg .v2 .u64 %w; mov.b64 %d3, {a}; mov.b64 %d4, {b}; mov.v2.u64 %v, " +
		"{%d3, %d4}; mov.v2.u64 %w, %v; mov.b64 {X}, %w.x; mov.b64 {Y}, %w.y; sub.u64 {d}, {X}, {Y};", kepler},
	{"convert-half", "cvt.rni.f16.f16", "f16", "b16", "cvt.rni.f16.f16 {d}, {a};", kepler},
	{"convert-half", "cvt.rzi.f16.f16", "f16", "b16", "cvt.rzi.f16.f16 {d}, {a};", kepler},
	{"convert-half", "cvt.rmi.f16.f16", "f16", "b16", "cvt.rmi.f16.f16 {d}, {a};", kepler},
	{"convert-half", "cvt.rpi.f16.f16", "f16", "b16", "cvt.rpi.f16.f16 {d}, {a};", kepler},
	{"convert-half", "cvt.sat.f16.f16", "f16", "b16", "cvt.sat.f16.f16 {d}, {a};", kepler},
	{"convert-half", "cvt.f16.f16", "f16", "b16", "cvt.f16.f16 {d}, {a};", kepler},

	// Moves that pack and unpack.
	{"moves", "pack b32", "u16,u16", "b32", "mov.b32 {d}, {{a}, {b}};", kepler},
	{"moves", "pack b64 of four", "u16,u16,u16", "b64", "mov.b64 {d}, {{a}, {b}, {c}, {a}};", kepler},
	{"moves", "unpack b64", "u64", "u32", "mov.b64 {{x}, {y}}, {a}; xor.b32 {d}, {x}, {y};", kepler},
	{"moves", "unpack b64 with sink", "u64", "u32", "mov.b64 {_, {d}}, {a};", kepler},
	{"moves", "unpack b32", "b32", "u16", "mov.b32 {{H}, {d}}, {a}; xor.b16 {d}, {d}, {H};", kepler},
	{"moves", "pack b32 of four bytes", "b32", "b32", "cvt.u16.u8 %h1, {a}; shr.u32 {x}, {a}, 9; cvt.u16.u8 %h2, {x}; mov.b32 {d}, " +
		"{%h1, %h2};", kepler},
	{"moves", "float bits", "f32,f64", "b64", "mov.b32 {x}, {a}; mov.b64 {X}, {b}; cvt.u64.u32 {Y}, {x}; xor.b64 {d}, {X}, {Y};", kepler},
	{"moves", "mov.v2.u32", "u32,u32", "b64", ".reg .v2 .u32 %v; .reg .v2 .u32 %w; mov.v2.u32 %v, {{a}, {b}}; mov.v2.u32 %w, %v; " +
		"add.u32 {x}, %w.x, 3; mov.b64 {d}, {{x}, %w.y};", kepler},
	{"moves", "mov.v4.u16", "u16,u16,u16", "b64", ".reg .v4 .u16 %v; mov.v4.u16 %v, {{a}, {b}, {c}, {a}}; mov.b64 {d}, {%v.w, %v.z, " +
		"%v.y, %v.x};", kepler},
	{"moves", "immediates", "u64", "u64", "add.u64 {X}, {a}, 0x123456789abcdef0; sub.s64 {X}, {X}, 81985529216486895; xor.b64 {X}, " +
		"{X}, -1; and.b64 {d}, {X}, 0b1010111100001111U;", kepler},
	{"moves", "constant expressions", "u32", "u32", "add.u32 {x}, {a}, (1<<4)|3; mul.lo.u32 {x}, {x}, 123 + 123; xor.b32 {x}, {x}, ~(7 " +
		"& 12) ^ 0x10; add.u32 {x}, {x}, (5 > 3) ? 40 : 50; sub.u32 {d}, {x}, 0777;", kepler},
	{"moves", "WARP_SZ", "u32", "u32", "add.u32 {d}, {a}, WARP_SZ;", kepler},

	// Emulated instructions.
	{"emulated", "lop3.b32", "b32,b32,b32", "b32", "lop3.b32 {x}, {a}, {b}, {c}, 0x96; lop3.b32 {y}, {x}, {b}, {a}, 0xCA; lop3.b32 " +
		"{x}, {a}, {y}, {c}, 0x1B; lop3.b32 {d}, {x}, {y}, {b}, 0xE8;", target{"4.3", "sm_50"}},
	{"emulated", "fns.b32", "b32,u32,s32", "b32", "and.b32 {x}, {b}, 31; rem.s32 {y}, {c}, 9; fns.b32 {d}, {a}, {x}, {y};",
		target{"6.0", "sm_35"}},
	{"emulated", "bmsk.clamp.b32", "u32,u32", "b32", "bmsk.clamp.b32 {d}, {a}, {b};", volta},
	{"emulated", "bmsk.clamp.b32 small", "u32,u32", "b32", "and.b32 {x}, {a}, 63; and.b32 {y}, {b}, 63; bmsk.clamp.b32 {d}, {x}, {y};",
		volta},
	{"emulated", "bmsk.wrap.b32", "u32,u32", "b32", "bmsk.wrap.b32 {d}, {a}, {b};", volta},
	{"emulated", "bmsk.wrap.b32 small", "u32,u32", "b32", "and.b32 {x}, {a}, 63; and.b32 {y}, {b}, 63; bmsk.wrap.b32 {d}, {x}, {y};",
		volta},
	{"emulated", "szext.clamp.u32", "u32,u32", "u32", "and.b32 {y}, {b}, 63; szext.clamp.u32 {d}, {a}, {y};", volta},
	{"emulated", "szext.wrap.u32", "u32,u32", "u32", "szext.wrap.u32 {d}, {a}, {b};", volta},
	{"emulated", "szext.clamp.s32", "s32,u32", "s32", "and.b32 {y}, {b}, 63; szext.clamp.s32 {d}, {a}, {y};", volta},
	{"emulated", "szext.wrap.s32", "s32,u32", "s32", "szext.wrap.s32 {d}, {a}, {b};", volta},

	// Bit fields with positions and lengths beyond the end.
	{"bits", "bfe.u32 small", "u32,u32,u32", "u32", "and.b32 {x}, {b}, 63; and.b32 {y}, {c}, 63; bfe.u32 {d}, {a}, {x}, {y};", kepler},
	{"bits", "bfe.s32 small", "s32,u32,u32", "s32", "and.b32 {x}, {b}, 63; and.b32 {y}, {c}, 63; bfe.s32 {d}, {a}, {x}, {y};", kepler},
	{"bits", "bfe.s64 small", "s64,u32,u32", "s64", "and.b32 {x}, {b}, 127; and.b32 {y}, {c}, 127; bfe.s64 {d}, {a}, {x}, {y};", kepler},
	{"bits", "bfe.u64 small", "u64,u32,u32", "u64", "and.b32 {x}, {b}, 127; and.b32 {y}, {c}, 127; bfe.u64 {d}, {a}, {x}, {y};", kepler},
	{"bits", "bfi.b32 small", "b32,b32,u32", "b32", "and.b32 {x}, {c}, 63; shr.u32 {y}, {c}, 6; and.b32 {y}, {y}, 63; bfi.b32 {d}, " +
		"{a}, {b}, {x}, {y};", kepler},
	{"bits", "bfi.b64 small", "b64,b64,u32", "b64", "and.b32 {x}, {c}, 127; shr.u32 {y}, {c}, 7; and.b32 {y}, {y}, 127; bfi.b64 {d}, " +
		"{a}, {b}, {x}, {y};", kepler},
	{"bits", "shifts by immediates", "u64,s32", "u64", "shl.b64 {X}, {a}, 64; shr.u64 {Y}, {a}, 63; add.u64 {X}, {X}, {Y}; shr.s32 " +
		"{x}, {b}, 40; cvt.s64.s32 {Y}, {x}; xor.b64 {d}, {X}, {Y};", kepler},
	{"integer", "division by zero", "u32,s32", "u32", "div.u32 {x}, {a}, 0; rem.u32 {y}, {a}, 0; xor.b32 {x}, {x}, {y}; div.s32 {y}, " +
		"{b}, 0; add.u32 {d}, {x}, {y};", kepler},
	{"integer", "division by constants", "u32,s32", "u32", "div.u32 {x}, {a}, 7; rem.s32 {y}, {b}, -10; xor.b32 {x}, {x}, {y}; div.s32 " +
		"{y}, {b}, 16; xor.b32 {x}, {x}, {y}; rem.u32 {y}, {a}, 8; xor.b32 {d}, {x}, {y};", kepler},
}
