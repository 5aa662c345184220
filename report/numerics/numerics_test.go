package numerics

import (
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/fp"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/mutate"
)

// Figures and values in these tests are from "Precision and Performance: Floating Point and IEEE 754 Compliance for NVIDIA GPUs" (NVIDIA
// TB-06711-001).

func TestFigure5(t *testing.T) {
	var out strings.Builder
	require.NoError(t, WriteDot(&out, &fp.Single, FigureA, FigureB))
	for _, want := range []string{
		`exact\s+0\.0559587528435\d+…\s+0x3D653501…`,
		`cc2\.0\s+serial\s+\S+\s+0x3D653510`, `cc2\.0\s+fma\s+\S+\s+0x3D653501`, `cc2\.0\s+parallel\s+\S+\s+0x3D653500`,
		`sse\s+serial\s+\S+\s+0x3D653510`,
	} {
		assert.Regexp(t, want, out.String())
	}
	for i, printed := range []float64{1.907607, -.7862027, 1.147311, .9604002} {
		v, _ := Exact(fp.Single.Unpack(FigureA[i])).Float64()
		assert.InDelta(t, printed, v, 0.5e-6)
	}
}

func TestFigure6(t *testing.T) {
	var out strings.Builder
	gpu := OnGPU{math.Float64bits(math.Cos(5992555)), math.Float32bits(float32(math.Cos(5992555))), math.Float32bits(0.25)}
	require.NoError(t, ElementaryFunctions[0].Write(&out, math.Float64bits(5992555), gpu))
	assert.Regexp(t, `double\s+3\.320904615e-07`, out.String())
	assert.Regexp(t, `x87\s+3\.320904692e-07`, out.String())
	assert.Regexp(t, `GPU __cosf\s+0\.25\s+0x3E800000`, out.String())
}

// The sums of section 2.2, which prints them in binary.
func TestAssociativity(t *testing.T) {
	var out strings.Builder
	require.NoError(t, WriteAssociativity(&out, &fp.Single, FigureTerms))
	for _, want := range []string{
		`A\+B\s+2\^1 × 1\.100000000000000000000011\s`, `rn\(A\+B\)\s+2\^1 × 1\.1000000000000000000001\s`,
		`B\+C\s+2\^3 × 1\.00100000000000000000001001\s`, `rn\(B\+C\)\s+2\^3 × 1\.00100000000000000000001\s`,
		`A\+B\+C\s+2\^3 × 1\.01100000000000000000001011\s`,
		`rn\(rn\(A\+B\)\+C\)\s+2\^3 × 1\.0110000000000000000001\s`, `rn\(A\+rn\(B\+C\)\)\s+2\^3 × 1\.01100000000000000000001\s`,
	} {
		assert.Regexp(t, want, out.String())
	}
}

func TestEvaluation(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"fma.rn.f32 0x3F800001 0x3F800001 0xBF800002", `result\s+0x28800000\s+1\.4210855e-14`}, // Figure 1, the GPU
		{"fma.rn.f32 0x3F800001 0x3F800001 0xBF800002", `sse\s+0x00000000\s+0\s`},               // Figure 1, x86-64
		{"fma.rm.f32 1, 1, -1", `result\s+0x80000000\s+-0\s`},                                   // an exact zero rounded down
		{"div.rn.f32 1 3", `rounded\s+up, by 0\.333333 ulp`},
		{"div.rz.f32 1 3", `rounded\s+down, by 0\.666667 ulp`},
		{"add.rn.f64 1 1", `rounded\s+not at all`},
		{"mul.rn.f32 3e38 2", `rounded\s+overflow to infinity`},
		{"sqrt.rn.f32 -1", `result\s+0x7FFFFFFF\s+nan`},
		{"cvt.rzi.sat.s8.f32 -200.5", `result\s+0x80\s+-128`},
		{"cvt.rn.f16.f32 65520", `result\s+0x7C00\s+inf`},
		{"cvt.rn.f32.s64 -1", `result\s+0xBF800000\s+-1`},
		{"setp.ltu.f64 nan 1", `result\s+true`},
		{"set.eq.f32.f32 1 1", `result\s+0x3F800000`},
		{"set.eq.u32.f64 1 1", `result\s+0xFFFFFFFF`},
		{"slct.u32.f32 7 9 -1", `result\s+0x00000009\s+9`},
		{"testp.subnormal.f32 0x00000001", `result\s+true`},
		{"ex2.approx.f32 0f3F000000", `exact\s+1\.4142135623730950488`},
		{"lg2.approx.f32 10", `exact\s+3\.3219280948873623478`},
		{"sin.approx.f32 0.5", `exact\s+0\.4794255386042030002`},
		{"rcp.approx.ftz.f64 3", `exact\s+0\.3333333333333333333`},
	} {
		in, err := ParseInstruction(c.text)
		require.NoError(t, err, c.text)
		var out strings.Builder
		require.NoError(t, WriteEvaluation(&out, in), c.text)
		assert.Regexp(t, c.want, out.String(), c.text)
	}
}

func TestInstructionErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no instruction"},
		{"add.rn 1 2", "no type"},
		{"add.xx.f32 1 2", "unknown modifier .xx"},
		{"foo.f32 1", "no such floating-point instruction"},
		{"fma.f32 1 2 3", "needs a rounding"},
		{"div.f32 1 3", "or .approx"},
		{"sin.f32 1", "only sin.approx"},
		{"add.rn.f32 1", "takes 2 operands"},
		{"add.rn.f32 1 x", "operand b of add.rn.f32"},
		{"add.rn.f32 1 0x1234567890", "at most 8 hexadecimal digits"},
		{"add.rn.ftz.f64 1 2", ".ftz is for f32"},
		{"cvt.f32 1", "takes 2 types"},
	} {
		_, err := ParseInstruction(c.text)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

// On the x87, a double whose 64-bit result is halfway after the first rounding is rounded twice. 1 + (2^-53 + 2^-64·…) is the textbook
// case.
func TestDoubleRounding(t *testing.T) {
	one, small := math.Float64bits(1), math.Float64bits(0x1p-53+0x1p-66)
	want := map[string]uint64{"sse": math.Float64bits(1 + 0x1p-52), "x87": math.Float64bits(1)}
	for name, result := range want {
		m, err := MachineByName(name)
		require.NoError(t, err)
		f := &fp.Double
		assert.Equal(t, result, m.Store(f, m.Add(f, m.Load(f, one), m.Load(f, small))), name)
	}
}

func TestComputeCapabilities(t *testing.T) {
	f := &fp.Single
	subnormal := uint64(0x00000001)
	for name, flushed := range map[string]bool{"cc1.2": true, "cc1.3": true, "cc2.0": false, "sse": false} {
		m, err := MachineByName(name)
		require.NoError(t, err)
		m, err = m.For(f)
		require.NoError(t, err)
		got := m.Store(f, m.Add(f, m.Load(f, subnormal), fp.Number{}))
		assert.Equal(t, flushed, got == 0, name)
	}
	m, _ := MachineByName("cc1.2")
	_, err := m.For(&fp.Double)
	assert.ErrorContains(t, err, "no f64")
	m, _ = MachineByName("cc1.3")
	m, err = m.For(&fp.Double)
	require.NoError(t, err)
	x, y := math.Float64bits(1+0x1p-52), math.Float64bits(-(1 + 0x1p-51))
	d := &fp.Double
	assert.Equal(t, math.Float64bits(0x1p-104), m.Store(d, m.MulAdd(d, m.Load(d, x), m.Load(d, x), m.Load(d, y))),
		"f64 has a fused multiply-add")
}

// The functions agree with the host's, whose errors are a unit in the last place or two.
func TestElementaryFunctions(t *testing.T) {
	for _, x := range []float64{1e-9, 0.1, 0.7, 1, 2.5, 10, 1000.25, 5992555} {
		for _, c := range []struct {
			name string
			got  *big.Float
			want float64
		}{
			{"sin", Sin(big.NewFloat(x)), math.Sin(x)}, {"cos", Cos(big.NewFloat(x)), math.Cos(x)},
			{"log2", Log2(big.NewFloat(x)), math.Log2(x)},
			{"exp2", Exp2(big.NewFloat(-x / 6e3)), math.Exp2(-x / 6e3)},
		} {
			got, _ := c.got.Float64()
			assert.InEpsilon(t, 1+c.want, 1+got, 1e-14, "%s %g", c.name, x)
		}
	}
	assert.Equal(t, "3.1415926535897932384626433832795028841971693993751", Pi().Text('f', 49))
}

func TestCompare(t *testing.T) {
	a := []uint64{0x3f800000, 0x3f800000, 0x00000000, 0x7fc00000, 0x7fc00000, 0x3f800000, 0x00000001}
	b := []uint64{0x3f800000, 0x3f800003, 0x80000000, 0x7fffffff, 0x3f800000, 0x3f800001, 0x80000001}
	c, err := Compare(&fp.Single, a, b)
	require.NoError(t, err)
	assert.Equal(t, 2, c.Equal)
	assert.Equal(t, 1, c.Zeros)
	assert.Equal(t, 1, c.NaNs)
	assert.EqualValues(t, 3, c.Most)
	assert.Equal(t, 1, c.At)
	assert.Equal(t, []int{3, 1, 1, 1}, c.Bins)
	for _, name := range []string{"h.svg", "h.png"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, c.Plot(path))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Positive(t, info.Size())
	}
	_, err = Compare(&fp.Single, a, b[1:])
	assert.ErrorContains(t, err, "7 elements against 6")
}

