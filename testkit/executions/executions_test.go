package executions_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
)

// FuzzPlanted fails where TestMistakesAreFoundAndKept asks for it.
func FuzzPlanted(f *testing.F) {
	f.Add("ab", []byte("x"), uint8(3))
	executions.Fuzz(f, func(t *testing.T, text string, data []byte, number uint8) {
		if os.Getenv("KEPLERSIM_PLANTED") == "panic" && strings.HasPrefix(text, "ac") && len(data) > 0 && number == 7 {
			panic("planted")
		}
		if os.Getenv("KEPLERSIM_PLANTED") == "fail" && strings.HasPrefix(text, "ac") && number == 7 {
			t.Fatal("planted")
		}
	})
}

// A failing function is found and its input is kept. Go's own tests then fail with it.
func TestMistakesAreFoundAndKept(t *testing.T) {
	for _, how := range []string{"panic", "fail"} {
		folder := t.TempDir()
		fuzz := func(time string) (string, error) {
			c := exec.Command(os.Args[0], "-test.run", "FuzzPlanted", "-test.v")
			c.Dir, c.Env = folder, append(os.Environ(), "KEPLERSIM_PLANTED="+how, executions.Variable+"="+time)
			said, err := c.CombinedOutput()
			return string(said), err
		}
		said, err := fuzz("")
		require.NoError(t, err, said)
		said, err = fuzz("20s")
		require.Error(t, err, said)
		assert.Contains(t, said, "planted")
		kept, err := filepath.Glob(filepath.Join(folder, "testdata", "fuzz", "FuzzPlanted", "*"))
		require.NoError(t, err)
		require.Len(t, kept, 1, said)
		said, err = fuzz("")
		assert.Error(t, err, said)
	}
	c := exec.Command(os.Args[0], "-test.run", "FuzzPlanted", "-test.v")
	c.Dir, c.Env = t.TempDir(), append(os.Environ(), "KEPLERSIM_PLANTED=", executions.Variable+"=100ms")
	said, err := c.CombinedOutput()
	require.NoError(t, err, string(said))
	assert.Regexp(t, `\d{4,} executions in 0\.1`, string(said))
}
