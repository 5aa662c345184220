package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A kernel and its recording give the same explanation, as text and as a drawing.
func TestExplain(t *testing.T) {
	folder := t.TempDir()
	kernel := "../report/explain/testdata/pair.ptx"
	file, drawing := filepath.Join(folder, "run.kst"), filepath.Join(folder, "warp.svg")
	code, direct, errOut := keplersim(t, "explain", kernel, "--grid", "1", "--block", "64", "--cycles", "440..480")
	require.Zero(t, code, errOut)
	assert.Contains(t, direct, "paired with 7 FFMA")
	code, _, errOut = keplersim(t, "run", kernel, "--grid", "1", "--block", "64", "--record", file)
	require.Zero(t, code, errOut)
	code, read, errOut := keplersim(t, "explain", file, "--cycles", "440..480")
	require.Zero(t, code, errOut)
	assert.Equal(t, direct, read)
	code, _, errOut = keplersim(t, "explain", file, "--warp", "1", "--svg", drawing)
	require.Zero(t, code, errOut)
	text, err := os.ReadFile(drawing)
	require.NoError(t, err)
	assert.Contains(t, string(text), "<svg")

	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{file, "--cycles", "5"}, "as in 1000..3000"},
		{[]string{file, "--launch", "2"}, "--launch 2"},
		{[]string{file, "--smx", "9"}, "multiprocessor 9"},
		{[]string{file, "--svg", "warp.png"}, "ends in .svg"},
		{[]string{file, "--cycles", "440..480", "--warp", "40"}, "warp 40 was not on multiprocessor 0"},
		{[]string{filepath.Join(folder, "none.kst")}, "none.kst"},
		{[]string{drawing[:len(drawing)-len(filepath.Ext(drawing))] + ".kst"}, "warp.kst"},
	} {
		code, _, errOut := keplersim(t, append([]string{"explain"}, test.args...)...)
		assert.Equal(t, 2, code, "%v", test.args)
		assert.Contains(t, errOut, test.says, "%v", test.args)
	}
}
