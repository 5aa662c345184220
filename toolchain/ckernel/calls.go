package ckernel

import "fmt"

// builtin is a function that is one instruction or that the generator knows by name.
type builtin struct {
	result     *ctype
	parameters []*ctype // a pointer to void takes any pointer
	opcode     string   // PTX's; "" if only write knows it
	write      func(g *generator, b *builtin, e *expression, arguments []value) (value, error)
	pinned     bool // it must not move: barriers, votes, memory
}

// builtins are the clang builtins that our headers use, and a few CUDA functions whose arguments' types matter.
var builtins map[string]*builtin

func isBuiltin(name string) bool {
	return builtins[name] != nil || name == "__ldg" || name == "__ks_polynomial"
}

// letters abbreviate types in signatures.
var letters = map[byte]*ctype{
	'i': intType, 'u': unsignedType, 'l': longlongType, 'm': ulonglongType, 'f': floatType, 'd': doubleType, 'v': voidType, 'b': boolType,
	'p': pointerTo(voidType),
}

// simple adds a function of one instruction. Its signature is a letter for the result, then one for each parameter.
func simple(name, signature, opcode string) *builtin {
	b := &builtin{result: letters[signature[0]], opcode: opcode}
	for n := 1; n < len(signature); n++ {
		b.parameters = append(b.parameters, letters[signature[n]])
	}
	builtins[name] = b
	return b
}

func init() {
	builtins = map[string]*builtin{}
	addFloating()
	addInteger()
	for name, opcode := range map[string]string{
		"__syncthreads": "bar.sync 0", "__nvvm_membar_cta": "membar.cta",
		"__nvvm_membar_gl": "membar.gl", "__nvvm_membar_sys": "membar.sys",
	} {
		simple(name, "v", opcode).pinned = true
	}
	for name, what := range map[string]string{"popc": "popc.u32", "and": "and.pred", "or": "or.pred"} {
		b := simple("__nvvm_bar0_"+name, "ii", what)
		b.pinned, b.write = true, writeVotingBarrier
	}
	for _, mode := range []string{"idx", "up", "down", "bfly"} {
		simple("__nvvm_shfl_"+mode+"_i32", "iiii", "shfl."+mode+".b32").pinned = true
		simple("__nvvm_shfl_"+mode+"_f32", "ffii", "shfl."+mode+".b32").pinned = true
	}
	simple("__nvvm_read_ptx_sreg_laneid", "u", "mov.u32").write = func(g *generator, b *builtin, _ *expression, _ []value) (value, error) {
		v := g.special("laneid")
		v.top = 31
		return v, nil
	}
	addAtomics()
	addDeviceRuntime()
	for name, bits := range map[string]uint64{"__builtin_inff": 0x7f800000, "__builtin_huge_valf": 0x7f800000} {
		simple(name, "f", "").write = constantOfType(floatType, bits)
	}
	simple("__builtin_huge_val", "d", "").write = constantOfType(doubleType, 0x7ff0000000000000)
	simple("__builtin_nanf", "fp", "").write = constantOfType(floatType, 0x7fc00000)
}

func constantOfType(t *ctype, bits uint64) func(*generator, *builtin, *expression, []value) (value, error) {
	return func(*generator, *builtin, *expression, []value) (value, error) { return number64(t, bits), nil }
}

