package ptx

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/mutate"
)

// FuzzParse checks that any text parses or is refused without a panic, that positions are within the text, and that Print's output for an
// error-free tree parses to an equal tree.
func FuzzParse(f *testing.F) {
	for _, name := range []string{
		"testdata/legacy.ptx", "testdata/declarations.ptx", "testdata/operands.ptx", "testdata/call_example.ptx",
		"testdata/clang/sm35.ptx",
	} {
		source, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(source))
		for seed := range uint64(100) {
			f.Add(mutate.Text(seed, string(source)))
		}
		for _, line := range bytes.Split(source, []byte("\n")) {
			f.Add(".func f {\n" + string(line) + "\n}")
			f.Add(string(line))
		}
	}
	executions.Fuzz(f, func(t *testing.T, text string) {
		file, err := Parse("fuzz.ptx", text)
		require.NotNil(t, file)
		if err != nil {
			list := err.(ErrorList)
			require.LessOrEqual(t, len(list), MaximumErrors)
			for _, d := range list {
				require.LessOrEqual(t, int(d.Pos.Offset), len(text))
				require.Positive(t, d.Pos.Line)
				require.Positive(t, d.Pos.Column)
				_ = d.Error()
			}
			require.NoError(t, Print(&bytes.Buffer{}, file))
			return
		}
		again, err := Parse("printed.ptx", printed(t, file))
		require.NoError(t, err, "printed:\n%s", printed(t, file))
		require.Empty(t, Difference(file, again), "printed:\n%s", printed(t, file))
	})
}
