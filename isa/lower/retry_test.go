package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// divisions is straight-line code full of divisions, which need predicates, among other predicates with long lifetimes.
func divisions(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("ld.global.u32 %r3, [%rd3];\nmov.u32 %r10, 0;\n")
	var live []int
	predicate, register := 1, 20
	for n := range 10 + r.IntN(25) {
		switch r.IntN(4) {
		case 0:
			if predicate < 20 && len(live) < 6 {
				fmt.Fprintf(&b, "setp.gt.u32 %%p%d, %%r3, %d;\n", predicate, n)
				live = append(live, predicate)
				predicate++
			}
		case 1:
			if len(live) > 0 {
				k := r.IntN(len(live))
				fmt.Fprintf(&b, "@%%p%d add.u32 %%r10, %%r10, %d;\n", live[k], n)
				live = append(live[:k], live[k+1:]...)
			}
		default:
			source := 3
			if register > 20 {
				source = 20 + r.IntN(register-20)
			}
			fmt.Fprintf(&b, "%s %%r%d, %%r%d, %%r1;\n", []string{"rem.u32", "div.u32", "rem.s32", "div.s32"}[r.IntN(4)], register, source)
			register++
		}
	}
	for _, p := range live {
		fmt.Fprintf(&b, "@%%p%d add.u32 %%r10, %%r10, 77;\n", p)
	}
	for k := 20; k < register; k++ {
		fmt.Fprintf(&b, "st.global.u32 [%%rd3+%d], %%r%d;\n", 4*k, k)
	}
	return b.String() + "st.global.u32 [%rd3], %r10;"
}

// TestDivisionsFindPredicates lowers such code: seven predicates are enough for the schedule.
func TestDivisionsFindPredicates(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for range 60 {
		body := divisions(r)
		p := decodeText(t, "k.ptx", kernelText(body))
		for _, o := range []lower.Options{{}, turing, {MaxRegisters: 24}} {
			require.NoError(t, lower.Verify(p, p.Kernels()[0], o), body)
		}
	}
}

// crowded is code full of divisions whose results are all used at the end.
const crowded = `
	ld.global.u32 %r3,[%rd3];
	mov.u32 %r10, 0;
	div.s32 %r20, %r3, %r1;
	rem.s32 %r21, %r20, %r1;
	cvt.u64.u32 %rd32, %r3;
	rem.s64 %rd32, %rd1, %rd32;
	cvt.u32.u64 %r22, %rd32;
	setp.gt.u32 %p1, %r22, 7;
	@%p1 add.u32 %r10, %r10, 8;
	div.u32 %r23, %r3, %r1;
	cvt.u64.u32 %rd34, %r3;
	div.s64 %rd34, %rd1, %rd34;
	cvt.u32.u64 %r24, %rd34;
	div.u32 %r25, %r23, %r1;
	st.global.u32 [%rd3+80], %r20;
	st.global.u32 [%rd3+84], %r21;
	st.global.u32 [%rd3+88], %r22;
	st.global.u32 [%rd3+92], %r23;
	st.global.u32 [%rd3+96], %r24;
	st.global.u32 [%rd3+100], %r25;
	st.global.u32 [%rd3], %r10;
`

// A kernel, and a function that it calls, find registers under the smallest caps.
func TestCrowdedCodeFindsRegisters(t *testing.T) {
	kernel := decodeText(t, "k.ptx", kernelText(crowded))
	function := decodeText(t, "f.ptx", `.version 4.2
.target sm_35
.address_size 64
.func f(.param .u64 a, .param .u32 n)
{
	.reg .pred %p<20>;
	.reg .b32 %r<100>;
	.reg .f64 %d<20>;
	.reg .b64 %rd<40>;
	ld.param.u32 %r1, [n];
	ld.param.u64 %rd1, [a];
	setp.eq.u32 %p5, %r1, 0;
	@%p5 bra DONE;
	{
	.param .u64 x;
	.param .u32 y;
	st.param.u64 [x], %rd1;
	st.param.u32 [y], 0;
	call.uni f, (x, y);
	}
DONE:
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd9, %r2, 4;
	add.s64 %rd3, %rd1, %rd9;
`+crowded+`
	ret;
}
.visible .entry k(.param .u64 a, .param .u32 n)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [n];
	{
	.param .u64 x;
	.param .u32 y;
	st.param.u64 [x], %rd1;
	st.param.u32 [y], %r1;
	call.uni f, (x, y);
	}
	ret;
}
`)
	for name, p := range map[string]*isa.Program{"kernel": kernel, "function": function} {
		t.Run(name, func(t *testing.T) {
			for _, reserved := range []int{0, 2, 4, 6} { // caps from 16 down
				mp, err := lower.Program(t.Context(), p, p.Kernels()[0],
					lower.Options{MaxRegisters: target.MinimumRegisters, ReservedRegisters: reserved})
				require.NoError(t, err)
				assert.LessOrEqual(t, mp.Registers, 16)
				_, err = exec.Bind(mp)
				assert.NoError(t, err)
			}
		})
	}
}
