package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/testkit/oracle"
)

// value is a form whose result depends only on the thread's input vector. In the body, {a} {b} {c} are inputs, {d} is the result, and {p}
// {q} are predicates. Temporaries are {x} {y} with 32 bits, {X} {Y} with 64 and {H} with 16.
type value struct {
	group, name, inputs, output, body string
	target                            target
}

// groupOf is the group of kernels for an opcode's forms.
func groupOf(form string) string {
	opcode, rest, _ := strings.Cut(form, ".")
	types := strings.Split(rest, ".")
	last := types[len(types)-1]
	float := slices.ContainsFunc(types, func(t string) bool { return t == "f32" || t == "f64" || t == "f16" || t == "ftz" })
	switch opcode {
	case "cvt":
		switch {
		case !float:
			return "convert-integer"
		case strings.HasPrefix(last, "f") && slices.ContainsFunc(types[:len(types)-1], func(t string) bool {
			return strings.HasPrefix(t, "f") && t != "ftz"
		}):
			return "convert-float"
		case strings.HasPrefix(last, "f"):
			return "convert-to-integer"
		}
		return "convert-from-integer"
	case "setp", "set", "selp", "slct", "testp":
		if float {
			return "compare-float"
		}
		return "compare-integer"
	case "and", "or", "xor", "not", "cnot", "shl", "shr", "shf", "popc", "clz", "bfind", "brev", "bfe", "bfi", "prmt", "lop3", "fns",
		"bmsk", "szext":
		return "bits"
	case "rcp", "rsqrt", "sqrt", "sin", "cos", "lg2", "ex2", "tanh":
		return "functions"
	case "div":
		if float {
			return "divide-float"
		}
	case "mov":
		return "moves"
	case "abs", "neg", "min", "max", "copysign", "add", "sub", "mul", "fma", "mad":
		if float {
			return "float"
		}
	}
	if strings.HasPrefix(opcode, "v") {
		if strings.HasSuffix(opcode, "2") || strings.HasSuffix(opcode, "4") {
			return "video-simd"
		}
		return "video-scalar"
	}
	if strings.Contains(form, ".cc") || opcode == "addc" || opcode == "subc" || opcode == "madc" {
		return "carry"
	}
	return "integer"
}

// recordedForms returns the forms of the record. There each operand ran by itself; here they run through the compiler, packed with others.
func recordedForms() ([]value, error) {
	o, err := oracle.Open()
	if err != nil {
		return nil, err
	}
	var list []value
	for _, f := range o.Forms {
		list = append(list, value{groupOf(f.Name), f.Name, strings.Join(f.Inputs, ","), f.Output, f.Body, kepler})
	}
	return list, nil
}

func bytesOf(ptxType string) int {
	switch ptxType[1:] {
	case "8":
		return 1
	case "16":
		return 2
	case "64":
		return 8
	}
	return 4
}

// registerOf is operand n's register. 8-bit values use 32-bit registers.
func registerOf(ptxType string, n int) string {
	switch {
	case ptxType == "f32":
		return fmt.Sprintf("%%f%d", n)
	case ptxType == "f64":
		return fmt.Sprintf("%%g%d", n)
	case bytesOf(ptxType) == 8:
		return fmt.Sprintf("%%d%d", n)
	case bytesOf(ptxType) == 2:
		return fmt.Sprintf("%%h%d", n)
	}
	return fmt.Sprintf("%%r%d", n)
}

// inputName is the buffer for operand n of a type.
func inputName(ptxType string, n int) string {
	class := "int"
	if ptxType[0] == 'f' {
		class = ptxType
	}
	return class + "_" + string(rune('a'+n))
}

// transferType is the type of the load or store for a value of a type.
func transferType(ptxType string) string {
	switch {
	case ptxType == "f32" || ptxType == "f64":
		return ptxType
	case bytesOf(ptxType) == 8:
		return "u64"
	case bytesOf(ptxType) == 2:
		return "u16"
	}
	return "u32"
}

// row turns a value into a row: load, compute, store.
func (v value) row() row {
	r := row{group: v.group, name: v.name, words: 1, target: v.target}
	if bytesOf(v.output) == 8 {
		r.words = 2
	}
	if v.target == (target{}) {
		r.target = kepler
	}
	var b strings.Builder
	replace := []string{
		"{d}", registerOf(v.output, 0), "{p}", "%p1", "{q}", "%p2", "{x}", "%r8", "{y}", "%r9", "{X}", "%d8", "{Y}", "%d9", "{H}", "%h9",
	}
	for n, t := range strings.Split(v.inputs, ",") {
		if t == "" {
			continue
		}
		register, in := registerOf(t, n+1), inputName(t, n)
		r.inputs = append(r.inputs, in)
		replace = append(replace, fmt.Sprintf("{%c}", 'a'+n), register)
		fmt.Fprintf(&b, "ld.global.%s %s, [%%%s];\n", transferType(t), register, in)
	}
	body := strings.NewReplacer(replace...).Replace(v.body)
	b.WriteString(strings.ReplaceAll(body, "; ", ";\n"))
	fmt.Fprintf(&b, "\nst.global.%s [%%out], %s;\n", transferType(v.output), registerOf(v.output, 0))
	r.body = b.String()
	return r
}
