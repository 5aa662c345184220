package toolchain_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// The host parts of programs parse, whatever runtime functions they call.
func TestHostCallsParse(t *testing.T) {
	d := program(t, "host_calls")
	a := d.buffer("a", make([]float32, 1))
	d.launch("k", line(1), line(1), 0, a)
}

// helper_math.h of NVIDIA's samples works: a thread computes with vectors made from its number, and the test computes the same.
func TestVectorArithmeticOfTheSamples(t *testing.T) {
	need.Clang(t)
	d := newDevice(t, `
#include <helper_math.h>
__global__ void vectors(float *out, int *whole) {
  float i = threadIdx.x;
  float3 a = make_float3(i, 1, -2), b = make_float3(2.0f) * a - make_float3(make_float2(1, i), 4);
  a += b / 2.0f;
  float3 n = normalize(b), c = cross(a, b), r = reflect(a, make_float3(0, 1, 0)), l = lerp(a, b, 0.25f), m = fmaxf(a, -b);
  float4 v = make_float4(a, 7);
  float *o = out + 16 * threadIdx.x;
  o[0] = dot(a, b), o[1] = length(b), o[2] = n.z, o[3] = c.x, o[4] = c.y, o[5] = c.z, o[6] = r.y, o[7] = l.x, o[8] = m.x;
  o[9] = clamp(a, -1.0f, 1.0f).z, o[10] = fracf(make_float2(1.25f, i)).x, o[11] = smoothstep(0.0f, 4.0f, i), o[12] = dot(v, v), o[13] = fabs(v).z, o[14] = (3.0f / make_float2(4, 5)).y;
  int3 k = make_int3(a) * 3 - make_int3(1, 2, 3);
  uint2 u = max(make_uint2(threadIdx.x) + 2u, make_uint2(4));
  int *w = whole + 4 * threadIdx.x;
  w[0] = k.x, w[1] = min(k, make_int3(0)).y, w[2] = dot(k, k), w[3] = u.x * 10 + u.y;
}`, toolchain.Options{}, sim.Options{Functional: true})
	const n = 6
	out, whole := make([]float32, 16*n), make([]int32, 4*n)
	outAt, wholeAt := d.buffer("out", out), d.buffer("whole", whole)
	d.launch("vectors", line(1), line(n), 0, outAt, wholeAt)
	d.read(outAt, out)
	d.read(wholeAt, whole)
	for thread := range n {
		i := float64(thread)
		b := [3]float64{2*i - 1, 2 - i, -4 - 4}
		a := [3]float64{i + b[0]/2, 1 + b[1]/2, -2 + b[2]/2}
		dot := func(p, q [3]float64) float64 { return p[0]*q[0] + p[1]*q[1] + p[2]*q[2] }
		y := math.Min(i/4, 1)
		want := []float64{dot(a, b), math.Sqrt(dot(b, b)), b[2] / math.Sqrt(dot(b, b)), a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2],
			a[0]*b[1] - a[1]*b[0],
			-a[1], a[0] + 0.25*(b[0]-a[0]), math.Max(a[0], -b[0]), -1, 0.25, y * y * (3 - 2*y), dot(a, a) + 49, math.Abs(a[2]), 0.6}
		for k, w := range want {
			assert.InDelta(t, w, out[16*thread+k], 1e-4*(1+math.Abs(w)), "thread %d, number %d", thread, k)
		}
		k := [3]int32{int32(a[0])*3 - 1, int32(a[1])*3 - 2, int32(a[2])*3 - 3}
		u := max(int32(thread)+2, 4)
		assert.Equal(t, []int32{k[0], min(k[1], 0), k[0]*k[0] + k[1]*k[1] + k[2]*k[2], 11 * u}, whole[4*thread:4*thread+4], "thread %d",
			thread)
	}
}
