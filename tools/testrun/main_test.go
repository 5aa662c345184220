package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The output of a run with real tests: package lines as go test prints them, failures in full, and the count of skipped tests.
func TestRunOfTests(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"good/good_test.go": `package good
import "testing"
func TestGood(t *testing.T) { t.Log("unheard") }
func TestSkipped(t *testing.T) { t.Skip("of its own accord") }
func TestA(t *testing.T) { t.Skip("left out, needs clang: install clang") }
func TestB(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Skip("left out, needs clang: install clang") }) }
func TestC(t *testing.T) { t.Skip("left out, needs abacus: buy one") }
`,
		"bad/bad_test.go": `package bad
import "testing"
func TestBad(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Error("seven is not eight") }) }
func TestFine(t *testing.T) {}
`,
		"dead/dead_test.go":     "package dead\nimport \"testing\"\nfunc TestDead(t *testing.T) { panic(\"dropped\") }\n",
		"broken/broken_test.go": "package broken\nfunc f() { g() }\n",
	} {
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for _, c := range []struct {
		all  bool
		pkg  string
		code int
		want []string // parts of the output, in order
	}{
		{false, "./good", 0, []string{"ok  \tm/good", "clang is missing: install clang\n", "abacus is missing: buy one\n",
			"3 tests left out: clang (2), abacus (1)\n"}},
		{true, "./good", 1, []string{"ok  \tm/good", "3 tests left out: clang (2), abacus (1)\n", "FAIL: every test was asked for"}},
		{false, "./bad", 1, []string{"seven is not eight", "--- FAIL: TestBad/sub", "FAIL\tm/bad", "failed: m/bad TestBad/sub\n",
			"no test left out\n"}},
		{false, "./dead", 1, []string{"panic: dropped", "FAIL\tm/dead", "failed: m/dead TestDead\n"}},
		{false, "./broken", 1, []string{"undefined: g", "FAIL\tm/broken [build failed]"}},
	} {
		command := exec.Command("go", "test", "-json", "-vet=off", c.pkg)
		command.Dir = folder
		var out strings.Builder
		assert.Equal(t, c.code, run(command, &out, c.all), c.pkg)
		rest := out.String()
		assert.NotContains(t, rest, "unheard")
		for _, part := range c.want {
			_, behind, found := strings.Cut(rest, part)
			assert.True(t, found, "%s: no %q in its place in\n%s", c.pkg, part, out.String())
			rest = behind
		}
	}
}
