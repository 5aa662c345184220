package main

import (
	"fmt"
	"strings"
)

// access is a parsed load or store form.
type access struct {
	form, opcode, space, kind string // kind is the type
	vector                    int
	volatile, readonly        bool
	target                    target
}

// parseAccess parses a form. ok is false if it is not ld, ldu or st of a plain space.
func parseAccess(form string) (a access, ok bool) {
	words := strings.Split(form, ".")
	a = access{form: form, opcode: words[0], vector: 1, target: kepler}
	if a.opcode != "ld" && a.opcode != "ldu" && a.opcode != "st" {
		return a, false
	}
	for _, w := range words[1:] {
		if strings.Contains(w, "::") {
			space, rest, _ := strings.Cut(w, "::")
			switch {
			case space == "param":
				a.space, a.target = space, target{"8.3", "sm_90"}
			case rest == "cta":
				a.space, a.target = space, ampere
			default: // hints: L1::evict_first, L2::128B
				a.target = ampere
			}
			continue
		}
		switch w {
		case "global", "shared", "local", "const", "param":
			a.space = w
		case "v2":
			a.vector = 2
		case "v4":
			a.vector = 4
		case "volatile":
			a.volatile = true
		case "nc":
			a.readonly = true
		case "acquire", "release", "relaxed", "weak":
			a.target = laterTarget(a.target, volta)
		case "gpu", "sys", "cta", "ca", "cg", "cs", "lu", "cv", "wb", "wt":
		default:
			if !isType.MatchString(w) {
				return a, false
			}
			a.kind = w
		}
	}
	return a, a.kind != ""
}

// laterTarget is the later of two targets.
func laterTarget(a, b target) target {
	if a == kepler {
		return b
	}
	return a
}

func (a access) bytes() int { return bytesOf(a.kind) }

// total is the size of the whole access in bytes.
func (a access) total() int { return a.bytes() * a.vector }

// register is component n's register. Values narrower than a word use word registers, so that a load's extension shows.
func (a access) register(n int) string {
	switch {
	case a.kind == "f32":
		return fmt.Sprintf("%%f%d", n)
	case a.kind == "f64":
		return fmt.Sprintf("%%g%d", n)
	case a.bytes() == 8:
		return fmt.Sprintf("%%d%d", n)
	}
	return fmt.Sprintf("%%r%d", n)
}

