package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFPCommands(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.bin"), filepath.Join(dir, "b.bin")
	require.NoError(t, os.WriteFile(a, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, 0o600))
	require.NoError(t, os.WriteFile(b, []byte{1, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "odd.bin"), []byte{1, 2, 3}, 0o600))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"fp", "eval", "fma.rm.f32 0x3F800001 0x3F800001 0xBF800002"}, exitRan, "0x28800000"},
		{[]string{"fp", "eval", "add.rn.f32", "1", "2"}, exitRan, "0x40400000"},
		{[]string{"fp", "eval", "add.rn.f32 1"}, exitBadInput, "takes 2 operands"},
		{[]string{"fp", "dot"}, exitRan, "0x3D653501"},
		{[]string{"fp", "dot", "--a", "1,2", "--b", "1"}, exitBadInput, "2 and 1 elements"},
		{[]string{"fp", "dot", "--type", "f64"}, exitBadInput, "give --a and --b"},
		{[]string{"fp", "assoc"}, exitRan, "1.01100000000000000000001011"},
		{[]string{"fp", "assoc", "1", "2"}, exitBadInput, "give 3 values or none"},
		{[]string{"fp", "cos"}, exitRan, "3.320904692e-07"},
		{[]string{"fp", "compare", a, b}, exitRan, "1 ulp"},
		{[]string{"fp", "compare", a, b, "--within", "0", "--plot", filepath.Join(dir, "h.svg")}, exitFailed, "farther apart than 0 ulp"},
		{[]string{"fp", "compare", a, "1.0,2.0", "--within", "0"}, exitRan, "100 %"},
		{[]string{"fp", "compare", a, filepath.Join(dir, "none")}, exitBadInput, "neither a file"},
		{[]string{"fp", "compare", a, filepath.Join(dir, "odd.bin")}, exitBadInput, "no whole number of f32 values"},
		{[]string{"fp", "sum", "--threads", "4,128"}, exitRan, "128 serial sums"},
		{[]string{"fp", "sum", "--machine", "vax"}, exitBadInput, "there are cc2.0"},
		{[]string{"fp", "sum", "--machine", "cc1.2", "--type", "f64"}, exitBadInput, "no f64"},
	} {
		var out, errOut bytes.Buffer
		assert.Equal(t, c.code, execute(context.Background(), c.args, &out, &errOut), "%v: %s", c.args, errOut.String())
		assert.Contains(t, out.String()+errOut.String(), c.want, c.args)
	}
}
