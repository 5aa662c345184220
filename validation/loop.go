package validation

import (
	"fmt"
	"strconv"
	"strings"
)

// accumulator says how PTX stores, initialises and ends a value of one type.
type accumulator struct {
	kind string // PTX register type
	init string // {a} from the u32 %word
	sink string // {a} to the u32 %word
}

var accumulators = map[string]accumulator{
	"u32":  {".b32", "mov.b32 {a}, %word;", "mov.b32 %word, {a};"},
	"f32":  {".f32", "cvt.rn.f32.u32 {a}, %word;", "mov.b32 %word, {a};"},
	"f64":  {".f64", "cvt.rn.f64.u32 {a}, %word;", "cvt.rzi.u32.f64 %word, {a};"},
	"u64":  {".b64", "cvt.u64.u32 {a}, %word;", "cvt.u32.u64 %word, {a};"},
	"pred": {".pred", "setp.ne.u32 {a}, %word, 7;", "selp.u32 %word, 1, 0, {a};"},
}

// loopKernel is a kernel that repeats a body of equal steps:
//
//	for iterations: step 0 … step n-1
//
// A step's accumulator is one of ways, taken in turn. So a step depends on the one that many steps before it. In a step, {a} is its
// accumulator and {n} the accumulator's number, for temporaries %t0, %f0, %d0 and on; {b} and {c} are constant. The kernel stores a word a
// thread that depends on all accumulators. Its parameters are an address for those words, an address of data (%data) and the number of
// iterations.
type loopKernel struct {
	target   string // sm_30
	register string // a key of accumulators
	declare  string
	setup    string
	body     string
	ways     int

	module string // PTX outside the kernel
	// machine returns the change of the machine program that makes a body of steps; the PTX then has one step.
	machine func(steps int) rewrite
	// marked changes the machine program of all steps; nil for none.
	marked rewrite
}

const loopName = "experiment"

// text is the PTX with a body of steps.
func (k *loopKernel) text(steps int) string {
	if k.machine != nil {
		steps = 1
	}
	a := accumulators[k.register]
	var b strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	name := func(i int) string { return "%a" + strconv.Itoa(i) }
	values := strings.NewReplacer("{b}", "%b", "{c}", "%c")
	line(".version 4.2\n.target %s\n.address_size 64\n%s", k.target, k.module)
	line(".visible .entry %s(.param .u64 out, .param .u64 data, .param .u32 iterations)\n{", loopName)
	line(".reg .b32 %%word, %%sum, %%i, %%thread, %%s<8>;\n.reg .b64 %%out, %%data, %%offset, %%l<8>;\n.reg .pred %%again, %%q<4>;\n" +
		".reg .b32 %%t<16>;\n.reg .f32 %%f<16>;\n.reg .f64 %%d<16>;")
	line(".reg %s %%a<%d>, %%b, %%c;\n%s", a.kind, k.ways, k.declare)
	line("ld.param.u64 %%out, [out];\nld.param.u64 %%data, [data];\nld.param.u32 %%i, [iterations];")
	line("mov.u32 %%thread, %%tid.x;")
	for i := range k.ways {
		line("mad.lo.u32 %%word, %%i, %d, %%thread;\n%s", i+3, strings.ReplaceAll(a.init, "{a}", name(i)))
	}
	for i, other := range []string{"%b", "%c"} {
		line("mad.lo.u32 %%word, %%thread, %d, %%i;\n%s", i+5, strings.ReplaceAll(a.init, "{a}", other))
	}
	line("%s", values.Replace(strings.ReplaceAll(k.setup, "{a}", name(0))))
	line("LOOP:")
	for i := range steps {
		way := strconv.Itoa(i % k.ways)
		line("%s", strings.NewReplacer("{a}", "%a"+way, "{n}", way, "{b}", "%b", "{c}", "%c").Replace(k.body))
	}
	line("add.u32 %%i, %%i, -1;\nsetp.ne.u32 %%again, %%i, 0;\n@%%again bra LOOP;")
	line("mov.u32 %%sum, 0;")
	for i := range k.ways {
		line("%s\nxor.b32 %%sum, %%sum, %%word;", strings.ReplaceAll(a.sink, "{a}", name(i)))
	}
	line("mul.wide.u32 %%offset, %%thread, 4;\nadd.u64 %%out, %%out, %%offset;\nst.global.u32 [%%out], %%sum;\nret;\n}")
	return b.String()
}