// The text has each bin with its bounds, and bars proportional to the bins.
func TestComparisonAsText(t *testing.T) {
	c := &Comparison{Format: &fp.Single, Count: 200, Equal: 100, Zeros: 1, NaNs: 2, Bins: []int{100, 50, 25, 4, 0, 18}, Most: 17, At: 7,
		A: 0x3f800000, B: 0x3f800011}
	var text strings.Builder
	require.NoError(t, c.Write(&text))
	assert.Contains(t, text.String(), "zeros of unlike sign  1  ")
	assert.Contains(t, text.String(), "NaN in one only       2  ")
	assert.Regexp(t, `largest distance +17 ulp +element 7: 1 \(0x3F800000\) against 1\.000002 \(0x3F800011\)`, text.String())
	for _, line := range []string{`0 +100 +█{50}\n`, `1 +50 +█{25}\n`, `2 +25 +█{13}\n`, `3-4 +4 +██\n`, `5-8 +0 *\n`, `9-16 +18 +█{9}\n`} {
		assert.Regexp(t, line, text.String())
	}
	assert.Equal(t, "≤2^40", binLabel(41))
}

// Sums of integers are exact for any shape of reduction; other sums are not.
func TestSums(t *testing.T) {
	m, err := MachineByName("cc2.0")
	require.NoError(t, err)
	var whole []uint64
	for i := range 1000 {
		whole = append(whole, uint64(math.Float32bits(float32(i))))
	}
	var out strings.Builder
	require.NoError(t, WriteSums(&out, m, &fp.Single, whole, []int{3, 4, 128}))
	assert.Equal(t, 4, strings.Count(out.String(), "0x48F3E580"), out.String())
	out.Reset()
	require.NoError(t, WriteSums(&out, m, &fp.Single, Sample(&fp.Single, 10000, 1), []int{4, 128}))
	lines := strings.Split(out.String(), "\n")
	assert.NotEqual(t, strings.Fields(lines[1])[2], strings.Fields(lines[3])[2])
	assert.Error(t, WriteSums(&out, m, &fp.Single, whole, []int{0}))
}

func FuzzParseInstruction(f *testing.F) {
	for _, seed := range []string{"add.rn.f32 1 2", "cvt.rzi.sat.s8.f32 -200.5", "setp.ltu.f64 nan 0x7ff", "slct.u64.f32 1 2 3",
		"fma.rn.f64 0d3ff0000000000000 1e-999999 inf"} {
		f.Add(seed)
		for n := range uint64(20) {
			f.Add(mutate.Text(n, seed))
		}
	}
	executions.Fuzz(f, func(t *testing.T, text string) {
		if in, err := ParseInstruction(text); err == nil {
			in.Result()
		}
	})
}
