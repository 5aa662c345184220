package runtime

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
)

// Thrust and CUB as Debian ships them run on KEPLERSIM_LIBRARIES elements. clang takes half a minute to compile each. The programs compare
// the results with the C++ library's.
func TestLibraries(t *testing.T) {
	elements := os.Getenv("KEPLERSIM_LIBRARIES")
	if elements == "" {
		t.Skip("KEPLERSIM_LIBRARIES=1048576 runs Thrust and CUB on a million elements; make libraries")
	}
	if _, err := os.Stat("/usr/include/thrust/sort.h"); err != nil {
		need.Missing(t, "thrust", "apt-get install libthrust-dev libcub-dev")
	}
	need.Builder(t)
	for source, want := range map[string]string{
		"thrust.cu": "sort right\nsort_by_key right\nreduce right\nscan right\ntransform right\nunique_by_key right\n",
		"cub.cu":    "reduce right\nscan right\nradix sort right\nhistogram right\nprimitives right\nno error\n",
	} {
		r := runProgram(t, t.Context(), 1, true, "", []string{elements}, filepath.Join("..", "libraries", source))
		assert.Equal(t, want, r.out, r.messages)
	}
}

// runLinked builds and runs a program of testdata with one of our libraries, without timing.
func runLinked(t *testing.T, source, library string) (lines []string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles a library")
	}
	need.Builder(t)
	b := Build{Sources: []string{filepath.Join("testdata", "programs", source)}, Libraries: []string{library}}
	built, err := b.Program(t.Context())
	require.NoError(t, err)
	t.Cleanup(built.Close)
	r := runBuilt(t, t.Context(), Options{Simulator: sim.Options{Functional: true}}, built, 1, "", nil)
	require.Zero(t, r.code, r.messages)
	return strings.Split(strings.TrimSpace(r.out), "\n")
}

// recorded returns the lines that a program printed on a real GPU with NVIDIA's library (an H100 or H200, CUDA 13).
func recorded(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "recorded", name))
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// asRecorded compares numbers with a GPU's. The tolerance of each type allows for sums in another order.
func asRecorded(t *testing.T, ours, theirs []string, most map[byte]float64) {
	t.Helper()
	require.Len(t, ours, len(theirs))
	worst := map[byte]float64{}
	for i, want := range theirs {
		call, numbers, _ := strings.Cut(want, ": ")
		got, ok := strings.CutPrefix(ours[i], call+": ")
		if !assert.True(t, ok, "%s, want %s", ours[i], want) || !assert.Len(t, strings.Fields(got), len(strings.Fields(numbers)), call) {
			continue
		}
		for j, word := range strings.Fields(numbers) {
			x, err := strconv.ParseFloat(word, 64)
			require.NoError(t, err)
			y, err := strconv.ParseFloat(strings.Fields(got)[j], 64)
			require.NoError(t, err)
			off := math.Abs(x-y) / max(1, math.Abs(x))
			worst[call[0]] = max(worst[call[0]], off)
			assert.LessOrEqual(t, off, most[call[0]], "%s, want %s", ours[i], want)
		}
	}
	for kind, off := range worst {
		t.Logf("%c: worst difference %.2g", kind, off)
	}
}

// Each of 689 calls of cuBLAS returns NVIDIA's status and the same numbers. The last bits of single precision differ, because sums are
// added in another order.
func TestBLASAsOnAGPU(t *testing.T) {
	asRecorded(t, runLinked(t, "blas.cu", "cublas"), recorded(t, "blas.txt"), map[byte]float64{'s': 1e-4, 'c': 1e-4, 'd': 1e-8, 'z': 1e-8})
}

// The same for 420 calls on banded matrices, on an H200.
func TestBandsAsOnAGPU(t *testing.T) {
	asRecorded(t, runLinked(t, "bands.cu", "cublas"), recorded(t, "bands.txt"),
		map[byte]float64{'s': 1e-5, 'c': 1e-5, 'd': 1e-8, 'z': 1e-8})
}

// Products of cuBLASLt equal NVIDIA's, with their epilogues. Integers are exact in every type; GELU is to five digits.
func TestLightBLASAsOnAGPU(t *testing.T) {
	assert.Equal(t, recorded(t, "lt.txt"), runLinked(t, "lt.cu", "cublasLt"))
}

// Cooperative groups behave as on a GPU, and loads and stores with a cache operator move each type whole.
func TestGroupsAsOnAGPU(t *testing.T) {
	need.Builder(t)
	for _, functional := range []bool{true, false} {
		r := runProgram(t, t.Context(), 1, functional, "", nil, "groups.cu")
		assert.Equal(t, recorded(t, "groups.txt"), strings.Split(strings.TrimSpace(r.out), "\n"))
	}
}

// Words and uniform numbers equal NVIDIA's bit for bit, 100,000 at a time, also across calls and with an offset. Normal numbers use our
// logarithms: most are equal, the others differ in the last bits.
func TestRandomNumbersAsOnAGPU(t *testing.T) {
	randomAsRecorded(t, runLinked(t, "random.cu", "curand"), recorded(t, "random.txt"), func(words []string) int {
		return 1 + slices.IndexFunc(words, func(word string) bool { return strings.HasSuffix(word, ":") })
	})
}