// list is the register operand: one register, or a vector.
func (a access) list() string {
	if a.vector == 1 {
		return a.register(0)
	}
	var all []string
	for n := range a.vector {
		all = append(all, a.register(n))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// storeType is the type that stores a component's whole register.
func (a access) storeType() string { return transferType(a.kind) }

// words is the number of output words for the components' registers.
func (a access) words() int {
	if a.bytes() == 8 {
		return 2 * a.vector
	}
	return a.vector
}

// writeOut stores the components' registers to %out.
func (a access) writeOut() string {
	var b strings.Builder
	step := 4 * a.words() / a.vector
	for n := range a.vector {
		fmt.Fprintf(&b, "st.global.%s [%%out+%d], %s;\n", a.storeType(), n*step, a.register(n))
	}
	return b.String()
}

// readIn loads the components' registers from %in.
func (a access) readIn() string {
	var b strings.Builder
	for n := range a.vector {
		fmt.Fprintf(&b, "ld.global.%s %s, [%%in+%d];\n", a.storeType(), a.register(n), n*8)
	}
	return b.String()
}

// place declares memory in a space for a row, and loads the thread's address into %d9.
func (a access) place(generic string) (local, code string) {
	name := "area_" + identifier(a.form+" "+generic)
	space := a.space
	if space == "" {
		space = generic
	}
	switch space {
	case "shared":
		local = fmt.Sprintf(".shared .align 16 .b8 %s[%d];\n", name, blockThreads*a.total())
		code = fmt.Sprintf("mov.u64 %%d9, %s;\nmul.wide.u32 %%d8, %%thread, %d;\nadd.u64 %%d9, %%d9, %%d8;\n", name, a.total())
	case "local":
		local = fmt.Sprintf(".local .align 16 .b8 %s[%d];\n", name, 2*a.total())
		// Half of the threads use the second element, so that the array cannot become registers.
		code = fmt.Sprintf(
			"and.b32 %%r9, %%i, 1;\nmov.u64 %%d9, %s;\nmul.wide.u32 %%d8, %%r9, %d;\nadd.u64 %%d9, %%d9, %%d8;\n", name, a.total(),
		)
	}
	if a.space == "" {
		code += fmt.Sprintf("cvta.%s.u64 %%d9, %%d9;\n", generic)
	}
	return local, code
}

// spaceWord is the space as a modifier.
func spaceWord(space string) string {
	if space == "" {
		return ""
	}
	return "." + space
}

// loadRow tests a load. It first copies the thread's data to the memory that the load reads, if necessary.
func (a access) loadRow(generic string) row {
	r := row{group: "load-" + a.groupSpace(), name: a.form, words: a.words(), target: a.target}
	if a.space == "" {
		r.name += " of " + generic
	}
	switch {
	case a.space == "const":
		r.module = constantTable
		r.body = fmt.Sprintf("mov.u64 %%d9, table;\nand.b32 %%r9, %%i, 7;\nmul.wide.u32 %%d8, %%r9, 16;\nadd.u64 %%d9, %%d9, %%d8;\n"+
			"%s %s, [%%d9+16];\n%s", a.form, a.list(), a.writeOut())
	case a.space == "param":
		var bytes strings.Builder
		for i := range 2 * a.total() {
			fmt.Fprintf(&bytes, "%02x", (i*37+201)&255)
		}
		name := "param_" + identifier(a.form)
		r.params = []parameter{
			{fmt.Sprintf(".param .align %d .b8 %s[%d]", max(a.total(), 1), name, 2*a.total()),
				fmt.Sprintf(`{bytes: "%s"}`, bytes.String())},
		}
		r.body = fmt.Sprintf("%s %s, [%s+%d];\n%s", a.form, a.list(), name, a.total(), a.writeOut())
	case a.space == "global" || a.space == "" && generic == "global":
		r.body = fmt.Sprintf("%s %s, [%%in+16];\n%s", a.form, a.list(), a.writeOut())
	default:
		local, code := a.place(generic)
		r.local = local
		unit, step := "u32", 4
		if a.total() < 4 {
			unit, step = map[int]string{1: "u8", 2: "u16"}[a.total()], a.total()
		}
		for n := 0; n < a.total(); n += step {
			code += fmt.Sprintf("ld.global.%s %%r10, [%%in+%d];\nst%s.%s [%%d9+%d], %%r10;\n", unit, 16+n, spaceWord(a.space), unit, n)
		}
		r.body = code + fmt.Sprintf("%s %s, [%%d9];\n%s", a.form, a.list(), a.writeOut())
	}
	return r
}

// storeRow tests a store into an area of noise, which is read back completely.
func (a access) storeRow(generic string) row {
	bytes := max(4, a.total())
	r := row{group: "store-" + a.groupSpace(), name: a.form, words: bytes / 4, target: a.target}
	if a.space == "" {
		r.name += " to " + generic
	}
	if a.space == "global" || a.space == "" && generic == "global" {
		r.body = fmt.Sprintf("%smov.u32 %%r10, 0x5a5a5a5a;\nst.global.u32 [%%out], %%r10;\n%s [%%out], %s;\n", a.readIn(), a.form, a.list())
		return r
	}
	grown := a
	if a.total() < 4 { // a whole word, partly overwritten by the store
		grown.kind, grown.vector = "u32", 1
	}
	local, code := grown.place(generic)
	code += a.readIn() + "mov.u32 %r10, 0x5a5a5a5a;\n"
	for n := 0; n < bytes; n += 4 {
		code += fmt.Sprintf("st%s.u32 [%%d9+%d], %%r10;\n", spaceWord(a.space), n)
	}
	code += fmt.Sprintf("%s [%%d9], %s;\n", a.form, a.list())
	for n := 0; n < bytes; n += 4 {
		code += fmt.Sprintf("ld%s.u32 %%r11, [%%d9+%d];\nst.global.u32 [%%out+%d], %%r11;\n", spaceWord(a.space), n, n)
	}
	r.local, r.body = local, code
	return r
}

func (a access) groupSpace() string {
	switch {
	case a.space == "":
		return "generic"
	case a.readonly:
		return "readonly"
	case a.volatile:
		return a.space + "-volatile"
	}
	return a.space
}

// callRow tests st.param and ld.param of a call. The argument goes to a function that returns it unchanged.
func (a access) callRow() row {
	name := "through_" + identifier(a.form)
	load, store := strings.Replace(a.form, "st.", "ld.", 1), a.form
	bytes := 2 * a.total()
	f := a
	var module strings.Builder
	fmt.Fprintf(&module, ".func (.param .align %d .b8 result[%d]) %s(.param .align %d .b8 argument[%d])\n{\n", a.total(), bytes, name,
		a.total(), bytes)
	body := fmt.Sprintf("%s %s, [argument+%d];\n%s [result], %s;\n", load, f.list(), a.total(), store, f.list())
	module.WriteString(strings.ReplaceAll(registers(body), "\t\t", "\t") + indent(body, "\t") + "\tret;\n}\n")
	r := row{group: "call-parameters", name: a.form + " of a call", words: a.words(), target: a.target, module: module.String()}
	r.body = fmt.Sprintf("%s.param .align %d .b8 given[%d];\n.param .align %d .b8 got[%d];\n%s [given+%d], %s;\n"+
		"call.uni (got), %s, (given);\n%s %s, [got];\n%s",
		a.readIn(), a.total(), bytes, a.total(), bytes, store, a.total(), a.list(), name, load, a.list(), a.writeOut())
	return r
}

// constantTable is the data for ld.const rows.
const constantTable = `.const .align 16 .b32 table[40] = {
	0x03020100, 0x87868584, 0xfbfaf9f8, 0x7f80c0e0, 0x3f800000, 0x40490fdb, 0xc0000000, 0x00000001, 0xdeadbeef, 0x12345678, 1, 2, 3, 4, 5, 6,
	0x9abcdef0, 0x0fedcba9, 0xffffffff, 0x80000000, 0x7fffffff, 0xff00ff00, 0x00ff00ff, 0xf0f0f0f0, 17, 18, 19, 20, 0x80818283, 0x84858687, 0x88898a8b, 0x8c8d8e8f};`

// memoryRows returns rows for all load and store forms in real programs, and more.
func memoryRows(met []string) []row {
	var rows []row
	have := map[string]bool{}
	for _, form := range append(met, moreAccesses...) {
		a, ok := parseAccess(form)
		if !ok || have[form] {
			continue
		}
		have[form] = true
		generics := []string{""}
		if a.space == "" {
			generics = []string{"global", "shared", "local"}
			if a.opcode == "ldu" || a.target != kepler {
				generics = generics[:1]
			}
		}
		for _, generic := range generics {
			switch {
			case a.space == "param" && a.opcode == "st":
				rows = append(rows, a.callRow())
			case a.opcode == "st":
				rows = append(rows, a.storeRow(generic))
			default:
				rows = append(rows, a.loadRow(generic))
			}
		}
	}
	return rows
}

// moreAccesses are further cache operators, orders and types.
var moreAccesses = strings.Fields(`
	ld.global.ca.u32 ld.global.cg.v2.u32 ld.global.cs.f64 ld.global.lu.v4.f32 ld.global.cv.u16 ld.ca.u64 ld.cg.s8 ld.local.ca.u32 ld.local.lu.f64
	ld.global.v4.b8 ld.global.v2.s64 ld.global.v4.s16 ld.shared.v2.s16 ld.shared.v4.b32 ld.shared.s64 ld.shared.v2.u8 ld.local.s8 ld.local.s16 ld.local.v2.s8
	ld.const.s64 ld.const.v4.u8 ld.const.v2.f64 ld.const.v4.s16 ld.const.b64
	ldu.global.v2.f64 ldu.global.v4.u8 ldu.global.s16 ldu.global.b64 ldu.f32 ldu.v2.u64
	ld.global.ca.nc.f32 ld.global.cg.nc.v2.f32 ld.global.cs.nc.s16
	st.global.wb.u32 st.global.cg.v4.f32 st.global.cs.u8 st.global.wt.f64 st.wb.u16 st.local.wb.u64 st.local.s8 st.local.s16 st.shared.v4.s8 st.shared.b8 st.shared.v2.u16 st.shared.b64
	st.global.v4.b32 st.global.v4.b8 st.global.v2.b64 st.global.v4.s16 st.v4.f32 st.v2.s64
	ld.volatile.global.v4.u32 st.volatile.global.v2.f64 st.volatile.shared.v4.u8 ld.volatile.shared.v2.f64
	ld.relaxed.gpu.global.u32 ld.acquire.sys.global.u64 ld.relaxed.cta.shared.u32 ld.acquire.cta.global.v2.u32 ld.weak.global.f32 ld.relaxed.sys.f64
	st.relaxed.gpu.global.u32 st.release.sys.global.u64 st.relaxed.cta.shared.f32 st.release.cta.global.v2.u32 st.weak.global.v4.f32 st.relaxed.sys.f64
	st.param.v2.s16 st.param.v4.f32 st.param.s16 st.param.v4.u8
	ld.param.s8 ld.param.v4.s32 ld.param.v2.s16
	ld.relaxed.gpu.global.b16 ld.acquire.gpu.global.b32 ld.relaxed.sys.global.b64 ld.relaxed.gpu.global.b8 ld.acquire.cta.global.f32 ld.relaxed.gpu.global.s16 ld.relaxed.gpu.global.s32 ld.acquire.gpu.global.s64
	ld.relaxed.gpu.global.s8 ld.relaxed.gpu.global.u16 ld.relaxed.gpu.global.u8 ld.relaxed.gpu.global.v4.u32 ld.relaxed.cta.shared::cta.u32 ld.volatile.shared::cta.u32 ld.shared::cta.u32
	ld.relaxed.gpu.global.L1::evict_first.u32 ld.relaxed.gpu.global.L1::evict_last.u32 ld.relaxed.gpu.global.L1::evict_normal.u32 ld.relaxed.gpu.global.L1::evict_unchanged.u32 ld.relaxed.gpu.global.L1::no_allocate.L2::64B.u32
	ld.relaxed.gpu.global.L2::128B.u32 ld.relaxed.gpu.global.L2::256B.u32
	ld.global.L1::evict_first.u32 ld.global.L1::evict_last.u32 ld.global.L1::evict_normal.f64 ld.global.L1::evict_unchanged.u32 ld.global.L1::no_allocate.L2::64B.u32 ld.global.L2::128B.v4.u32 ld.global.L2::256B.u32 ld.weak.global.b8
	ld.global.nc.L1::evict_first.u32 ld.global.nc.L1::evict_last.u32 ld.global.nc.L1::evict_normal.f64 ld.global.nc.L1::evict_unchanged.u32 ld.global.nc.L1::no_allocate.L2::64B.u32 ld.global.nc.L2::128B.v4.u32 ld.global.nc.L2::256B.u32
	ld.global.nc.L2::256B.b8
	ld.global.nc.b64 ld.global.nc.b8 ld.global.nc.s32 ld.global.nc.s64 ld.global.nc.s8 ld.volatile.global.b64 ld.volatile.global.b8 ld.volatile.global.s16 ld.volatile.global.s64
	ldu.global.b16 ldu.global.b32 ldu.global.b8 ldu.global.s64 ldu.global.s8 ldu.global.u16
	ld.param::entry.u32 st.param::func.b32
	st.relaxed.gpu.global.b16 st.release.gpu.global.b32 st.relaxed.sys.global.b64 st.relaxed.gpu.global.b8 st.relaxed.gpu.global.s16 st.relaxed.gpu.global.s32 st.release.gpu.global.s64
	st.relaxed.gpu.global.s8 st.relaxed.gpu.global.u16 st.relaxed.gpu.global.u8 st.relaxed.gpu.global.v4.u32 st.relaxed.cta.shared::cta.u32 st.volatile.shared::cta.u32 st.shared::cta.u32
	st.relaxed.gpu.global.L1::evict_first.u32 st.relaxed.gpu.global.L1::evict_last.u32 st.relaxed.gpu.global.L1::evict_normal.u32 st.relaxed.gpu.global.L1::evict_unchanged.u32 st.relaxed.gpu.global.L1::no_allocate.u32
	st.global.L1::evict_first.u32 st.global.L1::evict_last.u32 st.global.L1::evict_normal.f64 st.global.L1::evict_unchanged.u32 st.global.L1::no_allocate.u32 st.weak.global.b8
	st.volatile.global.b16 st.volatile.global.b64 st.volatile.global.b8 st.volatile.global.s16 st.volatile.global.s64
`)
