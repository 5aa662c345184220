package toolchain_test

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
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
	"github.com/keplersim/keplersim/toolchain"
)

// reference is one line of testdata/functions.txt.
type reference struct {
	function  string
	arguments [2]float64
	binary    bool
	value     string
}

func (r reference) String() string {
	if r.binary {
		return fmt.Sprintf("%s(%v, %v)", r.function, r.arguments[0], r.arguments[1])
	}
	return fmt.Sprintf("%s(%v)", r.function, r.arguments[0])
}

// references reads the table; KEPLERSIM_FUNCTIONS names a longer one, made by testdata/references.py.
func references(t *testing.T) []reference {
	t.Helper()
	path := os.Getenv("KEPLERSIM_FUNCTIONS")
	if path == "" {
		path = filepath.Join("testdata", "functions.txt")
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var out []reference
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		require.Contains(t, []int{3, 4}, len(words), lines.Text())
		r := reference{function: words[0], binary: len(words) == 4, value: words[len(words)-1]}
		for i, word := range words[1 : len(words)-1] {
			r.arguments[i], err = strconv.ParseFloat(word, 64)
			require.NoError(t, err)
		}
		out = append(out, r)
	}
	require.NoError(t, lines.Err())
	return out
}

// unitsOff is the distance of got from the true value, in units in the last place of the true value in double precision. It is infinite if
// only one of the two is a number, or if zeros differ in sign.
func unitsOff(got float64, value string) float64 {
	right := func(ok bool) float64 {
		if ok {
			return 0
		}
		return math.Inf(1)
	}
	switch value {
	case "nan":
		return right(math.IsNaN(got))
	case "inf", "-inf":
		return right(math.IsInf(got, 0) && math.Signbit(got) == (value[0] == '-'))
	case "0", "-0":
		return right(got == 0 && math.Signbit(got) == (value[0] == '-'))
	}
	if math.IsNaN(got) || math.IsInf(got, 0) {
		return math.Inf(1)
	}
	true_, _, err := big.ParseFloat(value, 10, 120, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	nearest, _ := true_.Float64()
	unit := math.Nextafter(math.Abs(nearest), math.Inf(1)) - math.Abs(nearest)
	off, _ := new(big.Float).Quo(new(big.Float).Sub(big.NewFloat(got).SetPrec(120), true_), big.NewFloat(unit)).Float64()
	return math.Abs(off)
}

// bounds are in units in the last place; functions without an entry have 2. They are within those of the CUDA C programming guide's table
// of double-precision functions.
var bounds = map[string]float64{
	"erfc": 4, "erfcx": 4, "erfinv": 5, "erfcinv": 6, "normcdf": 5, "normcdfinv": 7, "tgamma": 8, "lgamma": 4,
	"sqrt": 0.5, "fmod": 1e-9, "remainder": 1e-9,
}

// evaluate runs every reference's function on the simulator: in double; in single on the arguments rounded to single; and in double on
// these same rounded arguments.
func evaluate(t *testing.T, all []reference, o toolchain.Options) (double, single, wide []float64) {
	t.Helper()
	var source strings.Builder
	names := []string{}
	for _, r := range all {
		if slices.Contains(names, r.function) {
			continue
		}
		names = append(names, r.function)
		call, args := r.function, [3]string{"x[i]", "(float)x[i]", "(double)(float)x[i]"}
		if r.binary {
			args = [3]string{"x[i], y[i]", "(float)x[i], (float)y[i]", "(double)(float)x[i], (double)(float)y[i]"}
		}
		fmt.Fprintf(&source, `extern "C" __global__ void k_%s(const double *x, const double *y, double *d, double *s, double *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = %s(%s), s[i] = %sf(%s), w[i] = %s(%s);
}
`, call, call, args[0], call, args[1], call, args[2])
	}
	d := newDevice(t, source.String(), o, sim.Options{Functional: true, Threads: 1})
	x, y := make([]float64, len(all)), make([]float64, len(all))
	for i, r := range all {
		x[i], y[i] = r.arguments[0], r.arguments[1]
	}
	double, single, wide = make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all))
	ax, ay := d.buffer("x", x), d.buffer("y", y)
	ad, as, aw := d.buffer("double", double), d.buffer("single", single), d.buffer("wide", wide)
	for first := 0; first < len(all); {
		n := 0
		for first+n < len(all) && all[first+n].function == all[first].function {
			n++
		}
		at := uint64(8 * first)
		d.launch("k_"+all[first].function, [3]int{(n + 63) / 64, 1, 1}, [3]int{64, 1, 1}, 0, ax+at, ay+at, ad+at, as+at, aw+at, int32(n))
		first += n
	}
	d.read(ad, double)
	d.read(as, single)
	d.read(aw, wide)
	return double, single, wide
}

