package randomptx_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/fuzz"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/randomptx"
)

// steppedLoops is a program of loops, some nested. Their sums add invariants or counters that differ by a step, as in a compiler's unrolled
// loops. Steps come in any order. Counters restart in each iteration of the outer loop, or continue.
func steppedLoops(random *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+";\n", args...) }
	b.WriteString(`.version 4.2
.target sm_35
.address_size 64
.visible .entry random(.param .u64 in, .param .u64 out)
{
	.reg .b32 %r<8>, %v<40>, %x<40>, %i, %c<2>, %w;
	.reg .b64 %in, %out, %at;
	.reg .pred %q;
	mov.u32 %i, %tid.x;
	ld.param.u64 %in, [in];
	mul.wide.u32 %at, %i, 64;
	add.u64 %in, %in, %at;
	ld.param.u64 %out, [out];
	mul.wide.u32 %at, %i, 144;
	add.u64 %out, %out, %at;
`)
	for r := range 4 {
		line("ld.global.u32 %%r%d, [%%in+%d]", r, 4*r)
	}
	line("mov.u32 %%w, 0")
	rows := 4 + random.IntN(12)
	counter := make([]bool, rows)
	start := func(inner bool) {
		for k := range rows {
			if counter[k] == inner || random.IntN(8) == 0 {
				line("mad.lo.u32 %%v%d, %%r1, %d, %%r%d", k, random.IntN(4)+k*random.IntN(2), 2+random.IntN(2))
			}
		}
	}
	for k := range rows {
		counter[k] = random.IntN(3) == 0
		line("mad.lo.u32 %%v%d, %%r1, %d, %%r2", k, k)
	}
	outer := random.IntN(2) == 0
	if outer {
		line("mov.u32 %%c0, 0")
		b.WriteString("OUTER:\n")
		if random.IntN(2) == 0 {
			start(random.IntN(2) == 0)
		}
	}
	line("mov.u32 %%c1, 0")
	b.WriteString("INNER:\n")
	for k := range rows {
		line("add.u32 %%x%d, %%v%d, %%%s", k, k, []string{"c1", "r3", "i"}[random.IntN(3)%(1+random.IntN(3))])
		line("mad.lo.u32 %%w, %%w, 5, %%x%d", k)
	}
	for k := range rows {
		if counter[k] {
			line("add.u32 %%v%d, %%v%d, %s", k, k, []string{"%r0", "%r0", "3"}[random.IntN(3)])
		}
	}
	line("add.u32 %%c1, %%c1, 1")
	line("setp.lt.u32 %%q, %%c1, %d", 1+random.IntN(4))
	line("@%%q bra INNER")
	if outer {
		line("add.u32 %%c0, %%c0, 1")
		line("setp.lt.u32 %%q, %%c0, 3")
		line("@%%q bra OUTER")
	}
	line("st.global.u32 [%%out+0], %%w")
	b.WriteString("\texit;\n}\n")
	return b.String()
}

// Loops whose sums are computed from each other give the plain evaluator's results.
func TestEvaluatorAgreesOnLoops(t *testing.T) {
	first, programs := firstSeed(t), uint64(400)
	if testing.Short() {
		programs = 40
	}
	data := fuzz.Input()
	for s := first; s < first+programs; s++ {
		text := steppedLoops(rand.New(rand.NewPCG(s, 4)))
		got := simulate(t, fmt.Sprintf("seed %d", s), text, sim.Options{Functional: s%4 != 0, Threads: 1, MaxRegisters: []int{0, 16}[s%2]})
		want, err := randomptx.Evaluate(text, data)
		require.NoError(t, err, "-seed %d", s)
		for thread := range fuzz.Threads {
			at := thread * 4 * fuzz.OutputWords
			if !assert.Equal(t, hex.EncodeToString(want[at:at+4]), hex.EncodeToString(got[at:at+4]), "-seed %d, thread %d:\n%s", s, thread,
				text) {
				return
			}
		}
	}
}
