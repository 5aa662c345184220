package host

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// randomAccesses is a kernel whose threads access shared memory and two buffers at random, with barriers between, perhaps again and again.
func randomAccesses(random *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`.version 4.3
.target sm_35
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {
  .shared .align 16 .b8 s[1024];
  .reg .u32 %r<9>;
  .reg .u64 %d<9>;
  .reg .u32 %turn;
  .reg .pred %p<3>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r6, 0;
  mov.u32 %r8, 0;
  mov.u64 %d6, 0;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
`)
	if random.IntN(3) > 0 { // all of shared memory is initialised
		b.WriteString("  shl.b32 %r3, %r1, 4;\n  mov.u32 %r4, s;\n  add.u32 %r4, %r4, %r3;\n")
		b.WriteString("  st.shared.v2.u64 [%r4], {%d1, %d1};\n  bar.sync 0;\n")
	}
	turns := []int{1, 4, 4, 300}[random.IntN(4)]
	fmt.Fprintf(&b, "  mov.u32 %%turn, %d;\nagain:\n", turns)
	for range 2 + random.IntN(5) {
		randomStatement(random, &b, turns == 300)
	}
	b.WriteString("  sub.u32 %turn, %turn, 1;\n  setp.ne.u32 %p2, %turn, 0;\n  @%p2 bra.uni again;\n  ret;\n}\n")
	return b.String()
}

// randomStatement is an access, perhaps after a barrier. In a long loop it is of words of a buffer, without: warps then take turns, and
// come back to words that they know.
func randomStatement(random *rand.Rand, b *strings.Builder, long bool) {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	if random.IntN(3) == 0 && !long {
		b.WriteString("  bar.sync 0;\n")
	}
	size := pick("u32", "u32", "u32", "u32", "u8", "u64")
	if long {
		size = "u32"
	}
	// The element that a thread accesses: its own, its neighbour's, one of several threads, one of all, or also another block's.
	b.WriteString(pick("  mov.u32 %r3, %r1;\n", "  mov.u32 %r3, %r1;\n", "  xor.b32 %r3, %r1, 1;\n", "  xor.b32 %r3, %r1, 32;\n",
		"  shr.u32 %r3, %r1, 2;\n", "  mov.u32 %r3, 5;\n"))
	space, base := "shared", "%r5"
	if random.IntN(2) == 0 || long {
		space, base = "global", "%d5"
		b.WriteString(pick("", "  mad.lo.u32 %r3, %r2, 64, %r3;\n", "  mad.lo.u32 %r3, %r2, 64, %r3;\n"))
	}
	shift := map[string]int{"u8": 0, "u32": 2, "u64": 3}[size]
	fmt.Fprintf(b, "  shl.b32 %%r3, %%r3, %d;\n", shift)
	if space == "shared" {
		b.WriteString("  mov.u32 %r5, s;\n  add.u32 %r5, %r5, %r3;\n")
	} else {
		fmt.Fprintf(b, "  cvt.u64.u32 %%d4, %%r3;\n  add.u64 %%d5, %s, %%d4;\n", pick("%d1", "%d1", "%d2"))
	}
	guard := ""
	if random.IntN(3) == 0 {
		fmt.Fprintf(b, "  setp.%s.u32 %%p1, %%r1, %d;\n", pick("lt", "eq", "ge"), random.IntN(64))
		guard = "@%p1 "
	}
	value := pick("%r1", "%r8")
	if size == "u64" {
		value = "%d1"
	}
	order := pick("", "", "", "", "volatile.")
	switch n := random.IntN(5); {
	case n < 2 && size == "u64":
		fmt.Fprintf(b, "  %sld.%s%s.u64 %%d6, [%s];\n  cvt.u32.u64 %%r6, %%d6;\n  xor.b32 %%r8, %%r8, %%r6;\n", guard, order, space, base)
	case n < 2:
		fmt.Fprintf(b, "  %sld.%s%s.%s %%r6, [%s];\n  xor.b32 %%r8, %%r8, %%r6;\n", guard, order, space, size, base)
	case n < 4 || size == "u8":
		fmt.Fprintf(b, "  %sst.%s%s.%s [%s], %s;\n", guard, order, space, size, base, value)
	default:
		fmt.Fprintf(b, "  %satom.%s.add.%s %s, [%s], %s;\n", guard, space, size, map[bool]string{true: "%d7", false: "%r7"}[size == "u64"],
			base, value)
	}
}

// sparse lets the checks run without the quick screening and all that it learns, but with machine code, so that warps' turns end at the
// same operations.
type sparse struct {
	observe.Silent
	observe.Sparse
}

// In kernels with random accesses, the checks find the same with and without the quick screening of launches. Many of the kernels are clean
// and many are not.
func TestScreenPassesNothingOfRandomKernels(t *testing.T) {
	count := 200
	if testing.Short() {
		count = 40
	}
	folder := t.TempDir()
	clean, flawed := 0, 0
	for seed := range uint64(count) {
		text := randomAccesses(rand.New(rand.NewPCG(seed, 24)))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "k.ptx"), []byte(text), 0o600))
		file := filepath.Join(folder, "k.yaml")
		unset := ""
		if seed%4 == 0 {
			unset = ", init: unset"
		}
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `module: k.ptx
config: k20
buffers:
  a: {type: u32, count: 2048}
  b: {type: u32, count: 2048%s}
steps:
  - launch: {kernel: k, grid: [3], block: [64], args: [a, b]}
  - launch: {kernel: k, grid: [2], block: [64], args: [b, a]}
`, unset), 0o600))
		o := Options{Simulator: sim.Options{Threads: 1, Functional: true, Check: finding.All}}
		want := found(t, file, o, sparse{})
		assertSame(t, want, found(t, file, o, nil), fmt.Sprintf("seed %d\n%s", seed, text))
		if strings.Contains(strings.Join(want, "\n"), "k.ptx:") {
			flawed++
		} else {
			clean++
		}
	}
	assert.Greater(t, clean, count/8)
	assert.Greater(t, flawed, count/5)
}
