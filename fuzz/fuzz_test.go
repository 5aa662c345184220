package fuzz

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
)

// Programs of every kind do the same in every way.
func TestProgramsDoNotDiffer(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	count := 64
	if testing.Short() {
		count = 8
	}
	for seed := range uint64(count) {
		d, err := r.Compare(t.Context(), Make(seed))
		require.NoError(t, err)
		if d != nil {
			d = r.Shrink(t.Context(), d)
			require.Failf(t, "differs", "seed %d, %s: %s\n%s", seed, d.Way.Name, d.What, d.Text)
		}
	}
}

// A generated program writes each register before it reads it, and holds what its kind promises.
func TestMake(t *testing.T) {
	seen := ""
	for seed := range uint64(400) {
		p := Make(seed)
		assert.Equal(t, p, Make(seed))
		require.True(t, writesFirst(strings.SplitAfter(p.Text, "\n")), "seed %d:\n%s", seed, p.Text)
		if p.Kind == "wide" {
			seen += p.Text
		}
	}
	for _, part := range []string{"addc.cc.u32", "subc.u32", "madc.", "vadd4.", "vabsdiff2.", ".h1", "f16.f32", ".ftz.sat.f32", "st.local",
		"ld.local.s8", "atom.shared.cas", "atom.global.inc", "call (back), f1"} {
		assert.Contains(t, seen, part)
	}
	for _, text := range []string{"add.u32 %r1, %r1, 1;", "mov.u32 %r2, 1;\n@%p0 mov.u32 %r1, 1;", "st.global.u32 [%d1], 1;"} {
		assert.False(t, writesFirst(strings.Split(text, "\n")), text)
	}
	assert.True(t, writesFirst([]string{"mov.u32 %r1, %tid.x;", "setp.eq.u32 %p0, %r1, 0;", "@%p0 add.u32 %r1, %r1, 1;"}))
}

// What differs is shrunk to the lines that show it: here a way in which the loads of global memory that say no more go elsewhere.
func TestShrink(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	broken := Way{Name: "split", options: sim.Options{Functional: true, Unoptimised: true}} // nothing is fused there
	for seed := uint64(3); ; seed += 8 {
		require.Less(t, seed, uint64(2000))
		p := Make(seed)
		want, _, err := r.Run(t.Context(), p.Text, Ways[0])
		require.NoError(t, err)
		what := r.differs(t.Context(), p.Text, want, broken)
		if what == "" {
			continue
		}
		small := r.Shrink(t.Context(), &Difference{p, broken, what})
		body := 0
		for _, line := range strings.Split(small.Text, "\n") {
			if strings.HasSuffix(line, ";") && !strings.HasPrefix(strings.TrimSpace(line), ".") {
				body++
			}
		}
		assert.LessOrEqual(t, body, 25, small.Text)
		assert.Contains(t, small.Text, "mul.")
		want, _, err = r.Run(t.Context(), small.Text, Ways[0])
		require.NoError(t, err)
		assert.Equal(t, small.What, r.differs(t.Context(), small.Text, want, broken))
		return
	}
}

// What is exported has all that a GPU's run needs.
func TestExport(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "programs")
	require.NoError(t, Export(t.Context(), folder, "gk110", 5, 3, 2))
	list, err := os.ReadFile(filepath.Join(folder, "expected.txt"))
	require.NoError(t, err)
	assert.Regexp(t, `^5 unrounded-open [0-9a-f]{16}\n6 wide [0-9a-f]{16}\n7 plain [0-9a-f]{16}\n$`, string(list))
	for seed := 5; seed < 8; seed++ {
		text, err := os.ReadFile(filepath.Join(folder, "ptx", fmt.Sprintf("%d.ptx", seed)))
		require.NoError(t, err)
		assert.Equal(t, Make(uint64(seed)).Text, string(text))
	}
	for _, name := range []string{"in.bin", "check.cc"} {
		assert.FileExists(t, filepath.Join(folder, name))
	}
}
