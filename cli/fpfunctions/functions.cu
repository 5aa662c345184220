// The functions that 'keplersim fp cos' and its like compare: each kernel stores what a card computes of x.
#define FUNCTIONS(name)                                                                            \
  extern "C" __global__ void f64_##name(double x, double *y) { *y = name(x); }                     \
  extern "C" __global__ void f32_##name(float x, float *y) { *y = name##f(x); }                    \
  extern "C" __global__ void fast_##name(float x, float *y) { *y = __##name##f(x); }

FUNCTIONS(cos)
FUNCTIONS(sin)
FUNCTIONS(exp)
FUNCTIONS(log)