// Every double-precision function is within its bound of the true value, also in special cases. Every single-precision function is within
// 3.5 units in the last place of the double-precision one.
func TestFunctionsAreAccurate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every function of the library")
	}
	need.Clang(t)
	all := references(t)
	double, single, wide := evaluate(t, all, toolchain.Options{})
	worst, worstSingle := map[string]float64{}, map[string]float64{}
	for i, r := range all {
		bound, named := bounds[r.function]
		if !named {
			bound = 2
		}
		off := unitsOff(double[i], r.value)
		if !math.IsInf(off, 0) {
			worst[r.function] = math.Max(worst[r.function], off)
		}
		assert.LessOrEqual(t, off, bound, "%v = %v, want %s", r, double[i], r.value)
		if r.function == "nextafter" {
			continue // in single precision the neighbour is a different number
		}
		off = singleUnitsOff(single[i], wide[i])
		if !math.IsInf(off, 0) {
			worstSingle[r.function] = math.Max(worstSingle[r.function], off)
		}
		assert.LessOrEqual(t, off, 3.5, "%v in single precision = %v, in double %v", r, single[i], wide[i])
	}
	for name, off := range worst {
		t.Logf("%-10s %.2f units in the last place, in single precision %.2f", name, off, worstSingle[name])
	}
}

// singleUnitsOff is the distance of got from want in units in the last place of want in single precision.
func singleUnitsOff(got, want float64) float64 {
	rounded := float32(want)
	if math.IsNaN(want) || math.IsInf(float64(rounded), 0) || want == 0 {
		if got == float64(rounded) && math.Signbit(got) == math.Signbit(want) || math.IsNaN(got) && math.IsNaN(want) ||
			!math.IsInf(want, 0) && math.Abs(got) >= math.MaxFloat32*(1-3e-7) {
			return 0
		}
		return math.Inf(1)
	}
	if math.IsNaN(got) {
		return math.Inf(1)
	}
	unit := math.Max(float64(math.Nextafter32(float32(math.Abs(want)), float32(math.Inf(1)))-float32(math.Abs(want))), 0x1p-149)
	if math.IsInf(unit, 0) {
		unit = 0x1p104
	}
	return math.Abs(got-want) / unit
}

// Fast mathematics may reorder the user's code, but not the exact steps inside the functions, which keep their bounds for finite values.
func TestFunctionsSurviveFastMath(t *testing.T) {
	if testing.Short() {
		t.Skip("the functions are compiled once more")
	}
	need.Clang(t)
	all := slices.DeleteFunc(references(t), func(r reference) bool {
		special := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) || x == 0 }
		value, err := strconv.ParseFloat(r.value, 64)
		return err != nil || special(value) || special(r.arguments[0]) || r.binary && special(r.arguments[1])
	})
	require.NotEmpty(t, all)
	double, _, _ := evaluate(t, all, toolchain.Options{FastMath: true})
	for i, r := range all {
		bound, named := bounds[r.function]
		if !named {
			bound = 2
		}
		assert.LessOrEqual(t, unitsOff(double[i], r.value), bound, "%v = %v, want %s", r, double[i], r.value)
	}
}
