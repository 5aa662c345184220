package randomptx_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/randomptx"
	"github.com/keplersim/keplersim/sim"
)

// unroundedSample is how many programs of each kind, even and odd seeds, are recorded.
const unroundedSample = 250

// unexplained are programs of the sample of which the driver's compiler makes something else: the simulator and the evaluator
// agree on each, and fusing any one addition more or less, or two more, does not give the record either.
var unexplained = map[string]bool{
	"random_0146": true, "random_0199": true, "random_0299": true, "random_0307": true, "random_0319": true,
	"random_0365": true, "random_0389": true, "random_0397": true, "random_0467": true, "random_0479": true,
	"random_0563": true, "random_0623": true, "random_0631": true, "random_0886": true, "random_1834": true,
}

// TestWriteUnroundedSample writes programs without .rn, and their input, for a GPU to run (testdata/contraction/record.py); it is how
// testdata/unrounded.zip was made.
func TestWriteUnroundedSample(t *testing.T) {
	if *write == "" {
		t.Skip("-write FOLDER writes them")
	}
	require.NoError(t, os.WriteFile(filepath.Join(*write, "inputs.bin"), input(), 0o644))
	var written [2]int
	for s := uint64(0); written[0] < unroundedSample || written[1] < unroundedSample; s++ {
		text := randomptx.GenerateUnrounded(s)
		if otherwise.MatchString(text) || written[s%2] == unroundedSample {
			continue
		}
		written[s%2]++
		require.NoError(t, os.WriteFile(filepath.Join(*write, fmt.Sprintf("random_%04d.ptx", s)), []byte(text), 0o644))
	}
}

// A sample of programs without .rn gives the bytes that a GPU gave.
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
		assert.Equal(t, !unexplained[name], want == hex.EncodeToString(got[:]), name)
	}
	assert.Equal(t, 2*unroundedSample, count)
	assert.Greater(t, matters, 5, "programs whose results contraction changes")
}

// Programs without .rn give what the plain evaluator gives, which contracts by a plan of its own; other ones in each run.
func TestEvaluatorContracts(t *testing.T) { assertEvaluatorAgrees(t, randomptx.GenerateUnrounded, 100) }

// Programs on which the two once disagreed, by what was wrong.
func TestSeedsOfMistakes(t *testing.T) {
	data := input()
	for _, found := range []struct {
		seed uint64
		why  string
	}{
		{760184487, "a write under a predicate that nothing read counted as a use of the product that it left in place"},
	} {
		text := randomptx.GenerateUnrounded(found.seed)
		want, err := randomptx.Evaluate(text, data)
		require.NoError(t, err)
		got := simulate(t, fmt.Sprintf("seed %d", found.seed), text, sim.Options{Functional: true, Threads: 1})
		assert.True(t, bytes.Equal(want, got), found.why)
	}
}
