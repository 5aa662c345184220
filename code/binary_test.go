package code

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/sass"
)

// machineCodeOf is a cubin with one kernel of two parameters.
func machineCodeOf(t *testing.T, architecture int, lines ...string) []byte {
	t.Helper()
	code := binary.LittleEndian.AppendUint64(nil, sass.SM35.ControlWord([sass.GroupOperations]sass.Control{sass.Dual, sass.Wait(9)}))
	for n, line := range lines {
		word, err := sass.SM35.Encode(line, uint64(sass.Address(n)))
		require.NoError(t, err)
		code = binary.LittleEndian.AppendUint64(code, word)
	}
	return cubin.Write(&cubin.Module{Architecture: architecture, Functions: []*cubin.Function{{Name: "_Z4workPf", Kernel: true, Code: code,
		Registers: 12, Base: isa.ParameterBase, Bytes: 8, Parameters: []cubin.Parameter{{Offset: 0, Bytes: 8}}}}})
}

// Machine code needs no lowering: its registers, waits and pairs come from the file.
func TestMachineCode(t *testing.T) {
	file := machineCodeOf(t, 35, "MOV R1, c[0x0][0x44]", "MOV R2, c[0x0][0x140]", "EXIT")
	program, _, err := Link([]Source{{Name: "k.cubin", Text: file}}, decode.Options{})
	require.NoError(t, err)
	kernel, err := Kernel(program.Kernels(), "k.cubin", "work")
	require.NoError(t, err)
	chip, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	mp, err := Lower(t.Context(), program, kernel, chip, 0)
	require.NoError(t, err)
	assert.Equal(t, 12, mp.Registers)
	require.Len(t, mp.Ops, 3)
	assert.True(t, mp.Ops[0].PairWithNext)
	assert.Equal(t, uint8(9), mp.Ops[1].Wait)
	assert.Equal(t, isa.ControlExit, mp.Ops[2].Control)
	mp.Ops[0].PairWithNext = false
	again, err := Lower(t.Context(), program, kernel, chip, 0)
	require.NoError(t, err)
	assert.True(t, again.Ops[0].PairWithNext, "what one user changes another does not see")

	older, err := configs.Load("gk104", nil)
	require.NoError(t, err)
	_, err = Lower(t.Context(), program, kernel, older, 0)
	require.ErrorContains(t, err, "the chip is sm_30")
}

func TestMachineCodeThatIsNotKnown(t *testing.T) {
	_, _, err := Link([]Source{{Name: "k.cubin", Text: machineCodeOf(t, 52, "EXIT")}}, decode.Options{})
	require.ErrorContains(t, err, "k.cubin has machine code for sm_[52]")
	_, _, err = Link([]Source{{Name: "k.cubin", Text: []byte("\x7fELF, but no more")}}, decode.Options{})
	require.ErrorContains(t, err, "k.cubin: no readable ELF file")
	_, _, err = Link([]Source{{Name: "k.cubin", Text: machineCodeOf(t, 35, "EXIT")}, {Name: "more.ptx"}}, decode.Options{})
	require.ErrorContains(t, err, "not linked to other files")
}
