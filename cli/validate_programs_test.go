package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/validation/programs"
)

// Errors are in the file as soon as their row has run, together with those of earlier runs.
func TestErrorsAreKeptRowByRow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "errors.csv")
	names := func() (list []string) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		rows, err := report.ReadErrors(bytes.NewReader(text))
		require.NoError(t, err)
		for _, r := range rows {
			list = append(list, r.Name)
		}
		return list
	}
	result := func(name string, status programs.Status) *programs.Result {
		row := &programs.Row{Name: name, Part: 1, Program: &programs.Program{Name: "p"}, Kernel: &programs.Kernel{}}
		row.Measured.Microseconds = 100
		return &programs.Result{Row: row, Status: status, Launch: &stats.Launch{TimeUS: 110}}
	}
	o := programOptions{keep: file}
	require.NoError(t, o.keepRow(result("b", programs.Ran)))
	assert.Equal(t, []string{"b"}, names())
	require.NoError(t, o.keepRow(result("c", programs.Failed)))
	require.NoError(t, o.keepRow(result("a", programs.Ran)))
	assert.Equal(t, []string{"a", "b"}, names())
	require.NoError(t, os.WriteFile(file, []byte("not errors\n"), 0o600))
	_, err := keptErrors.rows(file)
	assert.ErrorContains(t, err, "--keep-errors")
}
