package randomptx_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/fuzz"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/randomptx"
)

// unroundedSample is the number of recorded programs of each kind, even and odd seeds.
const unroundedSample = 250

// parted are programs of the sample that differ with --fmad=false too: nearly all call a recursive function (docs/floating-point.md). In
// the programs of moved, the compiler moved a sum or computed a product again, and then fused them.
var (
	parted = map[string]bool{
		"random_0146": true, "random_0199": true, "random_0299": true, "random_0307": true, "random_0319": true,
		"random_0365": true, "random_0397": true, "random_0467": true, "random_0479": true,
		"random_0623": true, "random_0631": true, "random_0886": true, "random_1834": true,
	}
	moved = map[string]bool{"random_0389": true, "random_0563": true}
)

var fresh = flag.Int("fresh", 200, "TestFreshProgramsMatchTheGPU takes one program in so many")

// TestWriteUnroundedSample writes programs without .rn, and their input, for a GPU to run (testdata/contraction/record.py).
// testdata/unrounded.zip was made with it.
func TestWriteUnroundedSample(t *testing.T) {
	if *write == "" {
		t.Skip("-write FOLDER writes them")
	}
	require.NoError(t, os.WriteFile(filepath.Join(*write, "inputs.bin"), fuzz.Input(), 0o644))
	var written [2]int
	for s := uint64(0); written[0] < unroundedSample || written[1] < unroundedSample; s++ {
		text := fuzz.GenerateUnrounded(s)
		if evaluatedDifferently.MatchString(text) || written[s%2] == unroundedSample {
			continue
		}
		written[s%2]++
		require.NoError(t, os.WriteFile(filepath.Join(*write, fmt.Sprintf("random_%04d.ptx", s)), []byte(text), 0o644))
	}
}

// A sample of programs without .rn gives the GPU's bytes.
func TestUnroundedSampleMatchesTheGPU(t *testing.T) {
	recorded, err := os.ReadFile("testdata/unrounded.tsv")
	require.NoError(t, err)
	archive, err := zip.OpenReader("testdata/unrounded.zip")
	require.NoError(t, err)
	defer archive.Close()
	count, matters := 0, 0
	for line := range strings.Lines(string(recorded)) {
		if testing.Short() && count == unroundedSample/5 {
			return
		}
		name, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		file, err := archive.Open(name + ".ptx")
		require.NoError(t, err)
		text, err := io.ReadAll(file)
		require.NoError(t, err)
		got := sha256.Sum256(simulate(t, name, string(text), sim.Options{Functional: count%5 != 0, Threads: 1}))
		apart := sha256.Sum256(simulate(t, name, string(text), sim.Options{Functional: true, Threads: 1, NoContraction: true}))
		count++
		if got != apart {
			matters++
		}
		assert.Equal(t, !parted[name] && !moved[name], want == hex.EncodeToString(got[:]), name)
	}
	assert.Equal(t, 2*unroundedSample, count)
	assert.Greater(t, matters, 5, "programs whose results contraction changes")
}

// freshMoved are programs that differ from the fresh record only without --fmad=false, 38 of 9,954.
var freshMoved = map[string]bool{
	"7000307": true, "7000807": true, "7001233": true, "7001247": true, "7001571": true, "7001591": true, "7001896": true,
	"7002010": true, "7002099": true, "7002961": true, "7003309": true, "7003811": true, "7003849": true, "7004139": true, "7004283": true,
	"7004613": true, "7004617": true, "7004644": true, "7004879": true, "7005203": true, "7006383": true,
	"7008203": true, "7008639": true, "7009511": true, "7010797": true, "7011791": true, "7012119": true, "7012223": true, "7012841": true,
	"7013647": true, "7013765": true, "7013919": true, "7014103": true, "7014433": true, "7015582": true, "7015607": true,
	"7016969": true, "7017257": true,
}

