// cuFFT's types and calls of each precision.
#include <cufft.h>
template <typename R> struct Kind;
template <> struct Kind<float> {
  typedef cufftComplex Z;
  static const char name = 's';
  static const cufftType c2c = CUFFT_C2C, r2c = CUFFT_R2C, c2r = CUFFT_C2R;
  static cufftResult all(cufftHandle p, Z *a, Z *b, int d) { return cufftExecC2C(p, a, b, d); }
  static cufftResult to(cufftHandle p, float *a, Z *b) { return cufftExecR2C(p, a, b); }
  static cufftResult from(cufftHandle p, Z *a, float *b) { return cufftExecC2R(p, a, b); }
};
template <> struct Kind<double> {
  typedef cufftDoubleComplex Z;
  static const char name = 'd';
  static const cufftType c2c = CUFFT_Z2Z, r2c = CUFFT_D2Z, c2r = CUFFT_Z2D;
  static cufftResult all(cufftHandle p, Z *a, Z *b, int d) { return cufftExecZ2Z(p, a, b, d); }
  static cufftResult to(cufftHandle p, double *a, Z *b) { return cufftExecD2Z(p, a, b); }
  static cufftResult from(cufftHandle p, Z *a, double *b) { return cufftExecZ2D(p, a, b); }
};
