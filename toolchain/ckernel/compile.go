package ckernel

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Options say how a file is compiled.
type Options struct {
	Arch          string   // sm_30 to sm_37; "" is sm_35
	Defines       []string // NAME or NAME=VALUE
	NoContraction bool     // no multiplication fuses with an addition
	LineInfo      bool     // .loc directives
	Headers       fs.FS    // our CUDA headers: toolchain/include
}

// ourHeaders precede every file, in the order of their dependencies.
var ourHeaders = []string{
	"language", "constants", "vector_functions", "integers", "video", "sync", "atomics", "floats", "double_double", "exponentials",
	"trigonometry", "remainders", "roots", "special", "functions", "singles", "overloads",
}

// prelude replaces the parts of those headers that use templates.
const prelude = `
#define __CK_SYNC(NAME, T) \
  __KS_FN T NAME##_sync(unsigned int mask, T v, int b, int width = 32) { __ks_members(mask); return NAME(v, b, width); }
#define __CK_SHUFFLE(NAME) \
  __KS_FN double NAME(double v, int b, int width = 32) { return __longlong_as_double(NAME(__double_as_longlong(v), b, width)); } \
  __CK_SYNC(NAME, int) __CK_SYNC(NAME, unsigned int) __CK_SYNC(NAME, float) __CK_SYNC(NAME, double) __CK_SYNC(NAME, long) \
  __CK_SYNC(NAME, unsigned long) __CK_SYNC(NAME, long long) __CK_SYNC(NAME, unsigned long long)
__CK_SHUFFLE(__shfl)
__CK_SHUFFLE(__shfl_up)
__CK_SHUFFLE(__shfl_down)
__CK_SHUFFLE(__shfl_xor)
__KS_FN double atomicAdd(double *p, double v) {
  unsigned long long *bits = (unsigned long long *)p, seen = *bits, expected;
  do {
    expected = seen;
    seen = atomicCAS(bits, expected, (unsigned long long)__double_as_longlong(__longlong_as_double((long long)expected) + v));
  } while (seen != expected);
  return __longlong_as_double((long long)seen);
}
#define __CK_ULONG(NAME) \
  __KS_FN unsigned long NAME(unsigned long *p, unsigned long v) { return NAME((unsigned long long *)p, (unsigned long long)v); }
__CK_ULONG(atomicAdd)
__CK_ULONG(atomicExch)
#undef __CK_ULONG
#undef __CK_SYNC
#undef __CK_SHUFFLE
`

// predefined are the compiler's own macros.
const predefined = `
#define __CUDA__ 1
#define __CUDACC__ 1
#define __NVCC__ 1
#define __SIZE_TYPE__ unsigned long
#define __PTRDIFF_TYPE__ long
#define __INTPTR_TYPE__ long
#define __UINTPTR_TYPE__ unsigned long
#define __INT8_TYPE__ signed char
#define __INT16_TYPE__ short
#define __INT32_TYPE__ int
#define __INT64_TYPE__ long
#define __UINT8_TYPE__ unsigned char
#define __UINT16_TYPE__ unsigned short
#define __UINT32_TYPE__ unsigned int
#define __UINT64_TYPE__ unsigned long
#define __LONG_MAX__ 9223372036854775807l
#define __FLT_MAX__ 3.40282347e+38f
#define __FLT_MIN__ 1.17549435e-38f
#define __FLT_EPSILON__ 1.19209290e-7f
#define __DBL_MAX__ 1.7976931348623157e+308
#define __DBL_MIN__ 2.2250738585072014e-308
#define __DBL_EPSILON__ 2.2204460492503131e-16
#define __clang_major__ 19
#define __KEPLERSIM_BUILTIN_COMPILER__ 1
`

// Compile translates a file's kernels to PTX. For a faulty file, the error is an *Error.
func Compile(ctx context.Context, name string, source []byte, options Options) ([]byte, error) {
	if options.Arch == "" {
		options.Arch = "sm_35"
	}
	own := newFile(name, source, false)
	if len(source) > mostBytes {
		return nil, errorAt(position{own, 1, 1}, "the file is larger than %d bytes", mostBytes)
	}
	tokens, err := preprocess(own, options)
	if err != nil {
		return nil, err
	}
	p := newParser()
	if err := p.file(tokens); err != nil {
		return nil, err
	}
	var kernels []*generator
	for _, f := range p.functions {
		if !f.kernel {
			continue
		}
		g, err := generate(ctx, p, f, options)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, g)
	}
	if len(kernels) == 0 {
		return nil, errorAt(position{own, 1, 1}, "the file has no kernel").hinted(`write one: extern "C" __global__ void name(...) { ... }`)
	}
	return printed(name, p, kernels, options), nil
}

