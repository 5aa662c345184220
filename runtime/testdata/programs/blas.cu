// Every function of cuBLAS that is there, for every type, side, triangle and operation: a line of figures for each call. recorded/blas.txt has what
// cuBLAS on a real GPU prints.
#include <cublas_v2.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static unsigned state = 12345;
static double draw() {
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / (1 << 24) * 2 - 1;
}
template <typename T> struct Parts { static const int count = 1; typedef T real; };
template <> struct Parts<cuComplex> { static const int count = 2; typedef float real; };
template <> struct Parts<cuDoubleComplex> { static const int count = 2; typedef double real; };

// Device memory with random numbers. A diagonal is made larger, so that systems can be solved.
template <typename T> struct Numbers {
  typedef typename Parts<T>::real R;
  std::vector<R> host;
  T *device;
  Numbers(int n, int ld = 0) : host((size_t)n * Parts<T>::count) {
    for (auto &v : host) v = (R)draw();
    for (int i = 0; ld && (size_t)i * (ld + 1) < (size_t)n; i++) host[(size_t)i * (ld + 1) * Parts<T>::count] += 8;
    cudaMalloc((void **)&device, host.size() * sizeof(R));
    cudaMemcpy(device, host.data(), host.size() * sizeof(R), cudaMemcpyHostToDevice);
  }
  ~Numbers() { cudaFree(device); }
  void show(const char *what, int status, int i = -1, int j = -1, int k = -1) {
    cudaMemcpy(host.data(), device, host.size() * sizeof(R), cudaMemcpyDeviceToHost);
    double sum = 0, weighed = 0;
    for (size_t e = 0; e < host.size(); e++) sum += host[e], weighed += host[e] * std::sin((double)e);
    printf("%c %s %d %d %d status %d: %.9g %.9g\n", letter(), what, i, j, k, status, sum, weighed);
  }
  static char letter() { return sizeof(R) == 4 ? Parts<T>::count == 1 ? 's' : 'c' : Parts<T>::count == 1 ? 'd' : 'z'; }
};
template <typename R> static void show(char letter, const char *what, int status, R v) { printf("%c %s -1 -1 -1 status %d: %.9g 0\n", letter, what, status, (double)v); }

template <typename T> static T value(double re, double im) {
  T v;
  typename Parts<T>::real parts[2] = {(typename Parts<T>::real)re, (typename Parts<T>::real)im};
  memcpy(&v, parts, sizeof v);
  return v;
}

static const int m = 37, n = 29, k = 23, ld = 41;
static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasDiagType_t diags[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};

template <typename T> T **addresses(T *first, int step, int count) {
  std::vector<T *> all;
  for (int i = 0; i < count; i++) all.push_back(first + (size_t)i * step);
  T **device;
  cudaMalloc((void **)&device, count * sizeof(T *));
  cudaMemcpy(device, all.data(), count * sizeof(T *), cudaMemcpyHostToDevice);
  return device;
}

