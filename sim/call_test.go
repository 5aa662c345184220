package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// jacobi is a kernel as nvcc writes it: jacobiNaive(float*, int, float) stores n times the factor.
const jacobi = `.version 4.2
.target sm_35
.address_size 64
.visible .entry _Z11jacobiNaivePfif(.param .u64 x, .param .u32 n, .param .f32 factor) {
	.reg .b64 %a<3>; .reg .b32 %r<2>; .reg .f32 %f<4>;
	ld.param.u64 %a1, [x]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [factor];
	cvta.to.global.u64 %a2, %a1; cvt.rn.f32.s32 %f2, %r1; mul.f32 %f3, %f1, %f2;
	st.global.f32 [%a2], %f3; ret;
}
.visible .entry structs(.param .u64 x, .param .align 8 .b8 s[24]) {
	.reg .b64 %a<3>; .reg .b32 %r<2>; .reg .f64 %d<2>;
	ld.param.u64 %a1, [x]; ld.param.f64 %d1, [s+8]; ld.param.u32 %r1, [s+16];
	cvta.to.global.u64 %a2, %a1; st.global.f64 [%a2], %d1; st.global.u32 [%a2+8], %r1; ret;
}
`

func loaded(t *testing.T) *sim.GPU {
	t.Helper()
	config, err := configs.Load("gk110", []string{"smx.count=1"})
	require.NoError(t, err)
	gpu, err := sim.New(config, sim.Options{Functional: true})
	require.NoError(t, err)
	_, err = gpu.Load("jacobi.ptx", []byte(jacobi))
	require.NoError(t, err)
	return gpu
}

func TestCallConvertsArguments(t *testing.T) {
	gpu := loaded(t)
	x, err := gpu.Upload("x", []float32{0})
	require.NoError(t, err)
	one := [3]int{1}
	for _, test := range []struct {
		n, factor any
		want      float32
	}{{10, 0.5, 5}, {int64(-4), float32(0.25), -1}, {uint8(200), 2, 400}, {true, 3, 3}} {
		_, err := gpu.Call("jacobiNaive", one, one, x, test.n, test.factor)
		require.NoError(t, err)
		var got float32
		require.NoError(t, gpu.Download(x, &got))
		assert.Equal(t, test.want, got)
	}
}

// A struct has C's layout: the double after a byte is at 8, and the int after that at 16.
func TestCallTakesStructs(t *testing.T) {
	gpu := loaded(t)
	x, err := gpu.Allocate("x", 16)
	require.NoError(t, err)
	type pair struct {
		tag   bool
		ratio float64
		count int32
	}
	_, err = gpu.Call("structs", [3]int{1}, [3]int{1}, x, pair{true, 1.5, -7})
	require.NoError(t, err)
	var got struct {
		Ratio float64
		Count int32
	}
	require.NoError(t, gpu.Download(x, &got))
	assert.Equal(t, 1.5, got.Ratio)
	assert.EqualValues(t, -7, got.Count)
}

func TestCallSaysWhatIsWrong(t *testing.T) {
	gpu := loaded(t)
	one := [3]int{1}
	for want, call := range map[string]struct {
		kernel    string
		arguments []any
	}{
		`no kernel "jacobi"; its kernels are jacobiNaive, structs`:                          {"jacobi", nil},
		"takes 3 arguments (.u64 x, .u32 n, .f32 factor), but 2 are given":                  {"jacobiNaive", []any{0, 1}},
		"argument 1 (.u32 n): 0.5 is not an integer":                                        {"jacobiNaive", []any{0, 0.5, 1}},
		"argument 1 (.u32 n): 4294967296 does not fit 32 bits":                              {"jacobiNaive", []any{0, 1 << 32, 1}},
		"argument 0 (.u64 x): a []float32 is not a number, struct or []byte; Upload copies": {"jacobiNaive", []any{[]float32{1}, 1, 1}},
		"the parameter has 24 bytes, but a struct { a int32 } takes 4":                      {"structs", []any{0, struct{ a int32 }{1}}},
		"a member of type string has no fixed size":                                         {"structs", []any{0, struct{ a string }{"x"}}},
	} {
		_, err := gpu.Call(call.kernel, one, one, call.arguments...)
		assert.ErrorContains(t, err, want)
	}
	assert.ErrorContains(t, gpu.Download(0, []string{"x"}), "no fixed size")
	_, err := gpu.Load("again.ptx", []byte(jacobi))
	require.NoError(t, err)
	_, err = gpu.Call("jacobiNaive", one, one, 0, 1, 2)
	assert.ErrorContains(t, err, "is in jacobi.ptx and in again.ptx")
}
