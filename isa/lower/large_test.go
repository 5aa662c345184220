package lower_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/internal/cputime"
	"github.com/keplersim/keplersim/isa/lower"
)

// permuted loads n words and stores them in another order, so all are live at once.
func permuted(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "ld.global.u32 %%r%d, [%%rd3+%d];\n", 10+i, 4*i)
	}
	for i, from := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		fmt.Fprintf(&b, "st.global.u32 [%%rd3+%d], %%r%d;\n", 4*i, 10+from)
	}
	return b.String()
}

// largeKernel is kernelText with as many registers as a large body needs.
func largeKernel(body string, registers int) string {
	return strings.Replace(kernelText(body), "%r<100>", fmt.Sprintf("%%r<%d>", registers), 1)
}

// shortText is how many bytes of PTX a short run lowers at most.
const shortText = 10_000

// Values that find no registers are spilled, however many there are and under every cap.
func TestSpillingEnds(t *testing.T) {
	doubles, err := os.ReadFile(filepath.Join("testdata", "wide-shifts.ptx"))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"160 loads": largeKernel(permuted(160), 200), "320 loads": largeKernel(permuted(320), 400),
		"1000 loads":  largeKernel(permuted(1000), 1100),
		"wide shifts": string(doubles), "convolution of 4 by 8": convolution(4, 8, 7), "predicates": manyPredicates(300),
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && len(text) > shortText {
				t.Skip("large")
			}
			p := decodeText(t, "k.ptx", text)
			for capability, caps := range map[int][]int{30: {0}, 35: {16, 18, 40}} {
				for _, registers := range caps {
					o := lower.Options{ComputeCapability: arch.Capability(capability), MaxRegisters: registers}
					mp, err := lower.Program(t.Context(), p, p.Kernels()[0], o)
					if !assert.NoError(t, err, "cc %d, at most %d registers", capability, registers) {
						continue
					}
					if registers > 0 {
						assert.LessOrEqual(t, mp.Registers, registers)
					}
					if len(mp.Ops) < 1000 {
						assert.NoError(t, lower.Verify(p, p.Kernels()[0], o), "cc %d, at most %d registers", capability, registers)
					}
				}
			}
		})
	}
}

// convolution makes a tile of h by w sums of f·f products. All inputs are loaded first, as in an unrolled tuned kernel.
func convolution(h, w, f int) string {
	var b strings.Builder
	in := func(y, x int) int { return 10 + y*(w+f-1) + x }
	sum := func(y, x int) int { return in(h+f-1, 0) + y*w + x }
	for y := range h + f - 1 {
		for x := range w + f - 1 {
			fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%rd3+%d];\n", in(y, x), 4*(1000*y+x))
		}
	}
	for y := range h {
		for x := range w {
			fmt.Fprintf(&b, "mov.f32 %%f%d, 0f00000000;\n", sum(y, x))
		}
	}
	for k := range f * f {
		fmt.Fprintf(&b, "ld.global.f32 %%f1, [%%rd2+%d];\n", 4*k)
		for y := range h {
			for x := range w {
				fmt.Fprintf(&b, "fma.rn.f32 %%f%d, %%f%d, %%f1, %%f%d;\n", sum(y, x), in(y+k/f, x+k%f), sum(y, x))
			}
		}
	}
	for y := range h {
		for x := range w {
			fmt.Fprintf(&b, "st.global.f32 [%%rd3+%d], %%f%d;\n", 4*(1000*y+x), sum(y, x))
		}
	}
	return strings.Replace(kernelText(b.String()), "%f<100>", "%f<1000>", 1)
}

// manyPredicates compares first and selects afterwards.
func manyPredicates(n int) string {
	var b strings.Builder
	b.WriteString("ld.global.u32 %r3, [%rd3];\n")
	for i := range n {
		fmt.Fprintf(&b, "setp.gt.s32 %%p%d, %%r3, %d;\n", i, i)
	}
	for i := range n {
		fmt.Fprintf(&b, "@%%p%d xor.b32 %%r3, %%r3, %d;\n", n-1-i, 7*i+1)
	}
	b.WriteString("st.global.u32 [%rd3], %r3;\n")
	return strings.Replace(kernelText(b.String()), "%p<20>", "%p<1000>", 1)
}

// shapes are kernels of any size that once took more than twice as long when they were twice as large.
var shapes = map[string]func(n int) string{
	"live registers": func(n int) string { return largeKernel(permuted(n), n+20) },
	"branches to labels": func(n int) string {
		return repeated(n, "setp.gt.u32 %p1, %r3, #;\n@%p1 bra L_#;\nadd.u32 %r4, %r4, #;\nL_#:\n")
	},
	"exits": func(n int) string {
		return repeated(n, "setp.eq.u32 %p1, %r3, #;\n@%p1 bra END;\nadd.u32 %r4, %r4, #;\nst.global.u32 [%rd3], %r4;\n")
	},
	"cases": func(n int) string {
		return repeated(1, repeatedBody(n, "setp.eq.u32 %p1, %r3, #;\n@%p1 bra C_#;\n")+"bra END;\n"+repeatedBody(n,
			"C_#:\nadd.u32 %r4, %r3, #;\nbra END;\n"))
	},
	"loops": func(n int) string {
		return repeated(n/4, "mov.u32 %r5, 0;\nA_#:\nsetp.gt.u32 %p1, %r3, #;\n"+
			"@%p1 bra B_#;\n"+strings.Repeat("ld.global.u32 %r6, [%rd3];\nadd.u32 %r4, %r4, %r6;\n", 6)+
			"B_#:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r1;\n@%p2 bra A_#;\n")
	},
	"straight code": func(n int) string {
		return repeated(n, "ld.global.u32 %r5, [%rd3+#];\nmad.lo.u32 %r4, %r5, %r4, #;\nmul.wide.u32 %rd5, %r4, 4;\n"+
			"add.s64 %rd6, %rd2, %rd5;\nst.global.u32 [%rd6], %r5;\n")
	},
}

