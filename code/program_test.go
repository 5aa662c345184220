package code

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/decode"
)

const header = ".version 4.2\n.target sm_30\n.address_size 64\n"

// Two texts link to one program. Its kernel is found by its C++ name and compiled for a chip.
func TestCodeGoesOneWay(t *testing.T) {
	program, files, err := Link([]Source{
		{Name: "main.ptx", Text: []byte(header + ".extern .func help;\n.visible .entry _Z4workv() { call help; ret; }\n")},
		{Name: "help.ptx", Text: []byte(header + ".visible .func help { ret; }\n")},
	}, decode.Options{ComputeCapability: 30})
	require.NoError(t, err)
	assert.Len(t, files, 2)
	kernel, err := Kernel(program.Kernels(), "main.ptx", "work")
	require.NoError(t, err)
	chip, err := configs.Load("gk104", nil)
	require.NoError(t, err)
	machine, err := Lower(t.Context(), program, kernel, chip, 0)
	require.NoError(t, err)
	assert.NotEmpty(t, machine.Ops)
	assert.LessOrEqual(t, machine.Registers, chip.Registers.PerThread)
}

// Mistakes of every text are reported before anything is linked.
func TestMistakesOfAllTexts(t *testing.T) {
	_, _, err := Link([]Source{{Name: "a.ptx", Text: []byte("nonsense")}, {Name: "b.ptx", Text: []byte("more")}}, decode.Options{})
	assert.ErrorContains(t, err, "a.ptx:1:1")
	assert.ErrorContains(t, err, "b.ptx:1:1")
}

func TestNames(t *testing.T) {
	assert.Equal(t, "k.cu (its PTX)", PTXName("k.cu"))
	assert.Equal(t, "k.ptx", PTXName("k.ptx"))
	assert.True(t, Means("blur<16>", "_Z4blurILi16EEvPf"))
	assert.False(t, Means("blu", "_Z4blurILi16EEvPf"))
}
