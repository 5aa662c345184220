package lower_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa/lower"
)

// boundsBehindALoop computes sums of %r2 ahead of a loop over loads, and reads the sums behind it. The arguments are their numbers.
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

// TestSmallValuesAreComputedBehindLoops: a loop that needs more registers than full occupancy leaves keeps no sums for later code that one
// addition can compute there. A loop that needs few keeps them, since additions would gain nothing.
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

// TestWhatCannotBeComputedAgainStays: of a sum of two values one may be computed again and the other, a load, not. Then the sum stays where
// it was, and what was begun for it has no reader.
func TestWhatCannotBeComputedAgainStays(t *testing.T) {
	sum := "add.s32 %r8, %r2, 7;\nld.global.u32 %r9, [%rd1+4000];\nxor.b32 %r7, %r8, %r9;\n"
	text := sum + boundsBehindALoop(12, 24) + "st.global.u32 [%rd3+900], %r7;"
	names := mnemonics(lowered(t, text, lower.Options{ComputeCapability: 35}))
	loop := slices.Index(names, "@BRA")
	assert.Contains(t, names[:loop], "LOP.XOR")
	assert.NotContains(t, names[loop:], "LOP.XOR")
}
