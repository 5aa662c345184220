// cuBLAS's banded matrices, for every type, triangle, operation and step: a line of figures for each call. recorded/bands.txt has what
// cuBLAS on a real GPU prints.
#include <cublas_v2.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static unsigned state = 2468;
static double draw() {
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / (1 << 24) * 2 - 1;
}
// Device memory with random numbers; those of one row of the array, the diagonal of systems to be solved, are made larger.
template <typename T, typename R> struct Numbers {
  std::vector<R> host;
  T *device;
  Numbers(int n, int ld = 0, int diagonal = 0) : host((size_t)n * sizeof(T) / sizeof(R)) {
    const int parts = sizeof(T) / sizeof(R);
    for (auto &v : host) v = (R)draw();
    for (int i = diagonal; ld && i < n; i += ld) host[i * parts] += 8;
    cudaMalloc((void **)&device, host.size() * sizeof(R));
    cudaMemcpy(device, host.data(), host.size() * sizeof(R), cudaMemcpyHostToDevice);
  }
  ~Numbers() { cudaFree(device); }
  void show(const char *what, int status, int i, int j, int k) {
    cudaMemcpy(host.data(), device, host.size() * sizeof(R), cudaMemcpyDeviceToHost);
    double sum = 0, weighed = 0;
    for (size_t e = 0; e < host.size(); e++) sum += host[e], weighed += host[e] * std::sin((double)e);
    const char *letters = sizeof(T) == sizeof(R) ? "sd" : "cz";
    printf("%c %s %d %d %d status %d: %.9g %.9g\n", letters[sizeof(R) / 8], what, i, j, k, status, sum, weighed);
  }
};
template <typename T, typename R> static T value(double re, double im) {
  R parts[2] = {(R)re, (R)im};
  T v;
  memcpy(&v, parts, sizeof v);
  return v;
}

static const int m = 37, n = 29, ld = 9;
static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasDiagType_t diags[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};

#define BANDS(P, SYMMETRIC, T, R)                                                                                                      \
  static void bands_##P(cublasHandle_t h) {                                                                                            \
    T alpha = value<T, R>(0.75, -0.5), beta = value<T, R>(-0.25, 0.125);                                                               \
    for (int step : {1, -2})                                                                                                           \
      for (auto op : ops)                                                                                                              \
        for (int kl : {0, 2, 5}) {                                                                                                     \
          Numbers<T, R> a(ld *m), x(100), y(100);                                                                                      \
          y.show("gbmv", cublas##P##gbmv(h, op, m, n, kl, 3, &alpha, a.device, ld, x.device, step, &beta, y.device, 2), op, kl, step); \
          y.show("gbmv", cublas##P##gbmv(h, op, m, n, 1, kl, &alpha, a.device, ld, x.device, step, &beta, y.device, -1), op, kl, step); \
        }                                                                                                                              \
    for (auto fill : fills)                                                                                                            \
      for (int k : {0, 1, 8}) {                                                                                                        \
        int diagonal = fill == CUBLAS_FILL_MODE_LOWER ? 0 : k;                                                                         \
        Numbers<T, R> a(ld *n, ld, diagonal), x(100), y(100);                                                                          \
        y.show(#SYMMETRIC, cublas##P##SYMMETRIC(h, fill, n, k, &alpha, a.device, ld, x.device, -1, &beta, y.device, 3), fill, k, 0);   \
        for (auto op : ops)                                                                                                            \
          for (auto diag : diags) {                                                                                                    \
            x.show("tbmv", cublas##P##tbmv(h, fill, op, diag, n, k, a.device, ld, x.device, 2), op, k, diag);                          \
            Numbers<T, R> b(100);                                                                                                      \
            if (diag == CUBLAS_DIAG_NON_UNIT || k == 1)                                                                                \
              b.show("tbsv", cublas##P##tbsv(h, fill, op, diag, n, k, a.device, ld, b.device, -1), op, k, diag);                       \
          }                                                                                                                            \
      }                                                                                                                                \
    Numbers<T, R> a(ld *m), x(100);                                                                                                    \
    x.show("tbmv", cublas##P##tbmv(h, fills[0], ops[0], diags[0], n, 9, a.device, ld, x.device, 1), 0, 9, 0);                          \
    x.show("tbsv", cublas##P##tbsv(h, fills[0], ops[0], diags[0], n, 2, a.device, ld, x.device, 0), 0, 2, 0);                          \
    x.show("gbmv", cublas##P##gbmv(h, ops[0], m, n, 5, 4, &alpha, a.device, ld, x.device, 1, &beta, x.device, 1), 5, 4, 0);            \
  }
BANDS(S, sbmv, float, float)
BANDS(D, sbmv, double, double)
BANDS(C, hbmv, cuComplex, float)
BANDS(Z, hbmv, cuDoubleComplex, double)

int main() {
  cublasHandle_t h;
  if (cublasCreate(&h) != CUBLAS_STATUS_SUCCESS) return 1;
  bands_S(h), bands_D(h), bands_C(h), bands_Z(h);
  return 0;
}
