package cli

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report/numerics"
	"github.com/keplersim/keplersim/testkit/need"
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
		{[]string{"fp", "log", "--", "-1"}, exitBadInput, "log(-1) is not a number"},
		{[]string{"fp", "exp", "90"}, exitRan, "inf"},
		{[]string{"fp", "sin", "0.1"}, exitRan, "0.1 is no float: the functions of floats are of 0.10000000149,"},
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

// The functions are as exact as in tables 7 and 8 of the CUDA C Programming Guide. Those of floats are within 2 ulp (sinf, cosf, expf) or 1
// ulp (logf), those of doubles within 2. The fast ones are not, for large arguments. The row GPU was __cosf.
func TestFPFunctionsTellTheFastOnesApart(t *testing.T) {
	for _, c := range []struct {
		line string
		fast float64 // the fast function's error is larger than this many ulp
	}{{"cos", 1e6}, {"sin 5992555", 1e3}, {"exp 50", 3}, {"log 1.001", 100}} {
		code, out, errOut := keplersim(t, append([]string{"fp"}, strings.Fields(c.line)...)...)
		require.Equal(t, exitRan, code, errOut)
		name, _, _ := strings.Cut(c.line, " ")
		off := map[string]float64{}
		for line := range strings.Lines(out) {
			if m := regexp.MustCompile(`^GPU (\S+) +\S+ +0x[0-9A-F]+ +(\S+) `).FindStringSubmatch(line); m != nil {
				v, err := strconv.ParseFloat(m[2], 64)
				require.NoError(t, err)
				off[m[1]] = math.Abs(v)
			}
		}
		require.Len(t, off, 3, out)
		assert.LessOrEqual(t, off[name], 2.0, out)
		assert.LessOrEqual(t, off[name+"f"], 2.0, out)
		assert.Greater(t, off["__"+name+"f"], c.fast, out)
	}
}

// The kernels are what their source compiles to with today's headers.
func TestFPFunctionsAreThoseOfTheHeaders(t *testing.T) {
	need.Clang(t)
	folder := t.TempDir()
	code, _, errOut := keplersim(t, "nvcc", "--ptx", "-o", filepath.Join(folder, "now.ptx"), "fpfunctions/functions.cu")
	require.Equal(t, exitRan, code, errOut)
	now, err := os.ReadFile(filepath.Join(folder, "now.ptx"))
	require.NoError(t, err)
	for _, f := range numerics.ElementaryFunctions {
		for _, x := range []float64{0.1, 2.5, 77.7} {
			want, err := functionOnGPU(now, f.Name, x)
			require.NoError(t, err)
			got, err := functionOnGPU(functionsPTX, f.Name, x)
			require.NoError(t, err)
			assert.Equal(t, want, got, "%s(%v): make cli/fpfunctions/functions.ptx anew by keplersim nvcc --ptx", f.Name, x)
		}
	}
}
