package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// load makes a module from PTX without its header.
func load(t *testing.T, text string) *sim.Module {
	t.Helper()
	config, err := configs.Load(DefaultConfig, nil)
	require.NoError(t, err)
	gpu, err := sim.New(config, sim.Options{})
	require.NoError(t, err)
	m, err := gpu.Load("k.ptx", []byte(".version 4.2\n.target sm_35\n.address_size 64\n"+text))
	require.NoError(t, err)
	return m
}

func TestChooseKernel(t *testing.T) {
	m := load(t, `
.visible .entry _Z5scalePffi() { ret; }
.visible .entry _Z5scalePdi() { ret; }
.visible .entry _Z3sumPf() { ret; }
.visible .entry _Z6matmulILi16EfEvPKT0_S2_PS0_i() { ret; }
.visible .entry _Z6matmulILi32EdEvPKT0_S2_PS0_i() { ret; }
.visible .entry _Z4fillIfEvPT_S0_() { ret; }
.visible .entry _ZN5image4blurEPf() { ret; }
.visible .entry plain() { ret; }`)
	for name, want := range map[string]string{
		"_Z5scalePdi": "_Z5scalePdi", "scale(float*, float, int)": "_Z5scalePffi", "sum": "_Z3sumPf", "plain": "plain",
		"matmul<16, float>": "_Z6matmulILi16EfEvPKT0_S2_PS0_i", "matmul<32,double>": "_Z6matmulILi32EdEvPKT0_S2_PS0_i",
		"fill": "_Z4fillIfEvPT_S0_", "void fill<float>(float*, float)": "_Z4fillIfEvPT_S0_", "image::blur": "_ZN5image4blurEPf",
		"blur": "_ZN5image4blurEPf",
	} {
		k, err := code.Kernel(m.Kernels(), "k.ptx", name)
		require.NoError(t, err, name)
		assert.Equal(t, want, k.Name)
	}
	for name, part := range map[string]string{
		"scale": `2 kernels called "scale"; say which: scale(float*, float, int) (_Z5scalePffi), scale(double*, int) (_Z5scalePdi)`,
		"": "8 kernels; say which with --kernel: scale(float*, float, int), scale(double*, int), sum, matmul<16, float>, " +
			"matmul<32, double>, fill, blur, plain",
		"sun":    `no kernel "sun"; did you mean sum?; its kernels are`,
		"matmul": `2 kernels called "matmul"; say which: matmul<16, float> (_Z6matmulILi16EfEvPKT0_S2_PS0_i), matmul<32, double>`,
	} {
		_, err := code.Kernel(m.Kernels(), "k.ptx", name)
		assert.ErrorContains(t, err, part, name)
	}
	_, err := code.Kernel(load(t, "").Kernels(), "k.ptx", "")
	assert.ErrorContains(t, err, "no .entry")
	k, err := code.Kernel(load(t, ".visible .entry only() { ret; }").Kernels(), "k.ptx", "")
	require.NoError(t, err)
	assert.Equal(t, "only", k.Name)
}

// A kernel's use of a pointer shows the type of its elements.
func TestParametersShowElements(t *testing.T) {
	m := load(t, `
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .align 4 .b8 pair[8])
{
	.reg .u64 %rd<4>;
	.reg .f64 %fd<2>;
	.reg .u16 %rs<2>;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	ld.global.f64 %fd1, [%rd1+8];
	cvt.rzi.u16.f64 %rs1, %fd1;
	st.global.u16 [%rd2], %rs1;
	ret;
}`)
	p := Parameters(m.Kernels()[0])
	require.Len(t, p, 4)
	assert.Equal(t, [4]bool{true, true, false, false}, [4]bool{p[0].IsPointer, p[1].IsPointer, p[2].IsPointer, p[3].IsPointer})
	assert.Equal(t, []any{"f64", 8, "u16", 2}, []any{p[0].PointeeType, p[0].PointeeSize, p[1].PointeeType, p[1].PointeeSize})
	assert.Equal(t, []any{"u32", 4, 4}, []any{p[2].Type, p[2].Size, p[2].Align})
	assert.Equal(t, 8, p[3].Size)
}
