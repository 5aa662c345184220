package cli

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/sass"
)

// saxpy is y = 2x + y in machine code, a thread an element.
const saxpy = `MOV R1, c[0x0][0x44]
S2R R0, SR_CTAID.X
S2R R2, SR_TID.X
IMAD R0, R0, c[0x0][0x28], R2
ISETP.GE.AND P0, PT, R0, c[0x0][0x150], PT
@P0 EXIT
MOV32I R3, 0x4
ISCADD R4.CC, R0, c[0x0][0x140], 0x2
IMAD.HI.X R5, R0, R3, c[0x0][0x144]
ISCADD R6.CC, R0, c[0x0][0x148], 0x2
IMAD.HI.X R7, R0, R3, c[0x0][0x14c]
LD.E R8, [R4]
LD.E R9, [R6]
FFMA R9, R8, 2, R9
ST.E [R6], R9
EXIT`

// cubinOf writes a kernel of machine code to a file. Each operation waits 13 cycles, and the one that short names a cycle less than 9.
func cubinOf(t *testing.T, text, short string) string {
	t.Helper()
	var code []byte
	for n, line := range strings.Split(text, "\n") {
		if n%sass.GroupOperations == 0 {
			var waits [sass.GroupOperations]sass.Control
			for k := range waits {
				waits[k] = sass.Wait(13)
				if lines := strings.Split(text, "\n"); n+k < len(lines) && lines[n+k] == short {
					waits[k] = sass.Wait(8)
				}
			}
			code = binary.LittleEndian.AppendUint64(code, sass.SM35.ControlWord(waits))
		}
		word, err := sass.SM35.Encode(line, uint64(sass.Address(n)))
		require.NoError(t, err)
		code = binary.LittleEndian.AppendUint64(code, word)
	}
	path := filepath.Join(t.TempDir(), "saxpy.cubin")
	require.NoError(t, os.WriteFile(path, cubin.Write(&cubin.Module{Architecture: 35, Functions: []*cubin.Function{{Name: "saxpy",
		Kernel: true,
		Code:   code, Registers: 10, Base: isa.ParameterBase, Bytes: 20, Parameters: []cubin.Parameter{{Offset: 0, Bytes: 8}, {Offset: 8,
			Bytes: 8},
			{Offset: 16, Bytes: 4}}}}}), 0o600))
	return path
}

// A wait that is shorter than the result takes is reported with both operations, and makes no run fail; no other is.
func TestShortWaitsAreReported(t *testing.T) {
	for _, short := range []string{"", "IMAD R0, R0, c[0x0][0x28], R2"} {
		code, report, errOut := keplersim(t, "run", "--functional", "--check", "--grid", "1", "--block", "32", "--arg", "f32[32]:fill(3)",
			"--arg", "f32[32]:fill(1)", "--arg", "32", cubinOf(t, saxpy, short))
		require.Zero(t, code, errOut)
		if short == "" {
			assert.NotContains(t, report+errOut, "control word")
			continue
		}
		assert.Contains(t, report+errOut, "a control word waits shorter than a result takes")
		assert.Contains(t, report+errOut, "ISETP.GE.AND P0, PT, R0, c[0x0][0x150], PT reads")
		assert.Contains(t, report+errOut, short+" writes")
		assert.Contains(t, report+errOut, "8 cycles lie between the two, and nvcc leaves 9")
	}
}

// A cubin is printed, and run with a launch given as for PTX, timed and not.
func TestMachineCodeIsPrintedAndRun(t *testing.T) {
	path := cubinOf(t, saxpy, "")
	code, printed, errOut := keplersim(t, "disasm", path)
	require.Zero(t, code, errOut)
	assert.Contains(t, printed, "Function : saxpy")
	assert.Contains(t, printed, "/*0078*/                   FFMA R9, R8, 2, R9;")
	for _, more := range [][]string{nil, {"--functional"}} {
		dump := filepath.Join(t.TempDir(), "y.bin")
		arguments := append([]string{"run", "--grid", "2", "--block", "128", "--arg", "f32[200]:fill(3)", "--arg", "f32[200]:fill(1)",
			"--arg", "200",
			"--dump", "arg1=" + dump, path}, more...)
		code, report, errOut := keplersim(t, arguments...)
		require.Zero(t, code, errOut)
		assert.Contains(t, report, "saxpy")
		data, err := os.ReadFile(dump)
		require.NoError(t, err)
		assert.Equal(t, uint32(0x40e00000), binary.LittleEndian.Uint32(data[4*199:])) // 2 * 3 + 1
	}
}
