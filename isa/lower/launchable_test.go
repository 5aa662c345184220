package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa/lower"
)

// neighbours is straight code that sums n neighbours. Each is loaded only if it is inside a vector, and has an address of its own.
func neighbours(n int) string {
	var b strings.Builder
	b.WriteString("mov.f64 %d1, 0d0000000000000000;\n")
	for k := range n {
		each := strings.NewReplacer("OFFSET", fmt.Sprint(k-n/2), "K", fmt.Sprint(10+k))
		each.WriteString(&b, "add.s32 %rK, %r2, OFFSET;\nsetp.ge.s32 %p2, %rK, %r1;\nsetp.lt.or.s32 %p1, %rK, 0, %p2;\n"+
			"mov.f64 %dK, 0d0000000000000000;\n@%p1 bra LK;\nmul.wide.u32 %rdK, %rK, 8;\nadd.s64 %rdK, %rd2, %rdK;\n"+
			"ld.global.f64 %dK, [%rdK];\nLK:\nadd.f64 %d1, %d1, %dK;\n")
	}
	b.WriteString("mul.wide.s32 %rd4, %r2, 8;\nadd.s64 %rd4, %rd1, %rd4;\nst.global.f64 [%rd4], %d1;\n")
	text := kernelText(b.String())
	for _, declared := range []string{"%r<100>", "%d<20>", "%rd<40>"} {
		name, _, _ := strings.Cut(declared, "<")
		text = strings.Replace(text, declared, name+"<200>", 1)
	}
	return text
}

// An SMX holds a block of 1,024 threads with at most 64 registers per thread. Loads that run ahead must not take more.
func TestLoadsThatRunAheadLeaveEveryBlockItsPlace(t *testing.T) {
	for _, n := range []int{33, 65, 129} {
		p := decodeText(t, "k.ptx", neighbours(n))
		for _, capability := range []int{30, 35} {
			o := lower.Options{ComputeCapability: arch.Capability(capability)}
			mp, err := lower.Program(t.Context(), p, p.Kernels()[0], o)
			require.NoError(t, err)
			assert.LessOrEqual(t, mp.Registers, 65536/1024, "%d neighbours, cc %d", n, capability)
			assert.Zero(t, mp.SpillBytes, "%d neighbours, cc %d", n, capability)
			require.NoError(t, lower.Verify(p, p.Kernels()[0], o))
		}
	}
}
