package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// pipe runs a command line with a text on standard input.
func pipe(text string, args ...string) (code int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	code = executeWith(context.Background(), args, strings.NewReader(text), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// A file called - is standard input. Its text determines its kind, and messages call it <stdin>.
func TestFilesArePiped(t *testing.T) {
	t.Chdir("testdata")
	kernel, err := os.ReadFile("add.ptx")
	require.NoError(t, err)
	wrong, err := os.ReadFile("add-wrong.yaml")
	require.NoError(t, err)
	endless, err := os.ReadFile("endless.ptx")
	require.NoError(t, err)

	code, out, errOut := pipe(string(kernel), append([]string{"run", "-", "--grid", "2", "--block", "32"}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "2 blocks of 32 threads")
	code, out, _ = pipe(string(wrong), append([]string{"run", "-"}, small...)...)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "z[2] = 2.0, expected 2.5")
	code, _, errOut = pipe(string(endless), append([]string{"run", "-", "--max-cycles", "1000"}, small...)...)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "at <stdin>.ptx:1")
	for _, command := range []string{"inspect -", "lower -", "occupancy -"} {
		code, out, errOut = pipe(string(kernel), strings.Fields(command)...)
		assert.Equal(t, exitRan, code, "%s: %s", command, errOut)
		assert.Contains(t, out, "add", command)
	}
	for _, test := range []struct{ text, args, want string }{
		{"", "run -", "standard input is empty"},
		{"hello", "run -", "standard input is neither PTX"},
		{string(wrong), "lower -", "<stdin>.yaml is a workload file; name the .ptx or .cu file that it runs"},
		{"buffers: {}\nsteps: 5\n", "run -", "<stdin>.yaml:2:8"},
		{string(kernel), "run - --link -", "one file alone can be -"},
		{string(kernel), "run - --grid 1 --save-workload x.yaml", "--save-workload: the workload file would have to name"},
	} {
		code, _, errOut := pipe(test.text, strings.Fields(test.args)...)
		assert.Equal(t, exitBadInput, code, test.args)
		assert.Contains(t, errOut, test.want)
	}
	need.Clang(t)
	code, out, errOut = pipe("__global__ void twice(float *x) {\n  x[threadIdx.x] *= 2;\n}\n", append([]string{"run", "-"}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "twice(float*) on gk110")
	assert.Contains(t, out, "<stdin>:2")
	code, _, errOut = pipe("__global__ void twice(float *x) { y = 1; }", "run", "-")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "<stdin>:1:35: error: use of undeclared identifier 'y'")
}
