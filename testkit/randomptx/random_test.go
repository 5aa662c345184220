package randomptx_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/fuzz"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/randomptx"
)

var (
	seed  = flag.Uint64("seed", 1, "first seed of the tests of random programs; 0 takes the clock")
	write = flag.String("write", "", "folder into which TestWriteSample writes programs for a GPU to run")
)

// simulate runs a program on the simulated GPU.
func simulate(t *testing.T, name, text string, o sim.Options) []byte {
	t.Helper()
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	gpu, err := sim.New(config, o)
	require.NoError(t, err)
	module, err := gpu.Load(name, []byte(text))
	require.NoError(t, err)
	data := fuzz.Input()
	in, err := gpu.Allocate("in", uint64(len(data)))
	require.NoError(t, err)
	require.NoError(t, gpu.Write(in, data))
	result := make([]byte, 4*fuzz.Threads*fuzz.OutputWords)
	out, err := gpu.Allocate("out", uint64(len(result)))
	require.NoError(t, err)
	parameters := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
	_, err = gpu.Launch(
		context.Background(), sim.Launch{Module: module, Kernel: "random", Block: [3]int{fuzz.Threads, 1, 1}, Parameters: parameters},
	)
	require.NoError(t, err, "%s:\n%s", name, text)
	require.NoError(t, gpu.Read(out, result))
	return result
}

// firstSeed is the seed of a test's first program. With -seed 0, as in make fuzz, it differs in each run; the default does not, so that no
// change fails because of an unrelated program.
func firstSeed(t *testing.T) uint64 {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) % 1_000_000_000
	}
	t.Logf("-seed %d", first)
	return first
}

// Random programs give the plain evaluator's results.
func TestEvaluatorAgrees(t *testing.T) { assertEvaluatorAgrees(t, fuzz.Generate, 200) }

// assertEvaluatorAgrees makes random programs, a tenth of them in a short run, and compares the simulator's results with the evaluator's.
func assertEvaluatorAgrees(t *testing.T, generate func(seed uint64) string, programs uint64) {
	t.Helper()
	first := firstSeed(t)
	if testing.Short() {
		programs /= 10
	}
	data := fuzz.Input()
	for s := first; s < first+programs; s++ {
		text := generate(s)
		got := simulate(t, fmt.Sprintf("seed %d", s), text, sim.Options{Functional: s%4 != 0, Threads: 1})
		want, err := randomptx.Evaluate(text, data)
		require.NoError(t, err, "-seed %d", s)
		for thread := range fuzz.Threads {
			from, to := thread*4*fuzz.OutputWords, (thread+1)*4*fuzz.OutputWords
			if !assert.Equal(t, hex.EncodeToString(want[from:to]), hex.EncodeToString(got[from:to]), "-seed %d, thread %d:\n%s", s, thread,
				text) {
				return
			}
		}
	}
}

const sample = 500

// evaluatedDifferently matches instructions that the driver's assembler evaluates differently from PTX if it knows an operand. A slct by a
// number treats it as an f32; the larger of a NaN and itself is that NaN. Kernels in testdata/kernels test these.
var evaluatedDifferently = regexp.MustCompile(`slct|(min|max)\.f32 %f\d, (%f\d), (%f\d)`)

// TestWriteSample writes the sample's programs and workload files for a GPU; testdata was made with it.
func TestWriteSample(t *testing.T) {
	if *write == "" {
		t.Skip("-write FOLDER writes them")
	}
	require.NoError(t, os.WriteFile(filepath.Join(*write, "in.bin"), fuzz.Input(), 0o644))
	written := 0
	for s := uint64(0); written < sample; s++ {
		if evaluatedDifferently.MatchString(fuzz.Generate(s)) {
			continue
		}
		written++
		name := fmt.Sprintf("random_%04d", s)
		workload := fmt.Sprintf("name: %s\nmodule: %s.ptx\nbuffers:\n  in: {type: b32, count: %d, init: {file: in.bin}}\n"+
			"  out: {type: b32, count: %d}\nsteps:\n  - launch: {kernel: random, grid: [1], block: [%d], args: [in, out]}\n",
			name, name, fuzz.Threads*fuzz.InputWords, fuzz.Threads*fuzz.OutputWords, fuzz.Threads)
		require.NoError(t, os.WriteFile(filepath.Join(*write, name+".yaml"), []byte(workload), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(*write, name+".ptx"), []byte(fuzz.Generate(s)), 0o644))
	}
}

// A sample of programs gives the GPU's bytes.
func TestSampleMatchesTheGPU(t *testing.T) {
	recorded, err := os.ReadFile("testdata/sample.tsv")
	require.NoError(t, err)
	archive, err := zip.OpenReader("testdata/sample.zip")
	require.NoError(t, err)
	defer archive.Close()
	count := 0
	for line := range strings.Lines(string(recorded)) {
		if testing.Short() && count == sample/10 {
			return
		}
		name, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		file, err := archive.Open(name + ".ptx")
		require.NoError(t, err)
		text, err := io.ReadAll(file)
		require.NoError(t, err)
		got := sha256.Sum256(simulate(t, name, string(text), sim.Options{Functional: count%5 != 0, Threads: 1}))
		assert.Equal(t, want, hex.EncodeToString(got[:]), name)
		count++
	}
	assert.Equal(t, sample, count)
}
