package draw_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/testkit/mutate"
)

// The roofline of a damaged report is drawn or refused, even if a rate is zero, negative or huge.
func TestDamagedReportsAreDrawnOrRefused(t *testing.T) {
	t.Parallel()
	text, folder := savedText(t, "vectoradd", false), t.TempDir()
	names := map[string]bool{}
	of := func(name string, to float64) string {
		var tree any
		require.NoError(t, json.Unmarshal([]byte(text), &tree))
		out, err := json.Marshal(numbers(tree, "", func(key string, v float64) any {
			names[key] = true
			if key == name {
				return to
			}
			return v
		}))
		require.NoError(t, err)
		return string(out)
	}
	of("", 0)
	var damaged []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !strings.Contains(name, "flops") && !strings.Contains(name, "bytes_per_second") && !strings.Contains(name, "bandwidth") {
			continue // the ceilings and the points are computed from these
		}
		for _, to := range []float64{0, -1, 1e300} {
			damaged = append(damaged, of(name, to))
		}
	}
	for seed := range uint64(8) {
		damaged = append(damaged, mutate.Text(seed, text, text))
	}
	for i, text := range damaged {
		file := filepath.Join(folder, "r.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		reports, err := report.ReadSaved([]string{file})
		if err != nil {
			continue
		}
		assert.NotPanics(t, func() { _ = draw.Kinds[0].Draw(filepath.Join(folder, "p.svg"), reports) }, "%d: %.200s", i, text)
	}
}

// numbers changes the numbers of a tree; change gets the name of each number's field.
func numbers(tree any, name string, change func(string, float64) any) any {
	switch v := tree.(type) {
	case map[string]any:
		for key, of := range v {
			v[key] = numbers(of, key, change)
		}
	case []any:
		for i, of := range v {
			v[i] = numbers(of, name, change)
		}
	case float64:
		return change(name, v)
	}
	return tree
}
