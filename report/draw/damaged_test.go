package draw_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/mutate"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/draw"
)

// Every kind of picture of a damaged report is drawn or refused: any number of it may be none, zero, negative or huge.
func TestDamagedReportsAreDrawnOrRefused(t *testing.T) {
	t.Parallel()
	text, folder := savedText(t, "vectoradd", false), t.TempDir()
	of := func(change func(value float64) any) string {
		var tree any
		require.NoError(t, json.Unmarshal([]byte(text), &tree))
		out, err := json.Marshal(numbers(tree, change))
		require.NoError(t, err)
		return string(out)
	}
	damaged := []string{
		of(func(float64) any { return 0 }), of(func(v float64) any { return -v }), of(func(float64) any { return 1e300 }),
		of(func(float64) any { return 1e-300 }), of(func(v float64) any { return v * 1e18 }),
	}
	for seed := range uint64(40) {
		damaged = append(damaged, mutate.Text(seed, damaged[0], text))
	}
	for i, text := range damaged {
		file := filepath.Join(folder, "r.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		reports, err := report.ReadSaved([]string{file})
		if err != nil {
			continue
		}
		for _, kind := range draw.Kinds {
			assert.NotPanics(t, func() { _ = kind.Draw(filepath.Join(folder, "p.svg"), reports) }, "%d, %s: %.200s", i, kind.Name,
				strings.TrimSpace(text))
		}
	}
}

// numbers changes all numbers of a tree.
func numbers(tree any, change func(float64) any) any {
	switch v := tree.(type) {
	case map[string]any:
		for key, of := range v {
			if key != "schema" && key != "schema_version" {
				v[key] = numbers(of, change)
			}
		}
	case []any:
		for i, of := range v {
			v[i] = numbers(of, change)
		}
	case float64:
		return change(v)
	}
	return tree
}
