package main

import (
	"fmt"
	"strings"
)

// atomicOperations are the operations with their types on a Kepler.
var atomicOperations = []struct{ operation, types string }{
	{"add", "u32 s32 u64 f32"}, {"min", "u32 s32 u64 s64"}, {"max", "u32 s32 u64 s64"}, {"and", "b32 b64"}, {"or", "b32 b64"},
	{"xor", "b32 b64"}, {"inc", "u32"}, {"dec", "u32"}, {"exch", "b32 b64"}, {"cas", "b32 b64"},
}

// laterAtomics are forms of later architectures, which are emulated.
var laterAtomics = strings.Fields("global.add.f64 add.f64 shared.add.f64 global.relaxed.gpu.add.u32 acquire.sys.add.s32 " +
	"release.cta.min.u32 global.acq_rel.gpu.max.s64 " +
	"shared.relaxed.cta.xor.b32 relaxed.gpu.inc.u32 global.acq_rel.sys.exch.b64 global.acquire.gpu.cas.b32 global.gpu.add.u64 cas.b16 " +
	"global.relaxed.cta.cas.b16 global.cta.dec.u32 sys.or.b64 " +
	"global.acq_rel.gpu.inc.u32 acquire.gpu.dec.u32 release.sys.inc.u32 acq_rel.gpu.and.b32 acquire.gpu.or.b64 release.gpu.xor.b64 " +
	"acquire.gpu.min.s32 relaxed.sys.max.u64 " +
	"acq_rel.gpu.add.u32 release.cta.add.u64 acq_rel.gpu.cas.b64 release.sys.cas.b32 shared.cas.b16 shared::cta.cas.b16 " +
	"acquire.cta.exch.b32 relaxed.gpu.exch.b32 release.gpu.exch.b64 " +
	"shared::cta.add.u32 shared::cta.min.s32 shared::cta.max.u64 shared::cta.and.b32 shared::cta.or.b64 shared::cta.inc.u32 " +
	"shared::cta.exch.b32 shared::cta.cas.b64")

// laterReductions are such forms of red only.
var laterReductions = strings.Fields("relaxed.sys.inc.u32 release.gpu.dec.u32 relaxed.gpu.and.b32 release.gpu.xor.b64 " +
	"relaxed.gpu.max.u32 release.cta.min.s64 relaxed.sys.min.u64 release.cta.add.u32 relaxed.sys.add.u64")

// atomicRows tests every operation and type on each space. In one row each thread uses its own word and stores the old value. In the other,
// many threads use one address, and the result does not depend on their order.
func atomicRows() []row {
	var rows []row
	for _, o := range atomicOperations {
		for _, t := range strings.Fields(o.types) {
			for _, space := range []string{"global", "shared", "", "generic shared"} {
				name := o.operation + "." + t
				if space == "global" || space == "shared" {
					name = space + "." + name
				}
				rows = append(rows, atomicRow("atom."+name, strings.HasSuffix(space, "shared"), space == "generic shared", kepler))
				if o.operation != "exch" && o.operation != "cas" {
					rows = append(rows, contendedRow("red."+name, strings.HasSuffix(space, "shared"), space == "generic shared", kepler))
				}
			}
		}
	}
	for _, form := range laterAtomics {
		t := volta
		if strings.Contains(form, "::") {
			t = ampere
		}
		rows = append(rows, atomicRow("atom."+form, strings.HasPrefix(form, "shared"), false, t))
		if !strings.Contains(form, "exch") && !strings.Contains(form, "cas") && !strings.Contains(form, "acq") &&
			!strings.Contains(form, "release") {
			rows = append(rows, contendedRow("red."+form, strings.HasPrefix(form, "shared"), false, t))
		}
	}
	for _, form := range laterReductions {
		rows = append(rows, contendedRow("red."+form, false, false, volta))
	}
	return rows
}

// atomicOperands returns an atomic's type, the size of a value in bytes, and the register class.
func atomicOperands(form string) (t string, bytes int, class string) {
	t = form[strings.LastIndex(form, ".")+1:]
	switch {
	case t == "f32":
		return t, 4, "%f"
	case t == "f64":
		return t, 8, "%g"
	case t == "b16":
		return t, 2, "%h"
	case strings.HasSuffix(t, "64"):
		return t, 8, "%d"
	}
	return t, 4, "%r"
}

