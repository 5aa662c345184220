// CUDA's functions of <math.h> in host code, in kernels, and in a function of both.
#include <cmath>
#include <cstdio>
__host__ __device__ double both(double x) { return rsqrt(x) + normcdf(x) + erfinv(x / 4) + cospi(x); }
__global__ void device(double *out) { *out = both(2.25); }
template <typename T> T rcbrt(T x, T) { return x; } // of the program's own
extern float rsqrtf(float x); // declared again, as in C
int main() {
  ptrdiff_t at = 1; // of <stddef.h>, which the toolkit's header includes
  double host = both(2.25), *out;
  cudaMallocManaged(&out, 2 * sizeof *out);
  device<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%.12g %.12g\n", host, *(out + at - 1));
  printf("%.9g %.9g %.9g %.9g %.9g %.9g\n", normcdfinv(0.025), erfcinv(1e-10), erfinv(-0.3), erfcx(30.0), sinpi(-2.5), rcbrt(8.0));
  // Near where a rounded difference or product would have lost digits.
  double sine, cosine, v[] = {3, 4, 12};
  sincospi(1e6 + 0.25, &sine, &cosine);
  printf("%.14g %.14g %.14g %.14g %d\n", erfinv(1e-10) * 1e10, erfcinv(1.0), sinpi(6.99), cospi(0.5 + 1e-9) * 1e9, fabs(sine - cosine) < 2e-16);
  printf("%g %g %g %g\n", norm(3, v), rnorm3d(3.0, 4.0, 12.0), rhypotf(3, 4), cyl_bessel_i1(-1.0));
  printf("%g %g %d\n", rsqrtf(4.0f), normcdf(0.0f), (int)sizeof normcdfinv(0.5f));
}
