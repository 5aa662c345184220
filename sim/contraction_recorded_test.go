package sim_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// unlike has the recorded cases that the simulator contracts differently, because ptxas does something there that lowering does not.
var unlike = map[string]string{
	"rolled-invariant-sum": moving, "crossing-tested-first": "the loop was turned so that its test comes last, and unrolled",
	"crossing-4001-turns": "a loop of a known number of turns was unrolled by 111",
}

const moving = "the sum, alike in each turn, was moved in front of the loop, to its product"

// runCase runs a case of testdata/contraction on the simulated GPU.
func runCase(t *testing.T, name, text string, input []byte, o sim.Options) []byte {
	t.Helper()
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	gpu, err := sim.New(config, o)
	require.NoError(t, err)
	module, err := gpu.Load(name, []byte(text))
	require.NoError(t, err)
	in, err := gpu.Allocate("in", uint64(len(input)))
	require.NoError(t, err)
	require.NoError(t, gpu.Write(in, input))
	result := make([]byte, 1024)
	out, err := gpu.Allocate("out", uint64(len(result)))
	require.NoError(t, err)
	parameters := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
	for _, v := range []float64{1.1, 0.7} {
		if strings.HasSuffix(name, "_f64") {
			parameters = binary.LittleEndian.AppendUint64(parameters, math.Float64bits(v))
		} else {
			parameters = binary.LittleEndian.AppendUint32(parameters, math.Float32bits(float32(v)))
		}
	}
	_, err = gpu.Launch(context.Background(), sim.Launch{Module: module, Kernel: "probe", Block: [3]int{32, 1, 1}, Parameters: parameters})
	require.NoError(t, err, "%s:\n%s", name, text)
	require.NoError(t, gpu.Read(out, result))
	return result
}

// Multiplications and additions become fused multiply-adds where the driver's compiler fuses them, as recorded on a GPU, and nowhere
// without contraction.
func TestContractionAsRecorded(t *testing.T) {
	recorded, err := os.ReadFile("../testdata/contraction/recorded.tsv")
	require.NoError(t, err)
	archive, err := zip.OpenReader("../testdata/contraction/cases.zip")
	require.NoError(t, err)
	defer archive.Close()
	read := func(name string) []byte {
		file, err := archive.Open(name)
		require.NoError(t, err)
		text, err := io.ReadAll(file)
		require.NoError(t, err)
		return text
	}
	input := read("inputs.bin")
	count := 0
	for line := range strings.Lines(string(recorded)) {
		if testing.Short() && count%32 != 0 {
			count++
			continue
		}
		fields := strings.Fields(line)
		name := fields[0]
		text := string(read(name + ".ptx"))
		for n, o := range []sim.Options{{Functional: count%5 != 0, Threads: 1}, {Functional: true, Threads: 1, NoContraction: true}} {
			got := sha256.Sum256(runCase(t, name, text, input, o))
			equal := fields[1+n] == hex.EncodeToString(got[:8])
			if reason, ok := unlike[name[:len(name)-len("_f32")]]; ok && n == 0 {
				assert.False(t, equal, "%s equals the record now: %s", name, reason)
				continue
			}
			assert.True(t, equal, "%s, no contraction %t", name, o.NoContraction)
		}
		count++
	}
	assert.Equal(t, 805, count)
}