// preprocess returns the tokens of our headers and of the file.
func preprocess(own *file, options Options) ([]token, error) {
	p := &preprocessor{headers: options.Headers, macros: map[string]*macro{}, once: map[string]bool{}}
	var begin strings.Builder
	begin.WriteString(predefined)
	fmt.Fprintf(&begin, "#define __CUDA_ARCH__ %s0\n", strings.TrimPrefix(options.Arch, "sm_"))
	for _, define := range options.Defines {
		name, value, given := strings.Cut(define, "=")
		if !given {
			value = "1"
		}
		fmt.Fprintf(&begin, "#define %s %s\n", name, value)
	}
	for _, header := range ourHeaders {
		fmt.Fprintf(&begin, "#include \"keplersim/%s.h\"\n", header)
	}
	begin.WriteString(prelude)
	begin.WriteString("#define __cplusplus 201703l\n")
	if err := p.read(newFile("the built-in compiler's headers", []byte(begin.String()), true)); err != nil {
		return nil, err
	}
	err := p.read(own)
	return p.out, err
}

// paramName is the name of a kernel's parameter in PTX.
func paramName(f *function, n int) string { return fmt.Sprintf("%s_param_%d", symbolOf(f), n) }

// symbolOf is a kernel's name in PTX, unmangled as in extern "C".
func symbolOf(f *function) string { return f.name }

// printed prints a file's PTX.
func printed(name string, p *parser, kernels []*generator, options Options) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "//\n// Made by keplersim's built-in compiler\n//\n\n.version 4.2\n.target %s\n.address_size 64\n\n", options.Arch)
	used := map[*variable]bool{}
	for _, g := range kernels {
		for v := range g.used {
			used[v] = true
		}
	}
	for _, v := range p.variables {
		if !used[v] && (v.storage == sharedStorage || v.ours || v.typ.constant) {
			continue
		}
		printVariable(&b, v)
	}
	printOutside(&b, p, kernels)
	for _, g := range kernels {
		g.print(&b)
	}
	if options.LineInfo {
		fmt.Fprintf(&b, "\t.file\t1 %q\n", lineName(name))
	}
	return b.Bytes()
}

func lineName(name string) string {
	if strings.ContainsAny(name, "/\\") {
		return name
	}
	return "./" + name
}

// printVariable declares a variable in its memory space.
func printVariable(b *bytes.Buffer, v *variable) {
	space := map[storage]string{sharedStorage: ".shared", constantStorage: ".const", deviceStorage: ".global"}[v.storage]
	switch {
	case v.dynamic:
		fmt.Fprintf(b, ".extern .shared .align 16 .b8 %s[];\n", v.label)
		return
	case v.storage == sharedStorage:
		fmt.Fprintf(b, "// %s has been demoted\n", v.label)
	case !v.ours:
		fmt.Fprint(b, ".visible ")
	}
	fmt.Fprintf(b, "%s .align %d .b8 %s[%d]", space, max(v.typ.align, 1), v.label, v.typ.size)
	if len(v.bytes) > 0 {
		b.WriteString(" = {")
		for n, one := range v.bytes {
			if n > 0 {
				b.WriteString(", ")
			}
			fmt.Fprint(b, one)
		}
		b.WriteString("}")
	}
	b.WriteString(";\n")
}

// print writes a kernel.
func (g *generator) print(b *bytes.Buffer) {
	printHead(b, g.kernel)
	g.printBounds(b)
	b.WriteString("{\n")
	if g.frame > 0 {
		fmt.Fprintf(b, "\t.local .align 16 .b8 __local_depot[%d];\n", g.frame)
	}
	for c, count := range g.counts {
		if count > 0 {
			fmt.Fprintf(b, "\t.reg .%s %s<%d>;\n", classNames[c][1], classNames[c][0], count+1)
		}
	}
	names := slices.Sorted(maps.Keys(g.specials))
	for _, name := range names {
		fmt.Fprintf(b, "\t.reg .b32 %s;\n", g.specials[name])
	}
	for _, name := range names {
		fmt.Fprintf(b, "\tmov.u32 %s, %%%s;\n", g.specials[name], name)
	}
	g.printBlocks(b)
	b.WriteString("}\n")
}

