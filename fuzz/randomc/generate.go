package randomc

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/internal/columns"
)

// Threads and Blocks are the launch for the kernels; Words is the size of each buffer in words.
const (
	Threads = 64
	Blocks  = 2
	Words   = 1024
)

// Source returns a file of kernels k0, k1, ... Each is extern "C" __global__ void k(const int *in, const float *fin, int *out, float
// *fout, unsigned *counts).
func Source(seed uint64, kernels int) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 41))}
	g.line("struct Pair { int a; float b; unsigned c; };")
	g.line("__constant__ int table[8] = {3, -1, 4, 1, -5, 9, 2, 6};")
	for n := range kernels {
		g.functions(n)
		g.kernel(n)
	}
	return g.text.String()
}

// generator writes text and keeps track of variables.
type generator struct {
	*rand.Rand
	text           strings.Builder
	indent         int
	scope          map[string][]string // variables by type
	calls          []string            // functions of the current kernel
	loops, numbers int
	statements     int
	depth          int // nesting depth of statements
}

func (g *generator) line(format string, arguments ...any) {
	g.text.WriteString(strings.Repeat("  ", g.indent))
	fmt.Fprintf(&g.text, format+"\n", arguments...)
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) newVariable() string {
	g.numbers++
	return fmt.Sprintf("v%d", g.numbers)
}

// variable returns a variable of a type, or a number.
func (g *generator) variable(t string) string {
	list := g.scope[t]
	if len(list) == 0 || g.IntN(6) == 0 {
		return g.literal(t)
	}
	return g.pick(list...)
}

func (g *generator) literal(t string) string {
	switch t {
	case "int":
		return fmt.Sprint(g.IntN(2001) - 1000)
	case "unsigned":
		return fmt.Sprintf("%du", g.Uint32N(1<<uint(g.IntN(31)+1)))
	case "long long":
		return fmt.Sprintf("%dll", g.Int64N(1<<40)-1<<39)
	case "float":
		return fmt.Sprintf("%.3ff", g.Float64()*4-2)
	}
	return fmt.Sprintf("%.5f", g.Float64()*4-2)
}

// expression returns an expression of a type.
func (g *generator) expression(t string, depth int) string {
	if depth <= 0 || g.IntN(8) == 0 {
		return g.variable(t)
	}
	next := func(t string) string { return g.expression(t, depth-1) }
	if g.IntN(9) == 0 {
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(depth-1), next(t), next(t))
	}
	rows := expressions()[t]
	text := rows[g.IntN(len(rows))]
	if strings.HasPrefix(text, "{call}") && len(g.calls) == 0 {
		text = rows[len(rows)-1]
	}
	for {
		before, after, more := strings.Cut(text, "}")
		if !more {
			return text
		}
		open := strings.LastIndexByte(before, '{')
		text = before[:open] + g.part(before[open+1:], next) + after
	}
}

//go:embed expressions.txt
var expressionsText string

// expressions returns the expressions of each type, as expressions.txt describes them.
var expressions = sync.OnceValue(func() map[string][]string {
	byType := map[string][]string{}
	for line := range columns.Lines(expressionsText) {
		cells := columns.Split(line)
		byType[cells[0]] = append(byType[cells[0]], cells[1])
	}
	return byType
})

// part returns what a part of an expression, without its braces, becomes.
func (g *generator) part(text string, next func(string) string) string {
	if choices := strings.Split(text, ";"); len(choices) > 1 {
		return g.pick(choices...)
	}
	if below, number := strings.CutPrefix(text, "#"); number {
		n, err := strconv.Atoi(below)
		if err != nil {
			panic(err) // the table is ours
		}
		return fmt.Sprint(g.IntN(n))
	}
	if t, variable := strings.CutPrefix(text, "variable "); variable {
		return g.variable(t)
	}
	if text == "call" {
		return g.pick(g.calls...)
	}
	return next(text)
}

func (g *generator) condition(depth int) string {
	if depth > 0 && g.IntN(4) == 0 {
		return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), g.pick("&&", "||"), g.condition(depth-1))
	}
	t := g.pick("int", "unsigned", "float", "int", "double")
	operator := g.pick("<", "<=", ">", ">=", "==", "!=")
	return fmt.Sprintf("(%s %s %s)", g.expression(t, depth-1), operator, g.expression(t, depth-1))
}

