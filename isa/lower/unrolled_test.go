package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// fourBodies is four turns of n-body's loop. Positions and masses come from shared memory in rows of four. Each body takes twelve f32
// operations and one root.
func fourBodies(n int) string {
	var b strings.Builder
	for k := range 4 {
		fmt.Fprintf(&b, "ld.shared.v4.f32 {%%f%d, %%f%d, %%f%d, %%f%d}, [tile+%d];\n", 20+k, 30+k, 40+k, 50+k, n%64*16+1024*k)
	}
	for k := range 4 {
		x, y, z, mass := 10*k+20, 10*k+21, 10*k+22, 10*k+23
		fmt.Fprintf(&b, "sub.f32 %%f24, %%f%d, %%f1;\nsub.f32 %%f25, %%f%d, %%f2;\nsub.f32 %%f26, %%f%d, %%f3;\n", x, y, z)
		b.WriteString("mul.f32 %f27, %f24, %f24;\nfma.rn.f32 %f27, %f25, %f25, %f27;\nfma.rn.f32 %f27, %f26, %f26, %f27;\n")
		fmt.Fprintf(&b, "rsqrt.approx.ftz.f32 %%f28, %%f27;\nmul.f32 %%f29, %%f%d, %%f28;\n", mass)
		b.WriteString("mul.f32 %f29, %f29, %f28;\nmul.f32 %f29, %f29, %f28;\n" +
			"fma.rn.f32 %f4, %f24, %f29, %f4;\nfma.rn.f32 %f5, %f25, %f29, %f5;\nfma.rn.f32 %f6, %f26, %f29, %f6;\n")
	}
	return b.String()
}

// TestUnrolledTurnsInterleave: operations of one turn fill the latencies of another, in as many registers as nvcc has for such a loop (40
// for KTT's n-body by shared memory). If the longest chain went first, a warp would take 33 cycles per turn.
func TestUnrolledTurnsInterleave(t *testing.T) {
	const turns = 20
	var b strings.Builder
	for n := range 6 {
		fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%rd3+%d];\n", n+1, 4*n)
	}
	for n := range turns {
		b.WriteString(fourBodies(n))
	}
	for n := range 3 {
		fmt.Fprintf(&b, "st.global.f32 [%%rd3+%d], %%f%d;\n", 4*n, n+4)
	}
	mp := lowered(t, b.String(), lower.Options{ComputeCapability: 30})
	now, ready := 0, map[int]int{}
	for n := range mp.Ops {
		op := &mp.Ops[n]
		for _, r := range op.Reads {
			for k := range int(r.Count) {
				now = max(now, ready[int(r.First)+k])
			}
		}
		for _, r := range op.Writes {
			for k := range int(r.Count) {
				ready[int(r.First)+k] = now + target.Options{}.WithDefaults().Latency(op.Class)
			}
		}
		now++
	}
	assert.Less(t, now, 4*turns*30, "cycles of a warp alone, without pairs: %d operations, %d registers", len(mp.Ops), mp.Registers)
	assert.LessOrEqual(t, mp.Registers, 40)
}