func repeatedBody(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(4*i)))
	}
	return b.String()
}

// repeated returns a kernel of n times a text, in which # is another number each time.
func repeated(n int, text string) string {
	return kernelText("ld.global.u32 %r3, [%rd3];\nmov.u32 %r4, 0;\n" + repeatedBody(n, text) + "END:\nst.global.u32 [%rd3], %r4;\n")
}

// Lowering time grows little more than in proportion to the size. Quadratic growth fails.
func TestTimeGrowsAsSize(t *testing.T) {
	if testing.Short() {
		t.Skip("lowers kernels of thousands of lines")
	}
	// Eight times the lines take 8 times the time if growth is linear, 64 times if quadratic. The host's caches and pages may double it.
	const lines, more = 1000, 8
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			lowered := func(n int) time.Duration {
				p := decodeText(t, "k.ptx", shape(n))
				runtime.GC()
				start := cputime.Used()
				_, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
				require.NoError(t, err)
				return cputime.Used() - start
			}
			one, all := time.Hour, time.Hour // the minimum of each, as other work on the machine only adds time
			for try := 0; try < 2 || try < 6 && all >= 3*more*one; try++ {
				one, all = min(one, lowered(lines)), min(all, lowered(more*lines))
			}
			t.Logf("%v, %v", one, all)
			assert.Less(t, all, 3*more*one)
		})
	}
}

// A chain of functions that call the next one takes memory in proportion to its length.
func TestChainOfFunctions(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString(".version 4.2\n.target sm_35\n.address_size 64\n")
		for i := n - 1; i >= 0; i-- {
			call := ""
			if i+1 < n {
				call = fmt.Sprintf("{\n.param .b32 q; .param .b32 s;\nst.param.b32 [q],%%r1;\ncall.uni (s), f%d, (q);\n"+
					"ld.param.b32 %%r2,[s];\n}\nadd.u32 %%r1,%%r1,%%r2;\n", i+1)
			}
			fmt.Fprintf(&b, ".func (.param .b32 r) f%d(.param .b32 x)\n{\n.reg .b32 %%r<9>;\nld.param.u32 %%r1,[x];\n"+
				"%sst.param.b32 [r],%%r1;\nret;\n}\n", i, call)
		}
		b.WriteString(".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<4>;\nld.param.u64 %rd1,[a];\n" +
			"ld.global.u32 %r1,[%rd1];\n{\n.param .b32 q; .param .b32 s;\n" +
			"st.param.b32 [q],%r1;\ncall.uni (s), f0, (q);\nld.param.b32 %r2,[s];\n}\nst.global.u32 [%rd1],%r2;\nret;\n}\n")
		return b.String()
	}
	allocated := func(n int) uint64 {
		text := chain(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := decodeText(t, "k.ptx", text)
		_, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	one, two := allocated(1500), allocated(3000)
	t.Logf("%d MB, %d MB", one>>20, two>>20)
	assert.Less(t, two, 3*one)
}

// A cancelled lowering ends soon.
func TestLoweringStops(t *testing.T) {
	p := decodeText(t, "k.ptx", largeKernel(permuted(3000), 3100))
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := lower.Program(ended, p, p.Kernels()[0], lower.Options{})
	require.ErrorIs(t, err, context.Canceled)

	start := time.Now()
	_, err = lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{MaxRegisters: 32})
	require.NoError(t, err)
	whole := time.Since(start)
	for part := range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(part)/4)
		start := time.Now()
		_, err := lower.Program(ctx, p, p.Kernels()[0], lower.Options{MaxRegisters: 32})
		cancel()
		if err != nil {
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		}
		assert.Less(t, time.Since(start), whole*time.Duration(part)/4+whole+time.Second)
	}
}

// A cap on registers holds even where a chip has more registers per thread: bank conflicts are no reason to exceed it.
func TestCapHoldsWhereRegistersAreFree(t *testing.T) {
	p := workload(t, "../../workloads/nbody/nbody.ptx")
	for _, registers := range []int{16, 24, 32} {
		mp, err := lower.Program(t.Context(), p, p.Kernels()[0],
			lower.Options{ComputeCapability: 37, RegistersPerSMX: 131072, MaxRegisters: registers})
		require.NoError(t, err)
		assert.LessOrEqual(t, mp.Registers, registers)
	}
}
