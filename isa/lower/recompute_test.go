package lower_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa/lower"
)

// boundsBehindALoop computes so many sums of %r2 ahead of a loop over so many loads, and reads them behind it.
func boundsBehindALoop(bounds, loads int) string {
	var ahead, loop, behind strings.Builder
	for n := range bounds {
		fmt.Fprintf(&ahead, "add.s32 %%r%d, %%r2, %d;\n", 10+n, 100+n)
		fmt.Fprintf(&behind, "st.global.u32 [%%rd3+%d], %%r%d;\n", 4*n, 10+n)
	}
	for n := range loads {
		fmt.Fprintf(&ahead, "mov.f32 %%f%d, 0f00000000;\n", 1+n)
		fmt.Fprintf(&loop, "ld.global.f32 %%f60, [%%rd1+%d];\nfma.rn.f32 %%f%d, %%f60, %%f60, %%f%d;\n", 4*n, 1+n, 1+n)
		fmt.Fprintf(&behind, "st.global.f32 [%%rd3+%d], %%f%d;\n", 400+4*n, 1+n)
	}
	return ahead.String() + "mov.u32 %r6, 0;\nagain:\n" + loop.String() + "add.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, %r1;\n" +
		"@%p1 bra again;\n" + behind.String() + "st.global.u32 [%rd3+800], %r2;"
}

// TestSmallValuesAreComputedBehindLoops: a loop that needs more registers than full occupancy leaves carries no sums past, which are one
// addition each to what is live behind it; one that needs few does, since the additions would gain nothing.
func TestSmallValuesAreComputedBehindLoops(t *testing.T) {
	additions := func(loads, bounds int) (registers, behind int) {
		k := lowered(t, boundsBehindALoop(bounds, loads), lower.Options{ComputeCapability: 35})
		names := mnemonics(k)
		for _, name := range names[slices.Index(names, "@BRA"):] {
			if name == "IADD" {
				behind++
			}
		}
		return k.Registers, behind
	}
	without, _ := additions(24, 0)
	crowded, behind := additions(24, 12)
	assert.LessOrEqual(t, crowded, without+4)
	assert.Equal(t, 12, behind)
	_, behind = additions(4, 6)
	assert.Zero(t, behind)
}

// TestValuesOfWhichAPartIsLost: a value that cannot be computed again, as one of its operands is a load, leaves nothing of the other,
// which could.
func TestValuesOfWhichAPartIsLost(t *testing.T) {
	body := "ld.global.u32 %r11, [%rd1];\nadd.s32 %r12, %r2, 77;\nxor.b32 %r13, %r12, %r11;\n" + boundsBehindALoop(0, 24) +
		"\nst.global.u32 [%rd3+804], %r13;"
	k := lowered(t, body, lower.Options{ComputeCapability: 35})
	assert.NotContains(t, mnemonics(k)[slices.Index(mnemonics(k), "@BRA"):], "IADD")
}