// randomAsRecorded compares lines of random numbers. Normally distributed numbers may differ in the last bits. The numbers follow some
// words: the name, the status, a hash of all.
func randomAsRecorded(t *testing.T, ours, theirs []string, begin func(words []string) int) {
	t.Helper()
	require.Len(t, ours, len(theirs))
	for i, want := range theirs {
		if !strings.Contains(want, "normal") {
			assert.Equal(t, want, ours[i])
			continue
		}
		got, numbers := strings.Fields(ours[i]), strings.Fields(want)
		require.Len(t, got, len(numbers))
		for j := begin(numbers); j < len(numbers); j++ {
			x, err := strconv.ParseUint(numbers[j], 16, 64)
			require.NoError(t, err)
			y, err := strconv.ParseUint(got[j], 16, 64)
			require.NoError(t, err)
			assert.LessOrEqual(t, math.Abs(float64(int64(x-y))), 64.0, fmt.Sprint(want, got[j]))
		}
	}
}

// Each of 636 calls of cuSPARSE returns NVIDIA's status and the same numbers. Calls that CUDA 13 no longer has are compared with the host.
func TestSparseMatricesAsOnAGPU(t *testing.T) {
	ours, theirs := runLinked(t, "sparse.cu", "cusparse"), recorded(t, "sparse.txt")
	last := len(theirs) - 1
	require.Len(t, ours, len(theirs))
	assert.Equal(t, "11 of 11 others right, no error", ours[last])
	asRecorded(t, ours[:last], theirs[:last], map[byte]float64{'s': 1e-5, 'c': 1e-5, 'd': 1e-8, 'z': 1e-8})
}

// MRG32k3a: words and uniform numbers bit for bit; normal numbers use our logarithms.
func TestMRG32k3aAsOnAGPU(t *testing.T) {
	randomAsRecorded(t, runLinked(t, "mrg.cu", "curand"), recorded(t, "mrg.txt"), func(words []string) int { return len(words) - 24 })
}

// MT19937: words and uniform numbers bit for bit, for every generator, seed and call, past the end of a round, and on the host.
func TestMersenneTwisterAsOnAGPU(t *testing.T) {
	randomAsRecorded(t, runLinked(t, "mersenne.cu", "curand"), recorded(t, "mersenne.txt"), func([]string) int { return 2 })
}

// Sobol's points in up to 481 dimensions: words and uniform numbers bit for bit, with an offset, and on the host.
func TestSobolAsOnAGPU(t *testing.T) {
	randomAsRecorded(t, runLinked(t, "sobol.cu", "curand"), recorded(t, "sobol.txt"), func([]string) int { return 2 })
}

// Sobol's points of 32 and 64 bits in kernels, plain and scrambled, and of 64 bits by the host's calls.
func TestMoreOfSobolAsOnAGPU(t *testing.T) {
	randomAsRecorded(t, runLinked(t, "sobol_more.cu", "curand"), recorded(t, "sobol_more.txt"), func([]string) int { return 2 })
}

// Philox's doubles: uniform numbers bit for bit, from one turn to the next, with words between them.
func TestPhiloxDoublesAsOnAGPU(t *testing.T) {
	randomAsRecorded(t, runLinked(t, "philox.cu", "curand"), recorded(t, "philox.txt"), func([]string) int { return 2 })
}

// Half precision and bfloat16, computed in float, give the same bits as a GPU with instructions for them.
func TestNarrowNumbersAsOnAGPU(t *testing.T) {
	need.Builder(t)
	r := runProgram(t, t.Context(), 1, true, "", nil, "narrow.cu")
	assert.Equal(t, recorded(t, "narrow.txt"), strings.Split(strings.TrimSpace(r.out), "\n"), r.messages)
}

// A copy's direction matters as little as on a GPU: only an end called the device's must be memory that CUDA knows.
func TestDirectionsAsOnAGPU(t *testing.T) {
	need.Builder(t)
	r := runProgram(t, t.Context(), 1, true, "", nil, "directions.cu")
	assert.Equal(t, recorded(t, "directions.txt"), strings.Split(strings.TrimSpace(r.out), "\n"), r.messages)
}

// The numbers are inverses of C's erf and erfc by bisection, and the asymptotic series of erfcx.
func TestMathOfTheHost(t *testing.T) {
	need.Builder(t)
	r := runProgram(t, t.Context(), 1, true, "", nil, "hostmath.cu")
	assert.Equal(t, "2.91056206757 2.91056206757\n-1.95996398 4.57282497 -0.272462715 0.0187958889 -1 0.5\n"+
		"0.88622692545276 0 0.031410759078128 -3.1415925647395 1\n13 0.0769231 0.2 -0.565159\n0.5 0.5 4\n", r.out, r.messages)
}

// 800 transforms of 400 random plans give NVIDIA's statuses and numbers: one to three dimensions, batches, layouts, in place and back. Of
// mistakes, statuses are ours where CUDA 13 accepts what CUDA 11.8's manual refuses.
func TestTransformsAsOnAGPU(t *testing.T) {
	ours, theirs := runLinked(t, "transforms.cu", "cufft"), recorded(t, "transforms.txt")
	require.Len(t, ours, 402)
	asRecorded(t, ours[:400], theirs[:400], map[byte]float64{'s': 2e-6, 'd': 2e-12})
	assert.Equal(t, []string{"m plans: 8 8 8 8 3 8 4 8 4", "m steps: 0 1 0 1 0 4 4 3 3 0 1"}, ours[400:])
}

func TestTransforms(t *testing.T) {
	assert.Equal(t, []string{"58 of 58 transforms right, columns right", "size 0: 8, no plan: 1, another kind: 3",
		"by types: 6"},
		runLinked(t, "fft.cu", "cufft"))
}
