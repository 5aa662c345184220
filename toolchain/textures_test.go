package toolchain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Texture and surface objects become the PTX instructions named alike. 8-bit types keep their size in surfaces.
func TestTexturesAndSurfaces(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, `
#include <texture_indirect_functions.h>
__global__ void k(float *f, uchar4 *u, short2 *h, char *c, longlong2 *l, cudaTextureObject_t t, cudaSurfaceObject_t s) {
  int x = threadIdx.x, y = blockIdx.x;
  f[0] = tex1D<float>(t, x); f[1] = tex2D<float>(t, x, y); f[2] = tex3D<float4>(t, x, y, 1).w; f[3] = texCubemap<float2>(t, x, y, 1).y;
  f[4] = texCubemapLayered<float>(t, x, y, 1, 2); f[5] = tex2DLod<float>(t, x, y, 1); f[6] = tex2Dgather<float4>(t, x, y, 2).x; tex1DLayered(f + 7, t, x, 3);
  u[0] = tex1Dfetch<uchar4>(t, x); h[0] = tex2DLayered<short2>(t, x, y, 1);
  c[0] = surf1Dread<char>(s, x); u[1] = surf2Dread<uchar4>(s, x, y, cudaBoundaryModeZero); f[8] = surf3Dread<float>(s, x, y, 1, cudaBoundaryModeClamp);
  surf1DLayeredread(l, s, x, 1);
  surf1Dwrite(c[1], s, x); surf2Dwrite(u[2], s, x, y, cudaBoundaryModeClamp); surf3Dwrite(h[1], s, x, y, 1); surf2DLayeredwrite(l[1], s, x, y, 2, cudaBoundaryModeZero);
}
int main() {
  cudaTextureObject_t t; cudaResourceDesc r; cudaTextureDesc d;
  cudaCreateTextureObject(&t, &r, &d, 0);
}
`, Options{})
	for _, form := range []string{
		"tex.1d.v4.f32.f32", "tex.2d.v4.f32.f32", "tex.3d.v4.f32.f32", "tex.cube.v4.f32.f32", "tex.acube.v4.f32.f32",
		"tex.level.2d.v4.f32.f32", "tld4.b.2d.v4.f32.f32", "tex.a1d.v4.f32.f32", "tex.1d.v4.u32.s32", "tex.a2d.v4.s32.f32",
		"suld.b.1d.b8.trap", "suld.b.2d.v4.b8.zero", "suld.b.3d.b32.clamp", "suld.b.a1d.v2.b64.trap", "sust.b.1d.b8.trap",
		"sust.b.2d.v4.b8.clamp", "sust.b.3d.v2.b16.trap", "sust.b.a2d.v2.b64.zero",
	} {
		assert.Contains(t, ptx, form)
	}
}

// Texture references become variables: of their own names, or of mangled names if static. Handles read them, also in functions that are not
// inlined.
func TestReferencesAreVariables(t *testing.T) {
	NeedClang(t)
	for _, level := range []string{"0", "3"} {
		ptx := compile(t, `
texture<float4, cudaTextureType3D> volume;
texture<unsigned short, cudaTextureTypeCubemapLayered, cudaReadModeNormalizedFloat> sky;
texture<int, cudaTextureType2DLayered> stack;
surface<void, 1> line;
static surface<void, cudaSurfaceType2DLayered> pile;
__device__ __noinline__ float of(float x) { return tex3D(volume, x, 2, 3).z; }
__global__ void k(float *f, uchar4 *u, int i) {
  f[0] = of(i); f[1] = texCubemapLayered(sky, 1, 2, 3, i); f[2] = tex2DLayered(stack, 1, 2, i);
  surf1Dread(f + 3, line, i); u[0] = surf2DLayeredread<uchar4>(pile, i, 1, 2); surf1Dwrite(f[4], line, i, cudaBoundaryModeZero);
}
`, Options{Level: level})
		for _, part := range []string{
			".visible .global .texref volume;", ".visible .global .texref sky;", ".global .surfref _ZL4pile;", "tex.3d.v4.f32.f32",
			"tex.acube.v4.f32.f32", "tex.a2d.v4.s32.f32", "suld.b.1d.b32.trap", "suld.b.a2d.v4.b8.trap", "sust.b.1d.b32.zero",
		} {
			assert.Contains(t, ptx, part, level)
		}
	}
}