#define ALL(P, LOWER, T)                                                                                                                       \
  static void all_##P(cublasHandle_t h) {                                                                                                \
    T alpha = value<T>(0.75, -0.5), beta = value<T>(-0.25, 0.125);                                                                       \
    for (int step : {1, 2, -3}) {                                                                                                        \
      Numbers<T> x(300), y(300);                                                                                                         \
      y.show("axpy", cublas##P##axpy(h, 100, &alpha, x.device, step, y.device, 3 - (step == 2)), step);                                  \
      y.show("copy", cublas##P##copy(h, 50, x.device, step, y.device, -2), step);                                                        \
      y.show("swap", cublas##P##swap(h, 60, x.device, step, y.device, 1), step);                                                         \
      if (step > 0) x.show("scal", cublas##P##scal(h, 70, &alpha, x.device, step), step);                                                \
      int place = -1, status = cublasI##LOWER##amax(h, 99, x.device, step > 0 ? step : 3, &place);                                           \
      show(x.letter(), "amax", status, place);                                                                                           \
      status = cublasI##LOWER##amin(h, 99, x.device, step > 0 ? step : 3, &place);                                                           \
      show(x.letter(), "amin", status, place);                                                                                           \
    }                                                                                                                                    \
    for (auto a : ops) {                                                                                                                 \
      Numbers<T> A(ld * ld), x(3 * ld), y(3 * ld), C(ld * ld);                                                                           \
      y.show("gemv", cublas##P##gemv(h, a, m, n, &alpha, A.device, ld, x.device, 2, &beta, y.device, -1), a);                            \
      for (auto b : ops) {                                                                                                               \
        Numbers<T> B(ld * ld);                                                                                                           \
        C.show("gemm", cublas##P##gemm(h, a, b, m, n, k, &alpha, A.device, ld, B.device, ld, &beta, C.device, ld), a, b);                 \
      }                                                                                                                                  \
      for (auto b : ops) {                                                                                                               \
        Numbers<T> B(ld * ld);                                                                                                           \
        C.show("geam", cublas##P##geam(h, a, b, 29, 29, &alpha, A.device, ld, &beta, B.device, ld, C.device, ld), a, b);                  \
      }                                                                                                                                  \
      Numbers<T> As(4 * ld * ld), Bs(4 * ld * ld), Cs(4 * ld * ld);                                                                      \
      Cs.show("gemmStridedBatched", cublas##P##gemmStridedBatched(h, a, CUBLAS_OP_T, n, m, k, &alpha, As.device, ld, ld * ld, Bs.device, ld, 0, &beta, \
                                                                   Cs.device, ld, ld * ld, 4), a);                                       \
      T **pa = addresses(As.device, ld * ld, 4), **pb = addresses(Bs.device, ld * ld, 4), **pc = addresses(Cs.device, ld * ld, 4);        \
      Cs.show("gemmBatched", cublas##P##gemmBatched(h, CUBLAS_OP_N, a, 8, 9, 10, &alpha, pa, ld, pb, ld, &beta, pc, ld, 3), a);            \
    }                                                                                                                                    \
    for (auto side : sides) {                                                                                                            \
      Numbers<T> A(ld * ld), x(ld), C(ld * ld);                                                                                          \
      C.show("dgmm", cublas##P##dgmm(h, side, m, n, A.device, ld, x.device, 1, C.device, ld), side);                                     \
    }                                                                                                                                    \
    for (auto f : fills) {                                                                                                               \
      Numbers<T> A(ld * ld), x(3 * ld), y(3 * ld), B(ld * ld), C(ld * ld);                                                               \
      y.show("symv", cublas##P##symv(h, f, n, &alpha, A.device, ld, x.device, 3, &beta, y.device, 1), f);                                \
      C.show("syr", cublas##P##syr(h, f, n, &alpha, x.device, -2, C.device, ld), f);                                                     \
      C.show("syr2", cublas##P##syr2(h, f, n, &alpha, x.device, 1, y.device, 2, C.device, ld), f);                                       \
      for (auto side : sides) C.show("symm", cublas##P##symm(h, side, f, m, n, &alpha, A.device, ld, B.device, ld, &beta, C.device, ld), f, side); \
      for (auto a : {CUBLAS_OP_N, CUBLAS_OP_T}) {                                                                                        \
        C.show("syrk", cublas##P##syrk(h, f, a, n, k, &alpha, A.device, ld, &beta, C.device, ld), f, a);                                 \
        C.show("syr2k", cublas##P##syr2k(h, f, a, n, k, &alpha, A.device, ld, B.device, ld, &beta, C.device, ld), f, a);                  \
      }                                                                                                                                  \
      for (auto a : ops)                                                                                                                 \
        for (auto d : diags) {                                                                                                           \
          Numbers<T> D(ld * ld, ld), v(2 * ld), w(2 * ld), X(ld * ld);                                                                   \
          v.show("trmv", cublas##P##trmv(h, f, a, d, n, D.device, ld, v.device, 2), f, a, d);                                            \
          if (d == CUBLAS_DIAG_NON_UNIT) w.show("trsv", cublas##P##trsv(h, f, a, d, n, D.device, ld, w.device, -1), f, a, d);             \
          for (auto side : sides) {                                                                                                      \
            C.show("trmm", cublas##P##trmm(h, side, f, a, d, m, n, &alpha, D.device, ld, B.device, ld, C.device, ld), f, a, d);           \
            if (d == CUBLAS_DIAG_NON_UNIT)                                                                                               \
              X.show("trsm", cublas##P##trsm(h, side, f, a, d, m, n, &alpha, D.device, ld, X.device, ld), f, a, d);                       \
          }                                                                                                                              \
          B.show("trmm in place", cublas##P##trmm(h, CUBLAS_SIDE_LEFT, f, a, CUBLAS_DIAG_UNIT, m, n, &beta, D.device, ld, B.device, ld, B.device, ld), f, a, d); \
        }                                                                                                                                \
    }                                                                                                                                    \
    Numbers<T> A(3 * ld * ld, ld), C(3 * ld * ld), B(3 * ld * ld);                                                                       \
    T **pa = addresses(A.device, ld * ld, 3), **pb = addresses(B.device, ld * ld, 3), **pc = addresses(C.device, ld * ld, 3);             \
    int *pivots, *info, host_info = -1;                                                                                                  \
    cudaMalloc((void **)&pivots, 3 * 16 * sizeof(int)), cudaMalloc((void **)&info, 3 * sizeof(int));                                     \
    A.show("getrfBatched", cublas##P##getrfBatched(h, 16, pa, ld, pivots, info, 3));                                                     \
    C.show("getriBatched", cublas##P##getriBatched(h, 16, pa, ld, pivots, pc, ld, info, 3));                                             \
    for (auto a : ops) B.show("getrsBatched", cublas##P##getrsBatched(h, a, 16, 5, pa, ld, pivots, pb, ld, &host_info, 3), a);            \
    show(A.letter(), "info", 0, host_info);                                                                                              \
  }
ALL(S, s, float)
ALL(D, d, double)
ALL(C, c, cuComplex)
ALL(Z, z, cuDoubleComplex)

#define ALL_REAL(P, T)                                                                                                                  \
  static void real_##P(cublasHandle_t h) {                                                                                               \
    Numbers<T> x(300), y(300), A(ld * ld);                                                                                               \
    T alpha = 0.75, r = 0, c = 0.6, s = 0.8;                                                                                             \
    int status = cublas##P##dot(h, 100, x.device, 2, y.device, -1, &r);                                                                  \
    show(x.letter(), "dot", status, r);                                                                                                  \
    status = cublas##P##nrm2(h, 100, x.device, 3, &r), show(x.letter(), "nrm2", status, r);                                              \
    status = cublas##P##asum(h, 300, x.device, 1, &r), show(x.letter(), "asum", status, r);                                              \
    x.show("rot", cublas##P##rot(h, 90, x.device, 1, y.device, 2, &c, &s));                                                              \
    A.show("ger", cublas##P##ger(h, m, n, &alpha, x.device, 2, y.device, -2, A.device, ld));                                             \
    for (double a : {3.0, -0.5, 0.0})                                                                                                    \
      for (double b : {-4.0, 0.25, 0.0}) {                                                                                               \
        T p = (T)a, q = (T)b;                                                                                                            \
        status = cublas##P##rotg(h, &p, &q, &c, &s);                                                                                     \
        show(x.letter(), "rotg", status, p), show(x.letter(), "rotg", status, q), show(x.letter(), "rotg", status, c), show(x.letter(), "rotg", status, s); \
      }                                                                                                                                  \
    T *device;                                                                                                                           \
    cudaMalloc((void **)&device, 2 * sizeof(T)), cudaMemcpy(device, &alpha, sizeof(T), cudaMemcpyHostToDevice);                          \
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);                                                                                 \
    y.show("axpy by a device's number", cublas##P##axpy(h, 100, device, x.device, 1, y.device, 1));                                      \
    status = cublas##P##dot(h, 100, x.device, 1, y.device, 1, device + 1);                                                               \
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);                                                                                   \
    cudaMemcpy(&r, device + 1, sizeof r, cudaMemcpyDeviceToHost);                                                                        \
    show(x.letter(), "dot to the device", status, r);                                                                                    \
  }
ALL_REAL(S, float)
ALL_REAL(D, double)

#define ALL_COMPLEX(P, T, R, NRM2, ASUM, SCAL)                                                                                          \
  static void complex_##P(cublasHandle_t h) {                                                                                            \
    Numbers<T> x(300), y(300), A(ld * ld), B(ld * ld), C(ld * ld);                                                                       \
    T alpha = value<T>(0.75, -0.5), beta = value<T>(-0.25, 0.125), sum;                                                                  \
    R r = 0.5, s = -0.25;                                                                                                                \
    int status = cublas##P##dotu(h, 100, x.device, 2, y.device, -1, &sum);                                                               \
    show(x.letter(), "dotu", status, sum.x), show(x.letter(), "dotu", status, sum.y);                                                    \
    status = cublas##P##dotc(h, 100, x.device, 2, y.device, -1, &sum);                                                                   \
    show(x.letter(), "dotc", status, sum.x), show(x.letter(), "dotc", status, sum.y);                                                    \
    R norm;                                                                                                                              \
    status = NRM2(h, 100, x.device, 3, &norm), show(x.letter(), "nrm2", status, norm);                                                   \
    status = ASUM(h, 300, x.device, 1, &norm), show(x.letter(), "asum", status, norm);                                                   \
    x.show("scal by a real", SCAL(h, 100, &r, x.device, 2));                                                                             \
    A.show("geru", cublas##P##geru(h, m, n, &alpha, x.device, 2, y.device, -2, A.device, ld));                                           \
    A.show("gerc", cublas##P##gerc(h, m, n, &alpha, x.device, 2, y.device, -2, A.device, ld));                                           \
    for (auto f : fills) {                                                                                                               \
      y.show("hemv", cublas##P##hemv(h, f, n, &alpha, A.device, ld, x.device, 3, &beta, y.device, 1), f);                                \
      C.show("her", cublas##P##her(h, f, n, &r, x.device, -2, C.device, ld), f);                                                         \
      C.show("her2", cublas##P##her2(h, f, n, &alpha, x.device, 1, y.device, 2, C.device, ld), f);                                       \
      for (auto side : sides) C.show("hemm", cublas##P##hemm(h, side, f, m, n, &alpha, A.device, ld, B.device, ld, &beta, C.device, ld), f, side); \
      for (auto a : {CUBLAS_OP_N, CUBLAS_OP_C}) {                                                                                        \
        C.show("herk", cublas##P##herk(h, f, a, n, k, &r, A.device, ld, &s, C.device, ld), f, a);                                        \
        C.show("her2k", cublas##P##her2k(h, f, a, n, k, &alpha, A.device, ld, B.device, ld, &s, C.device, ld), f, a);                     \
      }                                                                                                                                  \
    }                                                                                                                                    \
  }
ALL_COMPLEX(C, cuComplex, float, cublasScnrm2, cublasScasum, cublasCsscal)
ALL_COMPLEX(Z, cuDoubleComplex, double, cublasDznrm2, cublasDzasum, cublasZdscal)

int main() {
  cublasHandle_t h;
  int status = cublasCreate(&h);
  all_S(h), all_D(h), all_C(h), all_Z(h);
  real_S(h), real_D(h), complex_C(h), complex_Z(h);
  float one = 1;
  Numbers<float> A(ld * ld), unused(2 * ld); // which draws the numbers that the recording drew
  A.show("wrong ld", cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, A.device, 3, A.device, 4, &one, A.device, 4));
  A.show("negative", cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 4, 4, &one, A.device, 4, A.device, 4, &one, A.device, 4));
  std::vector<double> host(64), back(64);
  for (auto &v : host) v = draw();
  Numbers<double> V(64);
  V.show("setVector", cublasSetVector(20, sizeof(double), host.data(), 3, V.device, 2));
  status |= cublasGetVector(10, sizeof(double), V.device, 2, back.data(), 1);
  V.show("setMatrix", cublasSetMatrix(5, 6, sizeof(double), host.data(), 8, V.device, 10));
  status |= cublasGetMatrix(5, 6, sizeof(double), V.device, 10, back.data() + 20, 7);
  double sum = 0;
  for (int i = 0; i < 64; i++) sum += back[i] * std::sin((double)i);
  show('d', "back", status, sum);
  cublasDestroy(h);
}