func addFloating() {
	for suffix, letter := range map[string]string{"f": "f", "d": "d"} {
		typ := map[string]string{"f": "f32", "d": "f64"}[suffix]
		for _, mode := range []string{"rn", "rz", "rm", "rp"} {
			simple("__nvvm_fma_"+mode+"_"+suffix, letter+letter+letter+letter, "fma."+mode+"."+typ)
			simple("__nvvm_div_"+mode+"_"+suffix, letter+letter+letter, "div."+mode+"."+typ)
			simple("__nvvm_rcp_"+mode+"_"+suffix, letter+letter, "rcp."+mode+"."+typ)
			simple("__nvvm_sqrt_"+mode+"_"+suffix, letter+letter, "sqrt."+mode+"."+typ)
		}
		end := map[string]string{"f": "f", "d": ""}[suffix]
		for name, opcode := range map[string]string{
			"sqrt": "sqrt.rn", "fabs": "abs", "floor": "cvt.rmi." + typ, "ceil": "cvt.rpi." + typ, "trunc": "cvt.rzi." + typ,
			"rint": "cvt.rni." + typ,
		} {
			simple("__builtin_"+name+end, letter+letter, opcode+"."+typ)
		}
		for name, opcode := range map[string]string{"fmin": "min", "fmax": "max"} {
			simple("__builtin_"+name+end, letter+letter+letter, opcode+"."+typ)
		}
		simple("__builtin_fma"+end, letter+letter+letter+letter, "fma.rn."+typ)
	}
	for _, mode := range []string{"rn", "rz", "rm", "rp"} {
		simple("__nvvm_d2f_"+mode, "fd", "cvt."+mode+".f32.f64")
	}
	for ours, mode := range map[string]string{"rn": "rni", "rz": "rzi", "rm": "rmi", "rp": "rpi"} {
		for what, letter := range map[string]string{"i": "i", "ui": "u", "ll": "l", "ull": "m"} {
			typ := map[string]string{"i": "s32", "ui": "u32", "ll": "s64", "ull": "u64"}[what]
			simple("__nvvm_f2"+what+"_"+ours, letter+"f", "cvt."+mode+"."+typ+".f32")
			simple("__nvvm_d2"+what+"_"+ours, letter+"d", "cvt."+mode+"."+typ+".f64")
		}
	}
	for name, opcode := range map[string]string{"ex2": "ex2", "lg2": "lg2", "sin": "sin", "cos": "cos", "rsqrt": "rsqrt", "sqrt": "sqrt",
		"rcp": "rcp"} {
		simple("__nvvm_"+name+"_approx_f", "ff", opcode+".approx.f32")
	}
	simple("__nvvm_rcp_approx_ftz_d", "dd", "rcp.approx.ftz.f64")
	simple("__nvvm_div_approx_f", "fff", "div.approx.f32")
	simple("__nvvm_saturate_f", "ff", "cvt.sat.f32.f32")
}

func addInteger() {
	simple("__nvvm_sad_i", "iiii", "sad.s32")
	simple("__nvvm_sad_ui", "uuuu", "sad.u32")
	simple("__nvvm_prmt", "uuuu", "prmt.b32")
	simple("__builtin_popcount", "iu", "popc.b32")
	simple("__builtin_popcountll", "im", "popc.b64")
	simple("__builtin_clz", "iu", "clz.b32")
	simple("__builtin_clzll", "im", "clz.b64")
	simple("__builtin_bitreverse32", "uu", "brev.b32")
	simple("__builtin_bitreverse64", "mm", "brev.b64")
	simple("__builtin_ffs", "ii", "brev.b32").write = writeFirstBit
	simple("__builtin_ffsll", "il", "brev.b64").write = writeFirstBit
	simple("__mul64hi", "lll", "mul.hi.s64")
	simple("__umul64hi", "mmm", "mul.hi.u64")
	simple("__mulhi", "iii", "mul.hi.s32")
	simple("__umulhi", "uuu", "mul.hi.u32")
	for _, suffix := range []string{"", "f"} {
		t := map[string]string{"": "d", "f": "f"}[suffix]
		simple("__builtin_isnan"+suffix, "b"+t, "").write = writeIsNaN
	}
	builtins["__builtin_isnan"].parameters = nil // float or double
}

func addAtomics() {
	types := map[string]string{"i": "i", "ui": "u", "ll": "l", "ull": "m", "f": "f"}
	for op, suffixes := range map[string][]string{
		"add": {"i", "ll", "f"}, "xchg": {"i", "ll"}, "and": {"i", "ll"}, "or": {"i", "ll"}, "xor": {"i", "ll"},
		"min": {"i", "ui", "ll", "ull"},
		"max": {"i", "ui", "ll", "ull"}, "inc": {"ui"}, "dec": {"ui"}, "cas": {"i", "ll"},
	} {
		for _, suffix := range suffixes {
			t := types[suffix]
			signature := t + "p" + t
			if op == "cas" {
				signature += t
			}
			b := simple("__nvvm_atom_"+op+"_gen_"+suffix, signature, atomicOpcode(op, suffix))
			b.pinned, b.write = true, writeAtomic
		}
	}
}

