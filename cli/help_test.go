package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/study"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/need"
)

// Help takes at most 100 columns for every command, and loses no word by being wrapped.
func TestHelpFits(t *testing.T) {
	seen := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		seen++
		path := strings.Fields(c.CommandPath())[1:]
		code, out, errOut := keplersim(t, append(path, "--help")...)
		require.Equal(t, exitRan, code, errOut)
		for line := range strings.Lines(out) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), helpWidth, "%s: %s", c.CommandPath(), line)
		}
		for _, text := range []string{c.Long, c.Example, c.Short} {
			if c.Long != "" && text == c.Short {
				continue
			}
			said, wanted := spaced(out), spaced(text)
			assert.Contains(t, said, wanted, c.CommandPath())
		}
		assert.NotContains(t, out, "(default )", c.CommandPath())
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(newRootCommand())
	assert.Greater(t, seen, 15)
	_, help, _ := keplersim(t, "help", "run")
	_, flag, _ := keplersim(t, "run", "--help")
	assert.Equal(t, flag, help)
}

// spaced returns a text without its line ends.
func spaced(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, " \\\n", " ")), " ")
}

func TestFit(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"what fits stays", "a b\nc\n\n  d   e\n", "a b\nc\n\n  d   e\n"},
		{"a paragraph is filled anew", "\naaa bbb ccc ddd eee fff\nggg hhh\n\niii\n", "\naaa bbb ccc ddd eee\nfff ggg hhh\n\niii\n"},
		{"a table's text stays in its column", "  name   one two three four\n  x      y\n",
			"  name   one two\n         three four\n  x      y\n"},
		{"with the lines that go on with it", "  name   one two three\n         four five\n  x      y\n",
			"  name   one two\n         three four\n         five\n  x      y\n"},
		{"a word too long stays whole", "  aaaaaaaaaaaaaaaaaaaaaaaaa b\n", "  aaaaaaaaaaaaaaaaaaaaaaaaa\n  b\n"},
		{"a command goes on behind a backslash", "  keplersim run --a b --c d\n  keplersim x\n",
			"  keplersim run \\\n      --a b --c d\n  keplersim x\n"},
		{"what is quoted stays together", "  keplersim run 'a b c d' e\n", "  keplersim run \\\n      'a b c d' e\n"},
		{"letters beyond ASCII count once", "äöüäöüäöü äöüäöüäöü\n", "äöüäöüäöü äöüäöüäöü\n"},
	} {
		assert.Equal(t, c.want, fit(c.text, 20), c.name)
	}
}

func FuzzFit(f *testing.F) {
	f.Add("  keplersim run --a 'b c' d\n\n  x   y\nz", uint8(20))
	executions.Fuzz(f, func(t *testing.T, text string, width uint8) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, '\\') {
			return
		}
		assert.Equal(t, spaced(text), spaced(fit(text, int(width))), "no word is lost")
	})
}

func TestVersion(t *testing.T) {
	code, out, errOut := keplersim(t, "version")
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `^keplersim \d+\.\d+\.\d+, commit (unknown|[0-9a-f]{12} of \d{4}-\d\d-\d\d)( with changes)?, report schema `+
		`\d+, go1\.\d+\S* \w+/\w+\n$`, out)
	_, flag, _ := keplersim(t, "--version")
	assert.Equal(t, strings.TrimPrefix(out, "keplersim "), strings.TrimPrefix(flag, "keplersim version "))
	code, _, _ = keplersim(t, "version", "more")
	assert.Equal(t, exitBadInput, code)
}

// make install puts a keplersim into PREFIX/bin that says what it was built from.
func TestMakeInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	need.Program(t, "make")
	need.Program(t, "install")
	folder := t.TempDir()
	install := exec.Command("make", "-C", "..", "install", "PREFIX="+folder, "BIN="+filepath.Join(folder, "built"))
	install.Env = append(os.Environ(), "MAKEFLAGS=")
	text, err := install.CombinedOutput()
	require.NoError(t, err, string(text))
	out, err := exec.Command(filepath.Join(folder, "bin", "keplersim"), "version").Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "keplersim "+version.Number+", commit ")
}

// TestEachHelpTextHasItsCommand: no text is left over from a command that is gone.
func TestEachHelpTextHasItsCommand(t *testing.T) {
	left := map[string]bool{}
	files, err := helpTexts.ReadDir("help")
	require.NoError(t, err)
	for _, f := range files {
		left["help/"+f.Name()] = true
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		delete(left, helpFile(c))
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(newRootCommand())
	assert.Empty(t, left)
}

// The study in the help of sweep is valid: its keys are a chip's, and its axes have values.
func TestStudyOfTheHelpLoads(t *testing.T) {
	sweep, _, err := newRootCommand().Find([]string{"sweep"})
	require.NoError(t, err)
	_, block, found := strings.Cut(sweep.Long, "(docs/research.md has every key):\n")
	require.True(t, found)
	block, _, _ = strings.Cut(block, "\n\n")
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.ptx"), nil, 0o600))
	text := strings.ReplaceAll(block, "../workloads/*/*.yaml", "k.ptx")
	file := filepath.Join(folder, "study.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(text, "\n  ", "\n")[2:]), 0o600))
	s, err := study.Load(file)
	require.NoError(t, err)
	points, err := s.Points()
	require.NoError(t, err)
	assert.Len(t, points, 2*2*4+2*4, "on k40 two block sizes, on gk104 the smaller one")
	for _, p := range points {
		var set []string
		for i, axis := range s.Axes {
			if strings.Contains(axis.Name, ".") {
				set = append(set, axis.Name+"="+p.Values[i])
			}
		}
		_, err := configs.Load(p.Board, set)
		assert.NoError(t, err)
	}
}
