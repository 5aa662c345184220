package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a kernel prints goes before the report, or to the file of --printf; an assertion that fails ends the run with exit code 1, and
// what was printed until then is there.
func TestPrintfAndAssert(t *testing.T) {
	code, out, errOut := keplersim(t, append([]string{"run", "--kernel", "chatty", "--grid", "1", "--block", "2", "testdata/system-calls.ptx"}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "thread 0\nthread 1\n")

	file := filepath.Join(t.TempDir(), "printed.txt")
	code, out, errOut = keplersim(t, append([]string{"run", "--kernel", "doubtful", "--grid", "1", "--block", "3", "--printf", file, "testdata/system-calls.ptx"}, small...)...)
	assert.Equal(t, exitFailed, code)
	assert.NotContains(t, out, "thread 0\n")
	assert.Contains(t, errOut, "k.cu:9: f: block: [0,0,0], thread: [2,0,0] Assertion `x` failed.")
	printed, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "thread 0\nthread 1\nthread 2\n", string(printed))
}