// atomicOpcode is the rest of the opcode after atom and the space.
func atomicOpcode(op, suffix string) string {
	signed := map[string]string{"i": "s32", "ui": "u32", "ll": "s64", "ull": "u64"}[suffix]
	plain := map[string]string{"i": "32", "ui": "32", "ll": "64", "ull": "64"}[suffix]
	switch op {
	case "xchg":
		return "exch.b" + plain
	case "and", "or", "xor", "cas":
		return op + ".b" + plain
	case "add":
		if suffix == "f" {
			return "add.f32"
		}
		return "add.u" + plain
	}
	return op + "." + signed
}

// declareWords declares the names that our headers do not declare for C.
func (p *parser) declareWords() {
	for name, register := range map[string]string{"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"} {
		t := &ctype{kind: structKind, name: "uint3"}
		for _, axis := range []string{"x", "y", "z"} {
			t.fields = append(t.fields, field{name: axis, typ: unsignedType})
		}
		t.layOut(false, 1)
		p.global.names[name] = &variable{name: name, typ: t.qualified(true, false), special: register}
	}
	p.global.names["warpSize"] = &variable{name: "warpSize", typ: intType, storage: knownStorage, value: constant(position{}, intType, 32)}
}

// resolve chooses an overload by the arguments' types and converts the arguments.
func (p *parser) resolve(e *expression, arguments []*expression) (*expression, error) {
	made := &expression{op: callNode, at: e.at, text: e.text}
	for _, a := range arguments {
		if a.op == functionNode {
			return nil, needsClang(a.at, "a pointer to a function")
		}
	}
	switch e.text {
	case "__ldg":
		if len(arguments) != 1 || !arguments[0].decayed().typ.isPointer() {
			return nil, errorAt(e.at, "__ldg takes a pointer")
		}
		a := arguments[0].decayed()
		made.parts, made.typ = []*expression{a}, a.typ.element.bare()
		return made, complete(made.typ, e.at)
	case "__ks_polynomial": // from our headers: c0 + c1 x + c2 x^2 + ...
		return polynomial(p, e, arguments)
	}
	if e.overloads == nil {
		return p.builtinCall(made, builtins[e.text], arguments)
	}
	f, err := p.choose(e, arguments)
	if err != nil {
		return nil, err
	}
	if f.kernel {
		return nil, needsClang(e.at, "a kernel that is called from device code")
	}
	if f.host {
		return nil, errorAt(e.at, "'%s' is a function of the host, and a kernel cannot call it", f.name).
			hinted("write __device__ in front of it")
	}
	if err := p.read(f); err != nil {
		return nil, err
	}
	f.called = true
	made.overloads, made.typ = []*function{f}, f.result
	return made, made.pass(f, arguments)
}

// pass converts arguments to a function's parameters.
func (e *expression) pass(f *function, arguments []*expression) error {
	for n, v := range f.parameters {
		if n >= len(arguments) {
			e.parts = append(e.parts, v.value)
			continue
		}
		a, err := arguments[n].converted(v.typ, fmt.Sprintf("argument %d of '%s'", n+1, f.name))
		if err != nil {
			return err
		}
		e.parts = append(e.parts, a)
	}
	return nil
}

// builtinCall converts a builtin's arguments.
func (p *parser) builtinCall(made *expression, b *builtin, arguments []*expression) (*expression, error) {
	if len(b.parameters) == 0 && b.write != nil && len(arguments) == 1 { // isnan
		made.parts, made.typ = []*expression{arguments[0].decayed()}, b.result
		return made, nil
	}
	if len(arguments) != len(b.parameters) {
		return nil, errorAt(made.at, "%s takes %d arguments, not %d", made.text, len(b.parameters), len(arguments))
	}
	made.typ = b.result
	for n, t := range b.parameters {
		a := arguments[n].decayed()
		if !t.isPointer() || !a.typ.isPointer() {
			var err error
			if a, err = a.converted(t, fmt.Sprintf("argument %d of '%s'", n+1, made.text)); err != nil {
				return nil, err
			}
		}
		made.parts = append(made.parts, a)
	}
	return made, nil
}