// types are the types of variables.
var types = []string{"int", "unsigned", "float", "int", "float", "unsigned", "long long", "double"}

// functions writes the functions that the kernel calls.
func (g *generator) functions(n int) {
	g.calls = nil
	for k := range g.IntN(3) {
		name := fmt.Sprintf("f%d_%d", n, k)
		g.scope = map[string][]string{"int": {"a"}, "unsigned": {"b"}, "float": {"c"}}
		g.line("__device__ int %s(int a, unsigned b, float c) {", name)
		g.indent++
		if g.IntN(2) == 0 {
			g.line("if %s return %s;", g.condition(2), g.expression("int", 2))
		}
		if g.IntN(2) == 0 {
			g.line("for (int i = 0; i < %d; i++) b = b * 1664525u + (unsigned)(a + i %% 3);", g.IntN(5)+1)
		}
		g.line("return %s;", g.expression("int", 3))
		g.indent--
		g.line("}")
		g.calls = append(g.calls, name)
	}
}

func (g *generator) kernel(n int) {
	g.numbers, g.statements, g.depth = 0, 0, 0
	g.line("extern \"C\" __global__ void k%d(const int *in, const float *fin, int *out, float *fout, unsigned *counts) {", n)
	g.indent++
	g.line("__shared__ int s[%d];", Threads)
	g.line("__shared__ float fs[%d];", Threads)
	g.line("int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;")
	g.line("int local[8];")
	g.line("for (int k = 0; k < 8; k++) local[k] = in[(i + k * 37) & %d];", Words-1)
	g.line("struct Pair p = {in[i], fin[i], (unsigned)i};")
	g.scope = map[string][]string{"int": {"t", "i", "p.a"}, "unsigned": {"p.c"}, "float": {"p.b"}}
	first := []string{}
	for range 6 {
		t := types[g.IntN(len(types))]
		name := g.newVariable()
		switch t {
		case "int", "unsigned":
			g.line("%s %s = in[(i * 3 + %d) & %d];", t, name, g.IntN(100), Words-1)
		case "float":
			g.line("float %s = fin[(i + %d) & %d];", name, g.IntN(100), Words-1)
		default:
			g.line("%s %s = %s;", t, name, g.expression(t, 2))
		}
		g.scope[t] = append(g.scope[t], name)
		first = append(first, t+"/"+name)
	}
	for range 4 + g.IntN(6) {
		if g.IntN(4) == 0 {
			g.synchronise()
			continue
		}
		g.statement(2)
	}
	g.results(first)
	g.indent--
	g.line("}")
}

// synchronise writes a statement that all threads execute together.
func (g *generator) synchronise() {
	switch g.IntN(5) {
	case 0:
		name := g.newVariable()
		g.line("s[t] = %s;", g.expression("int", 2))
		g.line("__syncthreads();")
		g.line("int %s = s[(t + %d) & %d];", name, g.IntN(64), Threads-1)
		g.line("__syncthreads();")
		g.scope["int"] = append(g.scope["int"], name)
	case 1:
		name := g.newVariable()
		g.line("fs[t ^ %d] = %s;", g.IntN(Threads), g.expression("float", 2))
		g.line("__syncthreads();")
		g.line("float %s = fs[t];", name)
		g.line("__syncthreads();")
		g.scope["float"] = append(g.scope["float"], name)
	case 2:
		t := g.pick("int", "unsigned", "float")
		name := g.newVariable()
		g.line("%s %s = __shfl_%s(%s, %d);", t, name, g.pick("xor", "down", "up"), g.expression(t, 2), 1<<g.IntN(5))
		g.scope[t] = append(g.scope[t], name)
	case 3:
		name := g.newVariable()
		g.line("unsigned %s = __ballot(%s);", name, g.condition(2))
		g.scope["unsigned"] = append(g.scope["unsigned"], name)
	case 4:
		g.line("atomicAdd(&counts[%s & 15], %s);", g.expression("unsigned", 1), g.expression("unsigned", 2))
	}
}

// target returns a variable that may be assigned to.
func (g *generator) target() (t, name string) {
	for range 20 {
		t = types[g.IntN(len(types))]
		if list := g.scope[t]; len(list) > 0 {
			if name = g.pick(list...); name != "t" && name != "i" && !strings.HasPrefix(name, "k") {
				return t, name
			}
		}
	}
	return "int", "p.a"
}

