package lower_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
	"github.com/keplersim/keplersim/isa/lower"
)

// Arithmetic on constants is evaluated once, with the bits that execution gives: exact or rounded as in PTX, or those of the special
// function units.
func TestConstantsFold(t *testing.T) {
	for _, c := range []struct {
		body string
		want uint32
	}{
		{"lg2.approx.f32 %f2, 0f41000000;", 0x40400000},                                              // log2 8 = 3
		{"ex2.approx.f32 %f2, 0f40400000;", 0x41000000},                                              // 2^3 = 8
		{"rcp.approx.f32 %f2, 0f40800000;", 0x3e800000},                                              // 1/4
		{"sqrt.approx.f32 %f2, 0f41800000;", 0x40800000},                                             // 4
		{"mul.f32 %f2, 0f40400000, 0f40400000;", 0x41100000},                                         // 9
		{"add.rn.f32 %f2, 0f3F800000, 0f33800000;", 0x3f800000},                                      // 1 + 2^-24, to even
		{"add.rp.f32 %f2, 0f3F800000, 0f33800000;", 0x3f800001},                                      // and up
		{"mul.ftz.f32 %f2, 0f00800000, 0f3F000000;", 0},                                              // half the least normal number
		{"fma.rn.f32 %f2, 0f40000000, 0f40400000, 0f3F800000;", 0x40e00000},                          // 7
		{"mov.f32 %f1, 0f41000000;\nlg2.approx.f32 %f3, %f1;\nex2.approx.f32 %f2, %f3;", 0x41000000}, // of a folded result
		{"lg2.approx.f32 %f2, 0f40A00000;", fp.Lg2Approx32(0x40a00000, fp.Control{})},
		{"sin.approx.f32 %f2, 0f3F000000;", fp.SinApprox32(0x3f000000, fp.Control{})},
		{"div.approx.f32 %f2, 0f3F800000, 0f40400000;", fp.DivApprox32(0x3f800000, 0x40400000, fp.Control{})},
	} {
		t.Run(c.body, func(t *testing.T) {
			p := decodeText(t, "k.ptx", kernelText(c.body+"\nst.global.f32 [%rd3], %f2;"))
			mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
			require.NoError(t, err)
			require.NoError(t, lower.Verify(p, p.Kernels()[0], lower.Options{}))
			var numbers []string
			for n := range mp.Ops {
				assert.NotEqual(t, isa.ClassSFU, mp.Ops[n].Class)
				if e := mp.Ops[n].Effect; e != nil && e.Op == isa.OpMov && e.Src[0].Kind == isa.OperandImmediate {
					numbers = append(numbers, fmt.Sprintf("%#x", uint32(e.Src[0].Immediate)))
				}
			}
			assert.Contains(t, numbers, fmt.Sprintf("%#x", c.want))
		})
	}
}

// Arithmetic on values that are unknown, or that differ between lanes, stays.
func TestWhatIsNoNumberStays(t *testing.T) {
	mp := lowered(t, "mov.f32 %f1, 0f41000000;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 mov.f32 %f1, 0f40000000;\nlg2.approx.f32 %f2, %f1;\n"+
		"st.global.f32 [%rd3], %f2;", lower.Options{})
	assert.Equal(t, 1, count(mp, "MUFU.LG2"))
}
