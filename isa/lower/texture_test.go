package lower_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower"
)

// Coordinates and results of texture operations are in consecutive registers. A result that nothing reads has none.
func TestTextureRegisters(t *testing.T) {
	for _, c := range []struct {
		body, mnemonic string
		writes         []int // registers of each range
		reads          []int
	}{
		{"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}]; add.f32 %f7, %f1, %f2; add.f32 %f8, %f3, %f4; " +
			"add.f32 %f7, %f7, %f8; st.global.f32 [%rd3], %f7;", "TEX.2D", []int{4}, []int{2, 2}},
		{"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}]; st.global.f32 [%rd3], %f3;", "TEX.2D", []int{1}, []int{2, 2}},
		{"tex.2d.v4.f32.f32 {%f1,_,%f3,_}, [%rd1, {%f5,%f6}]; add.f32 %f7, %f1, %f3; st.global.f32 [%rd3], %f7;", "TEX.2D", []int{2},
			[]int{2, 2}},
		{"tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}], {%f7,%f8}, {%f9,%f9}; st.global.f32 [%rd3], %f1;", "TXD.2D",
			[]int{1}, []int{2, 4, 2}},
		{"tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r2}]; st.global.f32 [%rd3], %f1;", "TLD.1D", []int{1}, []int{1, 2}},
		{"suld.b.2d.v2.b64.zero {%rd4,%rd5}, [%rd1, {%r2,%r2}]; add.s64 %rd4, %rd4, %rd5; st.global.b64 [%rd3], %rd4;", "SULD.2D", []int{4},
			[]int{1, 2, 2}},
		{"sust.b.3d.v4.b32.zero [%rd1, {%r2,%r2,%r2,%r2}], {%r2,%r3,0,%r2};", "SUST.3D", nil, []int{1, 4, 2, 4}},
		{"txq.width.b32 %r4, [%rd1]; st.global.u32 [%rd3], %r4;", "TXQ", []int{1}, []int{2}},
	} {
		mp := lowered(t,
			"mov.f32 %f5, 0f3F800000; cvt.rn.f32.u32 %f6, %r2; mov.f32 %f7, %f6; mov.f32 %f8, %f6; mov.f32 %f9, %f6; "+
				"add.u32 %r3, %r2, 5;"+c.body, lower.Options{})
		var found *isa.MachineOp
		for n := range mp.Ops {
			if mp.Ops[n].Mnemonic == c.mnemonic {
				found = &mp.Ops[n]
			}
		}
		require.NotNil(t, found, c.body)
		counts := func(ranges []isa.RegisterRange) (list []int) {
			for _, r := range ranges {
				assert.Zero(t, int(r.First)%roundUp(int(r.Count)), "%s: %v", c.body, ranges)
				list = append(list, int(r.Count))
			}
			return list
		}
		assert.Equal(t, c.writes, counts(found.Writes), c.body)
		assert.Equal(t, c.reads, counts(found.Reads), c.body)
	}
	mp := lowered(t, "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];", lower.Options{})
	assert.NotContains(t, strings.Join(mnemonics(mp), " "), "TEX", "nothing reads the result")
	mp = lowered(t,
		"add.f32 %f6, %f5, %f5; tex.2d.v4.f32.f32 {%f1,_,_,_}, [%rd1, {%f5,%f6}]; "+
			"tex.2d.v4.f32.f32 {%f2,_,_,_}, [%rd2, {%f5,%f6}]; add.f32 %f5, %f5, %f1; "+
			"tex.2d.v4.f32.f32 {%f3,_,_,_}, [%rd2, {%f5,%f6}]; add.f32 %f1, %f2, %f3; st.global.f32 [%rd3], %f1;", lower.Options{})
	var rows []isa.RegisterRange
	for n := range mp.Ops {
		if mp.Ops[n].Mnemonic == "TEX.2D" {
			rows = append(rows, mp.Ops[n].Reads[0])
		}
	}
	require.Len(t, rows, 3)
	assert.Equal(t, rows[0], rows[1], "the same coordinates")
	mp = lowered(t, "tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6,%f7,%f7}]; st.global.f32 [%rd3], %f1;", lower.Options{})
	assert.Regexp(t, "FMNMX.*FMNMX.*MUFU.RCP.*FMUL.*FMUL.*FMUL.*TEX.CUBE", strings.Join(mnemonics(mp), " "))
	mp = lowered(t, "sust.b.2d.b32.zero [%rd1, {%r2,%r2}], %r2; suld.b.2d.b32.trap %r4, [%rd1, {%r2,%r2}]; st.global.u32 [%rd3], %r4;",
		lower.Options{})
	assert.Less(t, strings.Index(strings.Join(mnemonics(mp), " "), "SUST"), strings.Index(strings.Join(mnemonics(mp), " "), "SULD"),
		"a load stays behind the store before it")
}

// roundUp returns the alignment of a row of registers.
func roundUp(n int) int {
	for n&(n-1) != 0 {
		n++
	}
	return n
}
