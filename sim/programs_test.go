package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/check/finding"
)

// GPUs that share programs read a text once and lower its kernels once, except with different options.
func TestProgramsAreShared(t *testing.T) {
	constants := ""
	text := func() []byte {
		return []byte(`.version 6.0
.target sm_35
.address_size 64
.global .u32 count = 5;
.visible .entry add() { .reg .u32 %r; ld.global.u32 %r, [count]; add.u32 %r, %r, 1; st.global.u32 [count], %r; ret; }
` + constants)
	}
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	shared := &Programs{}
	load := func(o Options) *Module {
		o.Functional, o.Programs = true, shared
		gpu, err := New(config, o)
		require.NoError(t, err)
		m, err := gpu.Load("add.ptx", text())
		require.NoError(t, err)
		_, err = gpu.Launch(t.Context(), Launch{Module: m, Kernel: "add", Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}})
		require.NoError(t, err)
		value := make([]byte, 4)
		require.NoError(t, gpu.Read(m.program.Symbols[0].Address, value))
		assert.EqualValues(t, 6, value[0], "each begins with what the text says")
		return m
	}
	first, second := load(Options{}), load(Options{Order: 3})
	assert.Same(t, first.program, second.program)
	assert.Same(t, first.programs["add"], second.programs["add"])
	capped := load(Options{MaxRegisters: 24})
	assert.Same(t, first.program, capped.program)
	assert.NotSame(t, first.programs["add"], capped.programs["add"])
	assert.Same(t, first.program, load(Options{Check: finding.All}).program)
	for _, o := range []Options{{Unoptimised: true}, {NoContraction: true}} {
		assert.NotSame(t, first.program, load(o).program)
	}
	constants = ".const .u32 a = 1;\n.const .u32 b = 2;\n" // which checks want apart
	assert.NotSame(t, load(Options{}).program, load(Options{Check: finding.All}).program)
}

// A device can run one program after another: a module that is unloaded leaves the room of its variables to the next, and nothing else.
func TestUnload(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	gpu, err := New(config, Options{Functional: true})
	require.NoError(t, err)
	var address uint64
	for n := range 3 {
		m, err := gpu.Load("add.ptx", []byte(`.version 6.0
.target sm_35
.address_size 64
.global .u32 count = 5;
.visible .entry add() { .reg .u32 %r; ld.global.u32 %r, [count]; add.u32 %r, %r, 1; st.global.u32 [count], %r; ret; }
`))
		require.NoError(t, err)
		_, err = gpu.Call("add", [3]int{}, [3]int{})
		require.NoError(t, err)
		value := make([]uint32, 1)
		if n > 0 {
			assert.Equal(t, address, m.program.Symbols[0].Address)
		}
		address = m.program.Symbols[0].Address
		require.NoError(t, gpu.Download(address, value))
		assert.EqualValues(t, 6, value[0])
		require.NoError(t, m.Unload())
		require.Error(t, gpu.Download(address, value))
		_, err = gpu.Call("add", [3]int{}, [3]int{})
		require.ErrorContains(t, err, "no module is loaded")
	}
}