func (g *generator) block(depth int) {
	known := map[string][]string{}
	for t, list := range g.scope {
		known[t] = list[:len(list):len(list)]
	}
	g.indent++
	for range 1 + g.IntN(3) {
		g.statement(depth)
	}
	g.indent--
	g.scope = known
}

func (g *generator) statement(depth int) {
	g.statements++
	if depth <= 0 || g.statements > 40 {
		g.assignment()
		return
	}
	switch g.IntN(10) {
	case 0, 1:
		g.line("if %s {", g.condition(2))
		g.block(depth - 1)
		if g.IntN(2) == 0 {
			g.line("} else {")
			g.block(depth - 1)
		}
		g.line("}")
	case 2, 3:
		g.loop(depth)
	case 4:
		g.choice(depth)
	case 5:
		g.line("local[%s & 7] = %s;", g.pick("3", "t", "i", g.expression("int", 1)), g.expression("int", 2))
	case 6:
		name := g.newVariable()
		g.line("int %s = local[%s & 7];", name, g.pick("1", "t", "(i >> 2)"))
		g.scope["int"] = append(g.scope["int"], name)
	default:
		g.assignment()
	}
}

func (g *generator) assignment() {
	t, name := g.target()
	if t == "unsigned" && g.IntN(3) == 0 {
		g.line("%s %s %s;", name, g.pick("+=", "-=", "*=", "^=", "|=", "&="), g.expression(t, 2))
		return
	}
	if (t == "float" || t == "double") && g.IntN(3) == 0 {
		g.line("%s %s %s;", name, g.pick("+=", "-=", "*="), g.expression(t, 2))
		return
	}
	g.line("%s = %s;", name, g.expression(t, 3))
}

func (g *generator) loop(depth int) {
	g.loops++
	k := fmt.Sprintf("k%d", g.loops)
	bound := fmt.Sprint(1 + g.IntN(6))
	if g.IntN(3) == 0 {
		bound = "(" + g.expression("int", 1) + " & 7)"
	}
	if g.IntN(4) == 0 {
		g.line("#pragma unroll %d", []int{1, 1, 2, 4}[g.IntN(4)])
	}
	switch g.IntN(3) {
	case 0:
		limit := g.newVariable()
		g.line("for (int %s = 0, %s = %s; %s < %s; %s++) {", k, limit, bound, k, limit, k)
	case 1:
		g.line("for (int %s = 16; %s > 0; %s /= 2) {", k, k, k)
	case 2:
		g.line("for (int %s = 0; %s < %d; %s += 2) {", k, k, 2+g.IntN(9), k)
	}
	before := g.scope["int"]
	g.scope["int"] = append(before[:len(before):len(before)], k)
	if g.IntN(4) == 0 {
		g.line("  if %s %s;", g.condition(1), g.pick("break", "continue"))
	}
	g.block(depth - 1)
	g.scope["int"] = before
	g.line("}")
}

func (g *generator) choice(depth int) {
	g.line("switch (%s & 3) {", g.expression("int", 1))
	for n := range 2 + g.IntN(2) {
		g.line("case %d: {", n)
		g.block(depth - 1)
		g.line("}")
		if g.IntN(3) > 0 {
			g.line("break;")
		}
	}
	if g.IntN(2) == 0 {
		g.line("default: {")
		g.block(depth - 1)
		g.line("}")
	}
	g.line("}")
}

// results stores the variables' final values.
func (g *generator) results(first []string) {
	g.line("int sum = local[0];")
	g.line("for (int k = 1; k < 8; k++) sum = (int)((unsigned)sum * 31u + (unsigned)local[k]);")
	g.line("out[i] = (int)((unsigned)sum + (unsigned)p.a + p.c);")
	g.line("fout[i] = p.b;")
	for n, v := range first {
		t, name, _ := strings.Cut(v, "/")
		switch t {
		case "float", "double":
			g.line("fout[i + %d] = (float)%s;", (n+1)*Threads*Blocks, name)
		case "long long":
			g.line("out[i + %d] = (int)(%s ^ (%s >> 32));", (n+1)*Threads*Blocks, name, name)
		default:
			g.line("out[i + %d] = (int)%s;", (n+1)*Threads*Blocks, name)
		}
	}
}