// openMoved are such programs in the record of loops of unknown length, 8 of 1,500.
var openMoved = map[string]bool{
	"9100504": true, "9100571": true, "9100648": true, "9100839": true, "9101173": true, "9101366": true, "9101456": true, "9101742": true,
}

// These are 10,000 programs that the rule was never tried on; the GPU's compiler accepted 9,954. Each gives the GPU's bytes, differs with
// --fmad=false too, or is listed above.
func TestFreshProgramsMatchTheGPU(t *testing.T) {
	assertMatchesRecord(t, "fresh", fuzz.GenerateUnrounded, freshMoved)
}

// The same for 1,500 programs of loops with an unknown number of iterations. Their rule was found without them.
func TestOpenLoopsMatchTheGPU(t *testing.T) {
	assertMatchesRecord(t, "open", fuzz.GenerateOpen, openMoved)
}

// assertMatchesRecord compares programs with a record of seeds and the first bytes of two hashes, for the default and for --fmad=false. It
// takes a sample, or all with -fresh 1.
func assertMatchesRecord(t *testing.T, name string, generate func(seed uint64) string, moved map[string]bool) {
	t.Helper()
	archive, err := zip.OpenReader("testdata/" + name + ".zip")
	require.NoError(t, err)
	defer archive.Close()
	file, err := archive.Open(name + ".tsv")
	require.NoError(t, err)
	recorded, err := io.ReadAll(file)
	require.NoError(t, err)
	hash := func(seed uint64, o sim.Options) string {
		o.Functional, o.Threads = true, 1
		sum := sha256.Sum256(simulate(t, fmt.Sprint(seed), generate(seed), o))
		return hex.EncodeToString(sum[:4])
	}
	count, equal, apart, line := 0, 0, 0, 0
	for text := range strings.Lines(string(recorded)) {
		if line++; line%*fresh != 0 {
			continue
		}
		fields := strings.Fields(text)
		seed, err := strconv.ParseUint(fields[0], 10, 64)
		require.NoError(t, err)
		count++
		switch {
		case hash(seed, sim.Options{}) == fields[1]:
			equal++
			assert.False(t, moved[fields[0]], "seed %d contracts as the GPU now", seed)
		case hash(seed, sim.Options{NoContraction: true}) != fields[2]:
			apart++
		default:
			assert.True(t, moved[fields[0]], "seed %d contracts otherwise than the GPU", seed)
		}
	}
	t.Logf("%d of %d equal, %d that differ with --fmad=false too", equal, count, apart)
	assert.Greater(t, equal*100, count*85)
}

// Programs without .rn give the plain evaluator's results. It contracts by its own plan.
func TestEvaluatorContracts(t *testing.T) { assertEvaluatorAgrees(t, fuzz.GenerateUnrounded, 100) }

// The iterations of an unrolled loop contract with each other, in the simulator and in the evaluator.
func TestEvaluatorUnrolls(t *testing.T) { assertEvaluatorAgrees(t, fuzz.GenerateCounted, 60) }

// If the number of iterations is in a register, iterations contract in groups of four, two and one.
func TestEvaluatorUnrollsInPart(t *testing.T) { assertEvaluatorAgrees(t, fuzz.GenerateOpen, 60) }

// Programs on which the two once disagreed, by the cause.
func TestSeedsOfMistakes(t *testing.T) {
	data := fuzz.Input()
	for _, found := range []struct {
		generate func(seed uint64) string
		seed     uint64
		why      string
	}{
		{fuzz.GenerateOpen, 489047696, "in groups, iterations fuse as often as alone, but the product of the iteration before"},
		{fuzz.GenerateUnrounded, 760184487, "a write under a predicate that nothing read counted as a use of the product left in place"},
	} {
		text := found.generate(found.seed)
		want, err := randomptx.Evaluate(text, data)
		require.NoError(t, err)
		got := simulate(t, fmt.Sprintf("seed %d", found.seed), text, sim.Options{Functional: true, Threads: 1})
		assert.True(t, bytes.Equal(want, got), found.why)
	}
}
