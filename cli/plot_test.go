package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Saved reports are drawn; an error says why a drawing is impossible.
func TestPlotCommand(t *testing.T) {
	folder := t.TempDir()
	saved, drawn := filepath.Join(folder, "run.json"), filepath.Join(folder, "stalls.pdf")
	code, _, errOut := keplersim(t, "run", "../workloads/vectoradd/vectoradd.yaml", "--format", "json", "-o", saved)
	require.Zero(t, code, errOut)
	code, _, errOut = keplersim(t, "plot", "stalls", saved, "-o", drawn)
	require.Zero(t, code, errOut)
	text, err := os.ReadFile(drawn)
	require.NoError(t, err)
	assert.Equal(t, "%PDF", string(text[:4]))
	for says, args := range map[string][]string{
		`"stall": choose one of`:       {"stall", saved, "-o", drawn},
		"name the file to draw to":     {"stalls", saved},
		"one of .svg, .png, .pdf":      {"stalls", saved, "-o", "x.gif"},
		"there is no such file":        {"stalls", filepath.Join(folder, "none.json"), "-o", drawn},
		"is not a report of a run":     {"stalls", "../configs/gk110.yaml", "-o", drawn},
		"of one report, and there are": {"timeline", saved, saved, "-o", filepath.Join(folder, "x.svg")},
	} {
		code, _, errOut := keplersim(t, append([]string{"plot"}, args...)...)
		assert.Equal(t, 2, code, "%v", args)
		assert.Contains(t, errOut, says, "%v", args)
	}
}
