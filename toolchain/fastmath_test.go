package toolchain

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// body compiles a kernel that stores one expression of its parameters a and b. It returns the opcodes, except those that read parameters,
// move or store.
func body(t *testing.T, expression string, options Options) string {
	t.Helper()
	ptx := compile(t, `extern "C" __global__ void k(float *o, float a, float b) { `+expression+` }`, options)
	var names []string
	for _, line := range strings.Split(ptx[strings.Index(ptx, ".entry"):], "\n") {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ = strings.Cut(name, "\t")
		if regexp.MustCompile(`^[a-z]`).MatchString(name) && !regexp.MustCompile(`^(ld\.param|cvta|mov|ret)`).MatchString(name) {
			names = append(names, strings.TrimSuffix(name, ";"))
		}
	}
	return strings.Join(names, " ")
}

// --use-fast-math is nvcc's -use_fast_math. It changes the functions and the division in the table "Functions Affected by -use_fast_math"
// of the CUDA C Programming Guide. It implies the options that nvcc's manual lists (-ftz=true, -prec-div=false, -prec-sqrt=false,
// -fmad=true). The fast functions are those of the Guide's table of intrinsics: __expf is ex2 of a product, and so on.
func TestFastMathIsNvccs(t *testing.T) {
	NeedClang(t)
	for _, c := range sample([]struct{ expression, want string }{
		{"*o = a / b;", "div.approx.ftz.f32 st.global.f32"},
		{"*o = 1.0f / a;", "rcp.approx.ftz.f32 st.global.f32"},
		{"*o = sqrtf(a);", "sqrt.approx.ftz.f32 st.global.f32"},
		{"*o = sqrt(a);", "sqrt.approx.ftz.f32 st.global.f32"},
		{"*o = rsqrtf(a);", "rsqrt.approx.ftz.f32 st.global.f32"},
		{"*o = expf(a);", "mul.ftz.f32 ex2.approx.ftz.f32 st.global.f32"},
		{"*o = std::exp(a);", "mul.ftz.f32 ex2.approx.ftz.f32 st.global.f32"},
		{"*o = exp10f(a);", "mul.ftz.f32 ex2.approx.ftz.f32 st.global.f32"},
		{"*o = logf(a);", "lg2.approx.ftz.f32 mul.ftz.f32 st.global.f32"},
		{"*o = log(a);", "lg2.approx.ftz.f32 mul.ftz.f32 st.global.f32"},
		{"*o = log2f(a);", "lg2.approx.ftz.f32 st.global.f32"},
		{"*o = log10f(a);", "lg2.approx.ftz.f32 mul.ftz.f32 st.global.f32"},
		{"*o = powf(a, b);", "lg2.approx.ftz.f32 mul.ftz.f32 ex2.approx.ftz.f32 st.global.f32"},
		{"*o = sinf(a);", "sin.approx.ftz.f32 st.global.f32"},
		{"*o = cosf(a);", "cos.approx.ftz.f32 st.global.f32"},
		{"*o = tanf(a);", "sin.approx.ftz.f32 cos.approx.ftz.f32 div.approx.ftz.f32 st.global.f32"},
		{"sincosf(a, o, o + 1);", "sin.approx.ftz.f32 st.global.f32 cos.approx.ftz.f32 st.global.f32"},
		{"float c = a * b; *o = c + a;", "fma.rn.ftz.f32 st.global.f32"},
		{"*o = __fmaf_rn(a, b, a);", "fma.rn.ftz.f32 st.global.f32"},
		{"*o = __fsqrt_rn(a);", "sqrt.rn.ftz.f32 st.global.f32"}, // an explicit rounding stays
		// Nothing is reordered, and NaNs exist.
		{"*o = (a + b) - b;", "add.ftz.f32 sub.ftz.f32 st.global.f32"},
		{"*o = isnan(a);", "setp.nan.ftz.f32 selp.f32 st.global.f32"},
		// Double precision does not change.
		{"*(double *)o = (double)a / (double)b;", "cvt.f64.f32 cvt.f64.f32 div.rn.f64 st.global.f64"},
	}) {
		got := strings.ReplaceAll(body(t, c.expression, Options{FastMath: true}), "cvt.ftz.f64.f32", "cvt.f64.f32")
		assert.Equal(t, c.want, got, c.expression)
	}
	for expression, want := range map[string]string{
		"*o = a / b;": "div.rn.f32", "*o = sqrtf(a);": "sqrt.rn.f32", "*o = expf(a);": "fma.rn.f32", "*o = sinf(a);": "fma.rn.f32",
	} {
		got := body(t, expression, Options{})
		assert.Contains(t, got, want, expression)
		assert.NotContains(t, got, "approx", expression)
		assert.NotContains(t, got, "ftz", expression)
	}
}

// One access copies 16 bytes, as with nvcc, also within a structure. A member of a union needs a macro for that.
func TestVectorsAreCopiedWhole(t *testing.T) {
	NeedClang(t)
	for _, c := range sample([]struct{ types, copies, want string }{
		{"float4", "tile[i] = in[i]; __syncthreads(); out[i] = tile[i ^ 1];",
			"ld.global.v4.f32 st.shared.v4.f32 ld.shared.v4.f32 st.global.v4.f32"},
		{"int4", "out[i] = in[i];", "ld.global.v4.u32 st.global.v4.u32"},
		{"double2", "out[i] = in[i];", "ld.global.v2.f64 st.global.v2.f64"},
		{"double4", "out[i] = in[i];", "ld.global.v2.f64 ld.global.v2.f64 st.global.v2.f64 st.global.v2.f64"},
		{"float4", "out[i] = __ldg(in + i);", "ld.global.nc.v4.f32 st.global.v4.f32"},
		{"pair", "out[i] = in[i];", "ld.global.v4.f32 st.global.v4.f32 ld.global.v4.u32 st.global.v4.u32"},
		{"float2", "out[i] = in[i];", "ld.global.v2.f32 st.global.v2.f32"},
		// A copy of 8 bytes must not become two loads because its elements are used separately.
		{"float2", "float2 v; v = in[i]; for (int j = 0; j < 9; j++) { v.x = v.x * v.y + j; v.y = v.y * v.x - j; } out[i] = v;",
			"ld.global.v2.f32 st.global.v2.f32"},
		{"uchar4", "out[i] = in[i];", "ld.global.u32 st.global.u32"},
	}) {
		ptx := compile(t, strings.NewReplacer("TYPE", c.types, "COPIES", c.copies).Replace(`
struct pair { float4 a; int4 b; };
extern "C" __global__ void k(TYPE *out, const TYPE *in) { __shared__ TYPE tile[64]; int i = threadIdx.x; COPIES }`), Options{})
		assert.Equal(t, c.want, strings.Join(regexp.MustCompile(`(?m)\b(?:ld|st)\.(?:global|shared)[.\w]*`).FindAllString(ptx, -1), " "),
			"%s: %s", c.types, c.copies)
	}
	union := `union u { float4 v; float f[4]; }; extern "C" __global__ void k(u *o) { u a = o[0]; o[1] = a; }`
	assert.Contains(t, compile(t, union, Options{}), "st.global")
	const asks = `template <typename T> struct holder { static_assert(__is_trivially_copyable(T), "T is trivial"); T value; };
extern "C" __global__ void k(holder<float4> *o) { o[1] = o[0]; }`
	assert.Contains(t, compile(t, asks, Options{}), "st.global")
}
