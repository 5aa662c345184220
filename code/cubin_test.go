package code_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/sass"
	"github.com/keplersim/keplersim/isa/sass/hazard"
	"github.com/keplersim/keplersim/isa/sass/translate"
)

// refused are the workloads that have no machine code, and why.
var refused = map[string]string{
	"bfs-nested.ptx": "JCAL", "mariani-silver.ptx": "JCAL", "histogram.ptx": "an atomic operation on shared memory",
	"life.ptx": "vset4", "quicksort.ptx": "cvta.local", "rotate.ptx": "sust",
}

// made is the cubin of a file of PTX for a chip.
func made(t *testing.T, path, name string) ([]byte, error) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	chip, err := configs.Load(name, nil)
	require.NoError(t, err)
	program, _, err := code.Link([]code.Source{{Name: path, Text: text}}, decode.Options{ComputeCapability: chip.ComputeCapability})
	if err != nil {
		return nil, err
	}
	data, machines, err := code.Cubin(t.Context(), program, chip, 0)
	if err == nil {
		m, err := cubin.Parse(data)
		require.NoError(t, err)
		require.Len(t, m.Functions, len(machines))
		for n, f := range m.Functions {
			assert.Equal(t, machines[n].Kernel.Name, f.Name)
			assert.Equal(t, machines[n].Registers, f.Registers)
			assert.Equal(t, machines[n].SharedBytes, f.Shared)
		}
	}
	return data, err
}

// Each workload becomes machine code, or fails with an error that says what is missing. Each word equals the one that its own text
// assembles to. No operation waits less than in nvcc's code.
func TestWorkloadsAsMachineCode(t *testing.T) {
	t.Run("sm_35", func(t *testing.T) { workloadsAsMachineCode(t, "gk110", sass.SM35) })
	t.Run("sm_30", func(t *testing.T) { workloadsAsMachineCode(t, "gk104", sass.SM30) })
}

func workloadsAsMachineCode(t *testing.T, chip string, e *sass.Encoding) {
	paths, err := filepath.Glob("../workloads/*/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	words := 0
	for n, path := range paths {
		if testing.Short() && n%8 != 0 {
			continue
		}
		data, err := made(t, path, chip)
		if e == sass.SM30 && err != nil && strings.Contains(err.Error(), "was introduced with sm_3") {
			continue
		}
		if why := refused[filepath.Base(path)]; why != "" || err != nil {
			if assert.Error(t, err, path) && assert.NotEmpty(t, why, "%s: %v", path, err) {
				assert.Contains(t, err.Error(), why)
			}
			continue
		}
		m, err := cubin.Parse(data)
		require.NoError(t, err)
		p, err := translate.Program(path, []*cubin.Module{m})
		require.NoError(t, err)
		for _, k := range p.Functions {
			require.NoError(t, k.Resolved())
			assert.Empty(t, hazard.Check(hazard.Of(k.Machine), hazard.Nvcc), "%s: %s", path, k.Name)
		}
		for _, f := range m.Functions {
			for at := sass.WordBytes; at < len(f.Code); at += sass.WordBytes {
				if at/sass.WordBytes%(sass.GroupOperations+1) == 0 {
					continue
				}
				word := binary.LittleEndian.Uint64(f.Code[at:])
				i, err := e.Decode(word)
				require.NoError(t, err)
				again, err := e.Encode(i.Text(uint64(at)), uint64(at))
				require.NoError(t, err)
				require.Equal(t, word, again, i.Text(uint64(at)))
				words++
			}
		}
	}
	t.Logf("%d words", words)
}

// A vector addition's addresses are computed as nvcc computes them for sm_35: by ISCADD with the carry, and the upper half of a product.
func TestMachineCodeOfVectorAddition(t *testing.T) {
	data, err := made(t, "../workloads/vectoradd/vectoradd.ptx", "gk110")
	require.NoError(t, err)
	m, err := cubin.Parse(data)
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, sass.SM35.Print(&out, m.Functions[0].Code))
	for _, text := range []string{"MOV R1, c[0x0][0x44];", "S2R R3, SR_CTAID.X;", "IMAD R3, R3, c[0x0][0x28], R2;", "@P0 EXIT;",
		"ISCADD R4.CC, R3, c[0x0][0x148], 0x2;", "IMAD.U32.U32.HI.X R5, R3, R0, c[0x0][0x14c];", ", [R4];", "ST.E [R8], R"} {
		assert.Contains(t, out.String(), text)
	}
}
