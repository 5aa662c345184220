package toolchain_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// imaginary is the modified Bessel function of order n times e^-x, by the trapezoidal rule over its integral, exact to the last digits.
func imaginary(n int, x float64) float64 {
	const parts = 400
	sum := 0.0
	for i := range parts {
		angle := math.Pi * (float64(i) + 0.5) / parts
		sum += math.Exp(x*math.Cos(angle)-x) * math.Cos(float64(n)*angle)
	}
	return sum / parts
}

// The device's Bessel functions are Go's to 2·10⁻¹⁵ of the larger of 1 and the value, also where the series takes over.
func TestBesselFunctions(t *testing.T) {
	need.Clang(t)
	d := newDevice(t, `
extern "C" __global__ void bessel(const double *x, double *out) {
  double v = x[threadIdx.x], *o = out + 10 * threadIdx.x;
  o[0] = j0(v), o[1] = j1(v), o[2] = y0(v), o[3] = y1(v), o[4] = jn(3, v), o[5] = jn(30, v), o[6] = yn(4, v), o[7] = j0f((float)v);
  o[8] = cyl_bessel_i0(v), o[9] = cyl_bessel_i1(v);
}
`, toolchain.Options{}, sim.Options{Functional: true})
	xs := []float64{0, 1e-10, 1e-3, 0.5, 2.404825557695773, 3, 8, 17.25, 24.999, 25, 29.5, 31, 60.5, 500, 12345.678, -3.5, math.Inf(1),
		math.NaN()}
	out := make([]float64, 10*len(xs))
	at := d.buffer("out", out)
	d.launch("bessel", line(1), line(len(xs)), 0, d.buffer("x", xs), at)
	d.read(at, out)
	near := func(want, got, off float64, x float64, name string) {
		if want == got || math.IsNaN(want) && math.IsNaN(got) {
			return
		}
		assert.InDelta(t, want, got, off*max(1, math.Abs(want)), "%s of %v", name, x)
	}
	for i, x := range xs {
		o := out[10*i:]
		for k, want := range []float64{
			math.J0(x), math.J1(x), math.Y0(x), math.Y1(x), math.Jn(3, x), math.Jn(30, x), math.Yn(4, x),
		} {
			near(want, o[k], 2e-15, x, []string{"j0", "j1", "y0", "y1", "jn(3)", "jn(30)", "yn(4)"}[k])
		}
		near(math.J0(float64(float32(x))), o[7], 1e-7, x, "j0f")
		if x >= 0 && x < 500 {
			near(imaginary(0, x), o[8]*math.Exp(-x), 1e-14, x, "cyl_bessel_i0")
			near(imaginary(1, x), o[9]*math.Exp(-x), 1e-14, x, "cyl_bessel_i1")
		}
	}
}
