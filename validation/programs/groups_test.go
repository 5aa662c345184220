package programs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

// Each row counts in exactly one half, one kind and one program.
func TestHalvesKindsAndPrograms(t *testing.T) {
	first, second := &Program{Name: "first"}, &Program{Name: "second"}
	var results []Result
	blindRows := 0
	for n, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		r := made(name, "", 100, float64(100+n))
		r.Row.Program, r.Row.Kernel.Kind = first, Kinds[n%2]
		if n > 4 {
			r.Row.Program = second
		}
		if blind(name) {
			blindRows++
		}
		results = append(results, r)
	}
	seen, hidden := Halves(results)
	assert.Equal(t, blindRows, hidden.Rows)
	assert.Equal(t, len(results)-blindRows, seen.Rows)
	kinds := ByKind(results)
	require.Len(t, kinds, 2)
	assert.Equal(t, []string{"memory", "compute"}, []string{kinds[0].Name, kinds[1].Name})
	assert.InDelta(t, (0+2+4+6)/4.0, kinds[0].Mean, 1e-9)
	programs := ByProgram(results)
	require.Len(t, programs, 2)
	assert.Equal(t, []int{5, 3}, []int{programs[0].Rows, programs[1].Rows})
	assert.InDelta(t, (5+6+7)/3.0, programs[1].Mean, 1e-9)
}

// Patterns match names with or without their card, and a star also matches slashes.
func TestMatches(t *testing.T) {
	r := &Row{Name: "shoc/scan/f32@k20"}
	for pattern, want := range map[string]bool{
		"shoc/scan/f32@k20": true, "shoc/scan/f32": true, "shoc/*": true, "*f32": true, "*@k20": true, "shoc/sc?n/*": true,
		"scan": false, "shoc": false, "*@k40": false, "[": false,
	} {
		assert.Equal(t, want, r.Matches(pattern), pattern)
	}
}

// Registers are near within four of nvcc's. Spills are alike if both have some or both have none.
func TestRegistersNear(t *testing.T) {
	some, none := 8.0, 0.0
	launch := func(registers, local int) *stats.Launch {
		return &stats.Launch{Registers: registers, LocalBytes: local, TimeUS: 100}
	}
	result := func(m Measured, l *stats.Launch) Result {
		m.Microseconds = 100
		return Result{Status: Ran, Launch: l, Row: &Row{Name: "r", Part: 1, Program: &Program{}, Kernel: &Kernel{Kind: "memory"},
			Measured: m}}
	}
	s := Summarise("all", []Result{
		result(Measured{Registers: 20, Local: &none}, launch(24, 0)), result(Measured{Registers: 20, Local: &none}, launch(25, 4)),
		result(Measured{Registers: 20, Local: &some}, launch(16, 64)), result(Measured{}, launch(99, 0)),
	}, nil)
	assert.Equal(t, []int{3, 2, 3, 2}, []int{s.RegisterOf, s.Registers, s.SpillsOf, s.Spills})
	c := Compiled{Row: &Row{Measured: Measured{Registers: 20, Local: &some}}, Registers: 15, LocalBytes: 0}
	assert.False(t, c.Near())
	assert.False(t, c.SpillsAlike())
	c.Registers, c.Row.Measured.Local = 17, nil
	assert.True(t, c.Near())
	assert.True(t, c.SpillsAlike(), "where it is not known")
}

// Rows of machine code name a file with its hash and an entry, and nothing to compile. Without a checkout, their result says what is
// missing.
func TestBinaryRows(t *testing.T) {
	rows, err := BinaryRows()
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	seen := map[string]bool{}
	for _, r := range rows {
		assert.False(t, seen[r.Name], r.Name)
		seen[r.Name] = true
		require.NoError(t, r.Program.checkBinary(r.Kernel), r.Name)
		other := *r.Kernel
		other.Entry = ""
		require.Error(t, r.Program.checkBinary(&other), r.Name)
	}
	result := RunBinary(t.Context(), rows[0], Options{Sources: t.TempDir()})
	assert.Equal(t, NotRun, result.Machine.Status)
	assert.Contains(t, result.Machine.Reason, "not checked out")
	assert.Nil(t, result.PTX)
	assert.Nil(t, rows[0].Inputs(""), "no folder has no files")
}
