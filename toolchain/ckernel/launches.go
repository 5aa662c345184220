package ckernel

import (
	"bytes"
	"fmt"
	"strings"
)

// Launches from kernels. As in toolchain's output of clang, a launch is two calls in PTX: one of configureLaunch with the configuration,
// and one of the kernel, which package decode takes for a launch.

// configureLaunch is the function that configures the launch of the next kernel called.
const configureLaunch = "__keplersim_configure_launch"

// configured are the types of its parameters: grid and block, bytes of shared memory, and a stream.
var configured = []*ctype{
	unsignedType, unsignedType, unsignedType, unsignedType, unsignedType, unsignedType, ulonglongType, ulonglongType,
}

// deviceRuntime are runtime functions without arguments that kernels can call.
var deviceRuntime = []string{"cudaDeviceSynchronize", "cudaGetLastError", "cudaPeekAtLastError"}

func addDeviceRuntime() {
	for _, name := range deviceRuntime {
		b := simple(name, "i", name)
		b.pinned = true
		b.write = func(g *generator, b *builtin, _ *expression, _ []value) (value, error) {
			r := g.result(intType)
			g.outside[b.opcode] = "(.param .b32 func_retval0) " + b.opcode + "\n()\n"
			g.emitPinned("{\n\t.param .b32 retval0;\n\tcall.uni (retval0), %s, ();\n\tld.param.b32 %s, [retval0+0];\n\t}", b.opcode, r.reg)
			return r, nil
		}
	}
}

// launch reads <<<grid, block, shared>>>(arguments) after a kernel's name.
func (p *parser) launch(e *expression) (*expression, error) {
	at := p.take().at
	if e.op != functionNode || len(e.overloads) != 1 || !e.overloads[0].kernel {
		return nil, errorAt(at, "a launch needs the name of a kernel before <<<")
	}
	made := &expression{op: callNode, at: e.at, text: configureLaunch, overloads: e.overloads, typ: voidType}
	for _, what := range []string{"grid", "block"} {
		sizes, err := p.sizes(what)
		if err != nil {
			return nil, err
		}
		made.parts = append(made.parts, sizes...)
		if what == "grid" {
			if err := p.expect(",", "between grid and block"); err != nil {
				return nil, err
			}
		}
	}
	shared := constant(at, ulonglongType, 0)
	if p.accept(",") {
		one, err := p.assignment()
		if err != nil {
			return nil, err
		}
		if shared, err = one.converted(ulonglongType, "the bytes of shared memory"); err != nil {
			return nil, err
		}
	}
	if p.peek().is(",") {
		return nil, needsClang(p.peek().at, "a stream in a launch from device code")
	}
	made.parts = append(made.parts, shared, constant(at, ulonglongType, 0))
	if err := p.expect(">>>", "after the configuration"); err != nil {
		return nil, err
	}
	if !p.peek().is("(") {
		return nil, p.expect("(", "before the kernel's arguments")
	}
	arguments, err := p.arguments()
	if err != nil {
		return nil, err
	}
	f, err := p.choose(e, arguments)
	if err != nil {
		return nil, err
	}
	for _, v := range f.parameters {
		if v.typ.isAggregate() || v.typ.size < 4 {
			return nil, needsClang(e.at, fmt.Sprintf("a launch with an argument of type %s", v.typ))
		}
	}
	return made, made.pass(f, arguments)
}

// sizes reads a number, or dim3 with up to three.
func (p *parser) sizes(what string) ([]*expression, error) {
	at := p.peek().at
	var list []*expression
	if p.peek().text == "dim3" {
		p.next++
		if !p.peek().is("(") {
			return nil, needsClang(at, "dim3")
		}
		var err error
		if list, err = p.arguments(); err != nil {
			return nil, err
		}
	} else {
		one, err := p.assignment()
		if err != nil {
			return nil, err
		}
		list = []*expression{one}
	}
	if len(list) == 0 || len(list) > 3 {
		return nil, errorAt(at, "the %s has one to three sizes", what)
	}
	for n, one := range list {
		converted, err := one.converted(unsignedType, "a size of the "+what)
		if err != nil {
			return nil, err
		}
		list[n] = converted
	}
	for len(list) < 3 {
		list = append(list, constant(at, unsignedType, 1))
	}
	return list, nil
}

// launch writes both calls.
func (g *generator) launch(f *function, arguments []value) error {
	types := make([]string, len(configured))
	for n, t := range configured {
		types[n] = fmt.Sprintf("\t.param .b%d %s_param_%d", t.bits(), configureLaunch, n)
	}
	g.outside[configureLaunch] = configureLaunch + "\n(\n" + strings.Join(types, ",\n") + "\n)\n"
	g.launched[f] = true
	if err := g.callOutside(configureLaunch, configured, arguments[:len(configured)]); err != nil {
		return err
	}
	own := make([]*ctype, len(f.parameters))
	for n, v := range f.parameters {
		own[n] = v.typ
	}
	return g.callOutside(symbolOf(f), own, arguments[len(configured):])
}

// callOutside calls a PTX function without a result.
func (g *generator) callOutside(name string, types []*ctype, arguments []value) error {
	var text strings.Builder
	names := make([]string, len(types))
	for n, t := range types {
		r, err := g.stored(arguments[n], t)
		if err != nil {
			return err
		}
		names[n] = fmt.Sprintf("param%d", n)
		fmt.Fprintf(&text, "\t.param .b%d %s;\n\tst.param.b%d [%s+0], %s;\n", t.bits(), names[n], t.bits(), names[n], r)
	}
	g.emitPinned("{\n%s\tcall.uni %s, (%s);\n\t}", text.String(), name, strings.Join(names, ", "))
	return nil
}

// printOutside declares the functions that the kernels call.
func printOutside(b *bytes.Buffer, p *parser, kernels []*generator) {
	launched, outside := map[*function]bool{}, map[string]string{}
	for _, g := range kernels {
		for f := range g.launched {
			launched[f] = true
		}
		for name, text := range g.outside {
			outside[name] = text
		}
	}
	for _, f := range p.functions {
		if launched[f] {
			printHead(b, f)
			b.WriteString(";\n")
		}
	}
	for _, name := range append([]string{configureLaunch}, deviceRuntime...) {
		if outside[name] != "" {
			fmt.Fprintf(b, ".extern .func %s;\n", outside[name])
		}
	}
}
