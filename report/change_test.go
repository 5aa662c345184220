package report

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The error of a ratio is that of both times: equal errors cancel, opposite ones add up. Programs weigh alike.
func TestErrorOfChange(t *testing.T) {
	t.Parallel()
	rows := []ErrorRow{
		{Name: "a/1@k40", Program: "a", Error: 20}, {Name: "a/2@k40", Program: "a", Error: 20}, {Name: "a/3@k40", Program: "a", Error: 20},
		{Name: "b/1@k40", Program: "b", Error: 50}, {Name: "b/2@k40", Program: "b", Error: -25},
		{Name: "c/x/k40@k40", Program: "c", Error: 10}, {Name: "c/x/k20@k20", Program: "c", Error: 0},
		{Name: "c/y/k20@k20", Program: "c", Set: "dram.ecc=true", Error: 70},
	}
	e, ok := errorOfChange(VariantChange, rows)
	assert.True(t, ok)
	assert.Equal(t, 4, e.Pairs)
	assert.Equal(t, 2, e.Programs)
	assert.InDelta(t, 0, e.Half, 1e-9)
	assert.InDelta(t, 100, e.NineInTen, 1e-9)
	e, ok = errorOfChange(BoardChange, rows)
	assert.True(t, ok)
	assert.Equal(t, 1, e.Pairs)
	assert.InDelta(t, 10, e.Half, 1e-9)
	_, ok = errorOfChange(KeyChange, rows)
	assert.False(t, ok)
}

// What a comparison says of a difference follows the recorded errors, whichever of the two is faster.
func TestDifferencesAreJudged(t *testing.T) {
	t.Parallel()
	for _, c := range []Change{VariantChange, BoardChange} {
		e, ok := ErrorOfChange(c)
		assert.True(t, ok)
		assert.Greater(t, e.Pairs, 50)
		assert.Greater(t, e.NineInTen, e.Half)
		assert.Contains(t, c.Judge(1+0.9*e.Half/100), "Within the model's error: with "+string(c)+" (")
		assert.Contains(t, c.Judge(1/(1+1.1*e.Half/100)), "Likely, not sure")
		assert.Contains(t, c.Judge(1+1.1*e.NineInTen/100), "Safe: ")
	}
	page, err := os.ReadFile("../docs/research.md")
	require.NoError(t, err)
	for change, words := range map[Change]string{VariantChange: "another variant of a program on one board", BoardChange: "another board"} {
		e, _ := ErrorOfChange(change)
		assert.Contains(t, string(page), fmt.Sprintf("| %s | %d of %d | %.0f %% | %.0f %% |\n", words, e.Pairs, e.Programs, e.Half,
			e.NineInTen), "errors.csv has changed: write this row to docs/research.md")
	}
	assert.Contains(t, KeyChange.Judge(3), "No card has this configuration")
	for column, want := range map[string]Change{
		"board": BoardChange, "l2.bytes=512K": KeyChange, "block": VariantChange, "define.TILE": VariantChange, "dlcm": VariantChange,
	} {
		assert.Equal(t, want, ChangeOf(column), column)
	}
	row := func(board string, set ...string) *SavedLaunch {
		return &SavedLaunch{jsonLaunch: jsonLaunch{Config: board, Overrides: set}}
	}
	assert.Equal(t, VariantChange, changeOf(row("k40", "block=64"), row("k40", "block=128")))
	assert.Equal(t, BoardChange, changeOf(row("k40"), row("k20")))
	assert.Equal(t, KeyChange, changeOf(row("k40", "l2.latency=100"), row("k20", "l2.latency=200")))
	assert.Equal(t, KeyChange, changeOf(row("k40"), row("k40", "l2.latency=200")))
}
