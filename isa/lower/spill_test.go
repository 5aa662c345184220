package lower_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower"
)

// Twenty comparisons that nothing holds back, each used once, are not all done at first: seven predicates are enough.
func TestSchedulingLeavesPredicates(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .pred %p<20>;\n" +
		".reg .b32 %t, %s, %v<20>;\n.reg .b64 %out;\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %s, 0;\n")
	for n := range 20 {
		fmt.Fprintf(&b, "setp.gt.u32 %%p%d, %%t, %d;\nadd.u32 %%v%d, %%s, %%t;\nselp.u32 %%s, %%v%d, %%t, %%p%d;\n", n, 7*n, n, n, n)
	}
	b.WriteString("st.global.u32 [%out], %s;\nret;\n}\n")
	p := decodeText(t, "predicates.ptx", b.String())
	mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
	require.NoError(t, err)
	comparisons := 0
	for n := range mp.Ops {
		if strings.HasPrefix(mp.Ops[n].Mnemonic, "ISETP") {
			comparisons++
		}
	}
	assert.Equal(t, 20, comparisons, "a predicate was kept in a register")
	assert.Greater(t, mp.Predicates, 2, "nothing was done early")
}

// Loads of spilled values stand ahead of what uses them.
func TestSpillCodeOverlaps(t *testing.T) {
	p := workload(t, filepath.Join("..", "..", "workloads", "nbody", "nbody.ptx"))
	mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{MaxRegisters: 20})
	require.NoError(t, err)
	loads, ahead := 0, 0
	for n := range mp.Ops[:len(mp.Ops)-1] {
		op := &mp.Ops[n]
		if !op.Spill || op.Effect == nil || op.Effect.Op != isa.OpLd {
			continue
		}
		loads++
		uses := false
		for _, r := range mp.Ops[n+1].Reads {
			uses = uses || r.First < op.Writes[0].First+isa.Register(op.Writes[0].Count) &&
				op.Writes[0].First < r.First+isa.Register(r.Count)
		}
		if !uses {
			ahead++
		}
	}
	require.NotZero(t, loads)
	assert.Greater(t, 2*ahead, loads, "%d of %d loads are used by the next operation", loads-ahead, loads)
}

// nvcc keeps the sums and inputs of a tuned convolution of 7 by 7 in 40 to 56 registers of a GTX 680 and none in local memory (KTT's rows
// of validate registers), though the program loads the whole window before it multiplies: loads are spread, and no value is spilled.
func TestLoadsSpreadWhereRegistersDoNotLast(t *testing.T) {
	for _, c := range []struct{ h, w, registers int }{{4, 1, 40}, {4, 2, 56}, {2, 4, 56}, {1, 4, 56}} {
		p := decodeText(t, "k.ptx", convolution(c.h, c.w, 7))
		mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{ComputeCapability: 30})
		require.NoError(t, err)
		assert.Zero(t, mp.SpillBytes, "%d by %d", c.h, c.w)
		assert.LessOrEqual(t, mp.Registers, c.registers+4, "%d by %d", c.h, c.w)
		require.NoError(t, lower.Verify(p, p.Kernels()[0], lower.Options{ComputeCapability: 30}))
	}
}