// atomicRow does an atomic on the thread's own value. The result is the old and the new value.
func atomicRow(form string, shared, generic bool, t target) row {
	kind, bytes, c := atomicOperands(form)
	r := row{group: "atomic", name: form, words: 4, target: t}
	plain := "u32"
	switch {
	case c == "%f" || c == "%g":
		plain = kind
	case bytes == 8:
		plain = "u64"
	case bytes == 2:
		plain = "u16"
	}
	var b strings.Builder
	space := "global"
	b.WriteString("add.u64 %d9, %out, 8;\n")
	if shared {
		space = "shared"
		name := "cells_" + identifier(form)
		if generic {
			name += "_generic"
			r.name += " of shared"
		}
		r.local = fmt.Sprintf(".shared .align 8 .b8 %s[%d];\n", name, 8*blockThreads)
		fmt.Fprintf(&b, "mov.u64 %%d9, %s;\nmul.wide.u32 %%d8, %%thread, 8;\nadd.u64 %%d9, %%d9, %%d8;\n", name)
	}
	fmt.Fprintf(&b, "ld.global.%s %s1, [%%in+8];\nld.global.%s %s2, [%%in+16];\nst.%s.%s [%%d9], %s1;\n", plain, c, plain, c, space, plain,
		c)
	address := "%d9"
	if generic {
		b.WriteString("cvta.shared.u64 %d7, %d9;\n")
		address = "%d7"
	}
	operands := c + "2"
	if strings.Contains(form, ".cas.") {
		// Every other thread compares with the current value.
		fmt.Fprintf(&b, "ld.global.%s %s3, [%%in+24];\nand.b32 %%r9, %%i, 1;\nsetp.eq.u32 %%p1, %%r9, 0;\nselp.b%d %s2, %s1, %s2, %%p1;\n",
			plain, c, bytes*8, c, c, c)
		operands = c + "2, " + c + "3"
	}
	if strings.Contains(form, ".inc.") || strings.Contains(form, ".dec.") {
		fmt.Fprintf(&b, "and.b32 %%r8, %%i, 3;\nsub.u32 %%r8, %%r8, 1;\nadd.u32 %%r2, %%r1, %%r8;\n")
	}
	fmt.Fprintf(&b, "%s %s4, [%s], %s;\nst.global.%s [%%out], %s4;\n", form, c, address, operands, plain, c)
	if shared {
		fmt.Fprintf(&b, "ld.shared.%s %s5, [%%d9];\nst.global.%s [%%out+8], %s5;\n", plain, c, plain, c)
	}
	r.body = b.String()
	return r
}

// contendedRow makes all threads reduce into 4 cells: each block's shared cells, or the grid's global ones.
func contendedRow(form string, shared, generic bool, t target) row {
	kind, bytes, c := atomicOperands(form)
	r := row{group: "reduction", name: form, words: 2, target: t}
	var b strings.Builder
	plain := "u32"
	if bytes == 8 {
		plain = "u64"
	}
	if c == "%f" || c == "%g" {
		plain = kind
	}
	// The value is a small integer, so that float sums are exact in any order.
	switch c {
	case "%f":
		b.WriteString("ld.global.u32 %r1, [%in+8];\nand.b32 %r1, %r1, 1023;\ncvt.rn.f32.u32 %f1, %r1;\n")
	case "%g":
		b.WriteString("ld.global.u32 %r1, [%in+8];\nand.b32 %r1, %r1, 1023;\ncvt.rn.f64.u32 %g1, %r1;\n")
	default:
		fmt.Fprintf(&b, "ld.global.%s %s1, [%%in+8];\n", plain, c)
	}
	if strings.Contains(form, ".and.") || strings.Contains(form, ".or.") {
		op := map[bool]string{true: "or", false: "and"}[strings.Contains(form, ".and.")]
		fmt.Fprintf(&b, "ld.global.%s %s2, [%%in+16];\n%s.b%d %s1, %s1, %s2;\nld.global.%s %s2, [%%in+24];\n%s.b%d %s1, %s1, %s2;\n", plain,
			c, op, bytes*8, c, c, c, plain, c, op, bytes*8, c, c, c)
	}
	if strings.Contains(form, ".inc.") || strings.Contains(form, ".dec.") {
		b.WriteString("mov.u32 %r1, 20;\n")
	}
	b.WriteString("and.b32 %r9, %i, 3;\nmul.wide.u32 %d8, %r9, 8;\n")
	if !shared {
		fmt.Fprintf(&b, "ld.param.u64 %%d9, [out_%s];\nadd.u64 %%d9, %%d9, %%d8;\n%s [%%d9], %s1;\n", identifier(form), form, c)
		r.body = b.String()
		return r
	}
	name := "cells_" + identifier(form)
	if generic {
		name += "_generic"
		r.name += " of shared"
	}
	r.local = fmt.Sprintf(".shared .align 8 .b8 %s[32];\n", name)
	fmt.Fprintf(&b, "mov.u64 %%d9, %s;\nadd.u64 %%d9, %%d9, %%d8;\nmov.u64 %%d6, 0;\nst.shared.u64 [%%d9], %%d6;\nbar.sync 0;\n", name)
	address := "%d9"
	if generic {
		b.WriteString("cvta.shared.u64 %d7, %d9;\n")
		address = "%d7"
	}
	fmt.Fprintf(&b, "%s [%s], %s1;\nbar.sync 0;\nld.shared.u64 %%d6, [%%d9];\nst.global.u64 [%%out], %%d6;\n", form, address, c)
	r.body = b.String()
	return r
}
