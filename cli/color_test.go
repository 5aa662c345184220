package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Colours appear when asked for, and change nothing else.
func TestColor(t *testing.T) {
	withoutSpeed := func(out string) string { return out[:strings.LastIndex(out, "simulated in")] }
	for _, args := range [][]string{
		{"run", "testdata/add-right.yaml"}, {"run", "testdata/add-wrong.yaml"},
		{"run", "--check", "testdata/races.ptx", "--kernel", "reverse", "--grid", "1", "--block", "64", "--arg", "u32[64]:ramp", "--arg",
			"0"},
	} {
		code, plain, plainErr := keplersim(t, args...)
		assert.NotContains(t, plain+plainErr, "\x1b", "what is no terminal gets no colours")
		coloredCode, out, errOut := keplersim(t, append(args, "--color", "always")...)
		assert.Equal(t, code, coloredCode)
		assert.Contains(t, out, "\x1b[")
		assert.Equal(t, withoutSpeed(plain), withoutSpeed(escapes.ReplaceAllString(out, "")))
		assert.Equal(t, plainErr, escapes.ReplaceAllString(errOut, ""))
	}
	_, _, errOut := keplersim(t, "run", "--color", "always", "missing.ptx")
	assert.Contains(t, errOut, "\x1b[1;31mkeplersim:\x1b[0m missing.ptx: there is no such file")
	code, _, errOut := keplersim(t, "lower", "--color", "red", "testdata/add.ptx")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, `--color "red": choose one of auto, always, never`)
	_, out, _ := keplersim(t, "run", "--format", "json", "--color", "always", "testdata/add-right.yaml")
	assert.NotContains(t, out, "\x1b", "what programs read has no colours")
}

// By default a terminal gets colours, unless NO_COLOR is set or the terminal is dumb.
func TestColorOnATerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("needs a terminal: %v", err)
	}
	defer terminal.Close()
	if _, ok := terminalOf(terminal); !ok {
		t.Skip("this system's /dev/ptmx is no terminal")
	}
	file, err := os.Create(t.TempDir() + "/report")
	require.NoError(t, err)
	defer file.Close()
	for _, c := range []struct {
		noColor, term, when string
		terminal, file      bool
	}{
		{"", "xterm", "auto", true, false}, {"1", "xterm", "auto", false, false}, {"", "dumb", "auto", false, false},
		{"1", "xterm", "always", true, true}, {"", "xterm", "never", false, false},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		root := newRootCommand()
		require.NoError(t, root.PersistentFlags().Set("color", c.when))
		assert.Equal(t, c.terminal, colored(root, &output{out: terminal}), "%+v", c)
		assert.Equal(t, c.file, colored(root, &reportFile{out: file}), "%+v", c)
	}
}