// polynomial expands the terms by Horner's rule.
func polynomial(p *parser, e *expression, arguments []*expression) (*expression, error) {
	x := arguments[0]
	sum := arguments[len(arguments)-1]
	for n := len(arguments) - 2; n >= 1; n-- {
		made := &expression{op: callNode, at: e.at, text: "__builtin_fma"}
		var err error
		if sum, err = p.builtinCall(made, builtins["__builtin_fma"], []*expression{sum, x, arguments[n]}); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// rank says how well an argument fits a parameter: 0 is best, -1 does not fit.
func rank(a *expression, t *ctype) int {
	from := a.typ.bare()
	if a.op == listNode {
		return 0
	}
	if from.kind == arrayKind {
		from = pointerTo(from.element)
	}
	to := t.bare()
	switch {
	case from.isPointer() && to.isPointer():
		switch {
		case same(from.element, to.element) && from.element.constant == to.element.constant:
			return 0
		case same(from.element, to.element) && !from.element.constant:
			return 1
		case to.element.kind == voidKind || a.op == constantNode:
			return 2
		}
		return -1
	case same(from, to):
		return 0
	case from.isArithmetic() && to.isArithmetic():
		if from.isInteger() && from.size < 4 && to.kind == intKind || from.kind == floatKind && to.kind == doubleKind {
			return 1
		}
		return 2
	case to.isPointer() && a.op == constantNode && a.bits == 0, to.kind == boolKind && from.isPointer():
		return 2
	}
	return -1
}

// choose returns the best overload. As in CUDA's headers, integers and mixed arguments count as double if float and double fit equally.
func (p *parser) choose(e *expression, arguments []*expression) (*function, error) {
	var best []*function
	var ranks []int
	for _, f := range e.overloads {
		if len(arguments) > len(f.parameters) || len(arguments) < len(f.parameters) && f.parameters[len(arguments)].value == nil {
			continue
		}
		mine := make([]int, len(arguments))
		suits := true
		for n, a := range arguments {
			mine[n] = rank(a, f.parameters[n].typ)
			suits = suits && mine[n] >= 0
		}
		if !suits {
			continue
		}
		switch {
		case best == nil || ranksBetter(mine, ranks):
			best, ranks = []*function{f}, mine
		case !ranksBetter(ranks, mine):
			best = append(best, f)
		}
	}
	for _, f := range best {
		if len(best) == 1 || f.result.kind == doubleKind && f.parameters[0].typ.kind == doubleKind {
			return f, nil
		}
	}
	if len(best) > 1 {
		if best[0].ours { // such as abs(unsigned)
			return best[0], nil
		}
		return nil, errorAt(e.at, "the call of '%s' is ambiguous: cast the arguments", e.text)
	}
	return nil, p.noMatch(e, arguments)
}

// ranksBetter tells whether some argument ranks better and none worse.
func ranksBetter(a, b []int) bool {
	less := false
	for n := range a {
		if a[n] > b[n] {
			return false
		}
		less = less || a[n] < b[n]
	}
	return less
}

// noMatch explains why no overload fits.
func (p *parser) noMatch(e *expression, arguments []*expression) error {
	f := e.overloads[0]
	if len(e.overloads) == 1 {
		if len(arguments) != len(f.parameters) {
			return errorAt(e.at, "'%s' takes %d arguments, not %d", e.text, len(f.parameters), len(arguments))
		}
		for n, a := range arguments {
			if _, err := a.converted(f.parameters[n].typ, fmt.Sprintf("argument %d of '%s'", n+1, e.text)); err != nil {
				return err
			}
		}
	}
	types := ""
	for n, a := range arguments {
		if n > 0 {
			types += ", "
		}
		types += a.typ.String()
	}
	return errorAt(e.at, "no function '%s' takes (%s)", e.text, types)
}
