package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A kernel's output comes before the report, or goes to the file of --printf. A failed assertion ends the run with exit code 1, and the
// output so far is kept.
func TestPrintfAndAssert(t *testing.T) {
	code, out, errOut := keplersim(
		t, append([]string{"run", "--kernel", "chatty", "--grid", "1", "--block", "2", "testdata/system-calls.ptx"}, small...)...,
	)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "thread 0\nthread 1\n")

	file := filepath.Join(t.TempDir(), "printed.txt")
	code, out, errOut = keplersim(
		t,
		append([]string{"run", "--kernel", "doubtful", "--grid", "1", "--block", "3", "--printf", file, "testdata/system-calls.ptx"},
			small...)...,
	)
	assert.Equal(t, exitFailed, code)
	assert.NotContains(t, out, "thread 0\n")
	assert.Contains(t, errOut, "k.cu:9: f: block: [0,0,0], thread: [2,0,0] Assertion `x` failed.")
	printed, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "thread 0\nthread 1\nthread 2\n", string(printed))
}

// listener receives a kernel's output, and ends the run when it has some.
type listener struct {
	bytes.Buffer
	stop func()
}

func (s *listener) Write(p []byte) (int, error) {
	s.stop()
	return s.Buffer.Write(p)
}

// A kernel's output is passed on while it runs and not kept in memory: this one prints without end.
func TestPrintfIsPassedOnAsItComes(t *testing.T) {
	data, err := os.ReadFile("testdata/system-calls.ptx")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "flood.ptx")
	text := strings.Replace(string(data), "\tcall print;\n\tret;", "AGAIN:\n\tcall print;\n\tbra AGAIN;", 1)
	require.NotEqual(t, string(data), text)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	for _, mode := range []string{"", "--functional"} {
		ctx, stop := context.WithCancel(context.Background())
		out := &listener{stop: stop}
		var errOut bytes.Buffer
		line := append([]string{"run", "--kernel", "chatty", "--grid", "1", "--block", "32", path}, small...)
		assert.Equal(t, exitFailed, execute(ctx, append(line, strings.Fields(mode)...), out, &errOut))
		assert.Contains(t, errOut.String(), "interrupted; the report has what ran until then")
		assert.Contains(t, out.String(), "thread 0\nthread 1\n")
		stop()
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	code, _, errOut := keplersim(
		t, append([]string{"run", "--kernel", "chatty", "--grid", "1", "--block", "32", "--printf", "/dev/full", path}, small...)...,
	)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "no space left on device", "a full disk ends the run")
}