// printHead writes a kernel's name and parameters.
func printHead(b *bytes.Buffer, f *function) {
	fmt.Fprintf(b, "\n.visible .entry %s(", symbolOf(f))
	for n, v := range f.parameters {
		if n > 0 {
			b.WriteString(",")
		}
		if v.typ.isAggregate() {
			fmt.Fprintf(b, "\n\t.param .align %d .b8 %s[%d]", v.typ.align, paramName(f, n), v.typ.size)
			continue
		}
		kind := "u" + fmt.Sprint(max(v.typ.bits(), 8))
		if v.typ.isFloating() {
			kind = bitType(v.typ)
		}
		fmt.Fprintf(b, "\n\t.param .%s %s", kind, paramName(f, n))
	}
	b.WriteString("\n)\n")
}

// printBounds prints __launch_bounds__.
func (g *generator) printBounds(b *bytes.Buffer) {
	for n, e := range g.kernel.bounds {
		v, t, ok := constantValue(e)
		if !ok || !t.isInteger() || v == 0 {
			continue
		}
		switch n {
		case 0:
			fmt.Fprintf(b, ".maxntid %d, 1, 1\n", v)
		case 1:
			fmt.Fprintf(b, ".minnctapersm %d\n", v)
		}
	}
}

// printBlocks writes the blocks in their order and omits empty ones.
func (g *generator) printBlocks(b *bytes.Buffer) {
	entered := map[*block]bool{}
	blocks := g.reachableBlocks()
	for n, one := range blocks {
		next := (*block)(nil)
		if n+1 < len(blocks) {
			next = blocks[n+1]
		}
		switch e := one.end; e.kind {
		case jumps:
			if skipEmpty(e.then) != next {
				entered[skipEmpty(e.then)] = true
			}
		case branches:
			entered[skipEmpty(e.then)], entered[skipEmpty(e.otherwise)] = true, true
		}
	}
	last := position{}
	for n, one := range blocks {
		next := (*block)(nil)
		if n+1 < len(blocks) {
			next = blocks[n+1]
		}
		if entered[one] {
			fmt.Fprintf(b, "$L_%s_%d:\n", symbolOf(g.kernel), one.number)
			if one.noUnroll {
				b.WriteString("\t.pragma \"nounroll\";\n")
			}
		}
		for _, i := range one.code {
			if g.options.LineInfo && i.at.file != nil && !i.at.file.ours && (i.at != last) {
				fmt.Fprintf(b, "\t.loc\t1 %d %d\n", i.at.line, i.at.column)
				last = i.at
			}
			fmt.Fprintf(b, "\t%s;\n", i.text)
		}
		g.printEnd(b, one, next)
	}
}

// printEnd writes how a block ends.
func (g *generator) printEnd(b *bytes.Buffer, one, next *block) {
	label := func(to *block) string { return fmt.Sprintf("$L_%s_%d", symbolOf(g.kernel), to.number) }
	switch e := one.end; e.kind {
	case jumps:
		if to := skipEmpty(e.then); to != next {
			fmt.Fprintf(b, "\tbra.uni %s;\n", label(to))
		}
	case branches:
		then, otherwise := skipEmpty(e.then), skipEmpty(e.otherwise)
		switch {
		case then == next:
			fmt.Fprintf(b, "\t@!%s bra %s;\n", e.predicate, label(otherwise))
		default:
			fmt.Fprintf(b, "\t@%s bra %s;\n", e.predicate, label(then))
			if otherwise != next {
				fmt.Fprintf(b, "\tbra.uni %s;\n", label(otherwise))
			}
		}
	case returns:
		if g.options.LineInfo && one.at.file != nil {
			fmt.Fprintf(b, "\t.loc\t1 %d %d\n", one.at.line, one.at.column)
		}
		b.WriteString("\tret;\n")
	case open:
		b.WriteString("\ttrap;\n") // unreachable
	}
}

// skipEmpty follows empty blocks to the block that they lead to.
func skipEmpty(b *block) *block {
	for n := 0; n < 1000 && b != nil && len(b.code) == 0 && b.end.kind == jumps; n++ {
		b = b.end.then
	}
	return b
}

// reachableBlocks returns the reachable blocks that are not empty.
func (g *generator) reachableBlocks() []*block {
	seen := map[*block]bool{}
	work := []*block{g.blocks[0]}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == nil || seen[b] {
			continue
		}
		seen[b] = true
		switch b.end.kind {
		case jumps:
			work = append(work, skipEmpty(b.end.then))
		case branches:
			work = append(work, skipEmpty(b.end.then), skipEmpty(b.end.otherwise))
		}
	}
	var list []*block
	for _, b := range g.blocks {
		if seen[b] {
			list = append(list, b)
		}
	}
	return list
}
