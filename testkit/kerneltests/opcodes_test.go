package kerneltests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
)

// opcodesIn returns the opcodes in the text of a file's kernels.
func opcodesIn(file *ptx.File) map[isa.Opcode]bool {
	set := map[isa.Opcode]bool{}
	for _, s := range file.Statements {
		if f, ok := s.(*ptx.Function); ok && f.Body != nil {
			for i := range f.Body.Instructions() {
				if o, ok := isa.ParseOpcode(i.Mnemonic.Opcode); ok {
					set[o] = true
				}
			}
		}
	}
	return set
}

// breakpoint has the one opcode that no recorded kernel can have, as it ends the kernel.
const breakpoint = ".version 4.2\n.target sm_35\n.address_size 64\n.entry k { brkpt; ret; }"

// TestEveryOpcodeIsLoweredAndBound: each opcode that a Kepler executes is in a kernel that can be decoded, lowered and bound. An opcode
// without its Kepler operations or the function of its effect fails with its name and line.
func TestEveryOpcodeIsLoweredAndBound(t *testing.T) {
	missing := map[isa.Opcode]bool{}
	for o := isa.OpNone + 1; o < isa.OpcodeCount; o++ {
		if o.Facts().Effect != isa.EffectNone && !o.Facts().MachineCode { // isa/sass tests these
			missing[o] = true
		}
	}
	chip, err := configs.Load("gk210", nil)
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(folder, "*", "*.ptx"))
	require.NoError(t, err)
	for _, name := range append(names, "brkpt.ptx") {
		text := []byte(breakpoint)
		if name != "brkpt.ptx" {
			text, err = os.ReadFile(name)
			require.NoError(t, err)
		}
		file, err := ptx.Parse(name, string(text))
		require.NoError(t, err)
		needed := false
		for o := range opcodesIn(file) {
			needed = needed || missing[o]
		}
		if !needed {
			continue
		}
		program, err := decode.Program([]*ptx.File{file}, decode.Options{})
		require.NoError(t, err)
		for _, kernel := range program.Kernels() {
			machine, err := lower.Program(t.Context(), program, kernel,
				lower.Options{ComputeCapability: 37, PerThread: chip.Registers.PerThread,
					RegistersPerSMX: chip.Registers.PerSMX, ThreadsPerSMX: chip.SMX.Threads,
					RegisterGranularity: chip.Registers.ThreadGranularity,
					Latency:             func(c isa.Class) int { return chip.Pipelines.Operations[c].Latency }})
			require.NoError(t, err, "%s: %s", name, kernel.Name)
			_, err = exec.Bind(machine)
			require.NoError(t, err, "%s: %s", name, kernel.Name)
		}
		for o := range opcodesIn(file) {
			delete(missing, o)
		}
	}
	var left []string
	for o := range missing {
		left = append(left, o.String())
	}
	assert.Empty(t, left, "no kernel in testdata has these opcodes")
}
