package cli

import (
	"encoding/binary"
	"fmt"
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

// saxpy computes y = 2x + y in machine code, with a thread for each element.
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

// histogram counts threads by their index modulo 8; %s is a barrier.
const histogram = `S2R R0, SR_TID.X
LOP.AND R2, R0, 0x7
SHL R2, R2, 0x2
STS [R2], RZ
%s
LDSLK P0, R3, [R2]
@P0 IADD R4, R3, 0x1
@P0 STSCUL P1, [R2], R4
@!P1 BRA 0x30
%s
LDS R5, [R2]
MOV32I R3, 0x4
ISCADD R6.CC, R0, c[0x0][0x148], 0x2
IMAD.HI.X R7, R0, R3, c[0x0][0x14c]
ST.E [R6], R5
EXIT`

// cubinOf writes a kernel of machine code to a file. Each operation waits 13 cycles, except the operation short: it waits 8, a
// cycle less than the latency.
func cubinOf(t *testing.T, e *sass.Encoding, text, short string) string {
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
			code = binary.LittleEndian.AppendUint64(code, e.ControlWord(waits))
		}
		word, err := e.Encode(line, uint64(sass.Address(n)))
		require.NoError(t, err)
		code = binary.LittleEndian.AppendUint64(code, word)
	}
	path := filepath.Join(t.TempDir(), "saxpy.cubin")
	require.NoError(t, os.WriteFile(path, cubin.Write(&cubin.Module{Architecture: e.Chips[0], Functions: []*cubin.Function{{Name: "saxpy",
		Kernel: true, Shared: 32, Barriers: 1,
		Code: code, Registers: 10, Base: isa.ParameterBase, Bytes: 20, Parameters: []cubin.Parameter{{Offset: 0, Bytes: 8}, {Offset: 8,
			Bytes: 8},
			{Offset: 16, Bytes: 4}}}}}), 0o600))
	return path
}

// A wait that is shorter than the result's latency is reported with both operations, but does not fail the run. No other wait is reported.
func TestShortWaitsAreReported(t *testing.T) {
	for _, short := range []string{"", "IMAD R0, R0, c[0x0][0x28], R2"} {
		code, report, errOut := keplersim(t, "run", "--functional", "--check", "--grid", "1", "--block", "32", "--arg", "f32[32]:fill(3)",
			"--arg", "f32[32]:fill(1)", "--arg", "32", cubinOf(t, sass.SM35, saxpy, short))
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

// A cubin is printed, and run like PTX with a given launch, with and without timing.
func TestMachineCodeIsPrintedAndRun(t *testing.T) {
	t.Run("sm_35", func(t *testing.T) { printedAndRun(t, cubinOf(t, sass.SM35, saxpy, ""), "k40") })
	t.Run("sm_30", func(t *testing.T) { printedAndRun(t, cubinOf(t, sass.SM30, saxpy, ""), "gtx680") })
}

func printedAndRun(t *testing.T, path, config string) {
	t.Helper()
	code, printed, errOut := keplersim(t, "disasm", path)
	require.Zero(t, code, errOut)
	assert.Contains(t, printed, "Function : saxpy")
	assert.Contains(t, printed, "/*0078*/                   FFMA R9, R8, 2, R9;")
	for _, more := range [][]string{nil, {"--functional"}} {
		dump := filepath.Join(t.TempDir(), "y.bin")
		arguments := append([]string{"run", "--config", config, "--grid", "2", "--block", "128", "--arg", "f32[200]:fill(3)",
			"--arg", "f32[200]:fill(1)", "--arg", "200",
			"--dump", "arg1=" + dump, path}, more...)
		code, report, errOut := keplersim(t, arguments...)
		require.Zero(t, code, errOut)
		assert.Contains(t, report, "saxpy")
		data, err := os.ReadFile(dump)
		require.NoError(t, err)
		assert.Equal(t, uint32(0x40e00000), binary.LittleEndian.Uint32(data[4*199:])) // 2 * 3 + 1
	}
}

// Loops that implement atomic operations on shared memory count every lane.
func TestAtomicLoopsOnSharedMemory(t *testing.T) {
	for config, path := range map[string]string{
		"k40":    cubinOf(t, sass.SM35, fmt.Sprintf(histogram, "BAR.SYNC 0x0", "BAR.SYNC 0x0"), ""),
		"gtx680": cubinOf(t, sass.SM30, fmt.Sprintf(histogram, "BAR.RED.POPC RZ, 0x0, PT", "BAR.RED.POPC RZ, 0x0, PT"), ""),
	} {
		dump := filepath.Join(t.TempDir(), "counts.bin")
		code, _, errOut := keplersim(t, "run", "--config", config, "--max-cycles", "100000", "--grid", "1", "--block", "100",
			"--arg", "u32[100]", "--arg", "u32[100]", "--arg", "0", "--dump", "arg1="+dump, path)
		require.Zero(t, code, errOut)
		data, err := os.ReadFile(dump)
		require.NoError(t, err)
		for lane := range 100 {
			want := uint32(12)
			if lane%8 < 4 {
				want = 13
			}
			assert.Equal(t, want, binary.LittleEndian.Uint32(data[4*lane:]), "%s, thread %d", config, lane)
		}
	}
}
