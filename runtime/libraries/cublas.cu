// cuBLAS on the simulated device: each function checks its arguments as cuBLAS does and launches kernels of blas_kernels.cuh.
#define __KS_CUBLAS_V1 // definitions have the names of the second interface
#include "cublas_v2.h"
#include "blas_kernels.cuh"
#include <stdlib.h>
#include <string.h>

struct cublasContext {
  cudaStream_t stream;
  cublasPointerMode_t mode;
  cublasAtomicsMode_t atomics;
  cublasMath_t math;
  void *result;  // of a sum that goes to the host
  void *room;    // for results that may not lie over their inputs
  size_t bytes;
};

namespace {

#define CHECK(OK) do { if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED; if (!(OK)) return CUBLAS_STATUS_INVALID_VALUE; } while (0)

cublasStatus_t launched() { return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED; }

template <typename T> Scalar<T> scalar(cublasHandle_t h, const T *p) {
  if (h->mode == CUBLAS_POINTER_MODE_DEVICE) return {T{}, p};
  return {*p, nullptr};
}
template <typename T> Scalar<T> constant(Real<T> v) { return {number<T>(v), nullptr}; }
// A real factor of a complex product.
template <typename T> Scalar<T> widened(cublasHandle_t h, const Real<T> *p) {
  Real<T> v;
  if (h->mode == CUBLAS_POINTER_MODE_DEVICE) cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
  else v = *p;
  return constant<T>(v);
}
// While its stream is captured a call may take more memory, and leaves what captured commands use.
void *room(cublasHandle_t h, size_t bytes) {
  if (bytes <= h->bytes) return h->room;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaStreamIsCapturing(h->stream, &status);
  if (status == cudaStreamCaptureStatusNone) cudaFree(h->room);
  cudaThreadExchangeStreamCaptureMode(&mode);
  h->room = nullptr, h->bytes = cudaMalloc(&h->room, bytes) == cudaSuccess ? bytes : 0;
  cudaThreadExchangeStreamCaptureMode(&mode);
  return h->room;
}
int blocks(int n) { return n > 256 * 512 ? 512 : (n + 255) / 256; }
dim3 tiles(int m, int n) { return dim3((m + 15) / 16, (n + 15) / 16); }
Part part_of(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER ? LOWER_PART : UPPER_PART; }
bool known(cublasOperation_t op) { return op >= CUBLAS_OP_N && op <= CUBLAS_OP_C; }
int most(int a, int b) { return a > b ? a : b; }

// Runs a sum, and brings its result to where the caller wants it.
template <typename R, typename Run> cublasStatus_t sum(cublasHandle_t h, int n, R *result, Run run) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  R *to = h->mode == CUBLAS_POINTER_MODE_DEVICE ? result : (R *)h->result;
  if (n <= 0) cudaMemsetAsync(to, 0, sizeof(R), h->stream);
  else run(to);
  if (h->mode == CUBLAS_POINTER_MODE_HOST) {
    cudaMemcpyAsync(result, to, sizeof(R), cudaMemcpyDeviceToHost, h->stream);
    cudaStreamSynchronize(h->stream);
  }
  return launched();
}
template <typename T> Product<T> product(int m, int n, int k, Scalar<T> alpha, Matrix<T> a, Matrix<T> b, Scalar<T> beta, T *c, int ldc) {
  return {m, n, k, alpha, beta, a, b, c, ldc, ALL, false, {}};
}
template <typename T> cublasStatus_t copy_back(cublasHandle_t h, const T *from, int m, int n, T *to, int ld) {
  cudaMemcpy2DAsync(to, ld * sizeof(T), from, m * sizeof(T), m * sizeof(T), n, cudaMemcpyDeviceToDevice, h->stream);
  return launched();
}

template <typename T>
cublasStatus_t symmetric_product(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, Shape shape, int m, int n, const T *alpha, const T *A,
                                 int lda, const T *B, int ldb, const T *beta, T *C, int ldc) {
  bool left = side == CUBLAS_SIDE_LEFT;
  CHECK(m >= 0 && n >= 0 && lda >= most(1, left ? m : n) && ldb >= most(1, m) && ldc >= most(1, m));
  Matrix<T> a = symmetric(A, lda, uplo, shape), b = general(B, ldb, CUBLAS_OP_N);
  launch_product(product(m, n, left ? m : n, scalar(handle, alpha), left ? a : b, left ? b : a, scalar(handle, beta), C, ldc), 1, handle->stream);
  return launched();
}
// C = alpha op(A) op(B)^T (or ^H) + beta C in one triangle; with both, also of A and B in each other's place.
template <typename T>
cublasStatus_t rank_k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, Scalar<T> alpha, const T *A, int lda, const T *B,
                      int ldb, Scalar<T> beta, T *C, int ldc, bool hermitian, bool both) {
  CHECK(n >= 0 && k >= 0 && lda >= most(1, trans == CUBLAS_OP_N ? n : k) && ldb >= most(1, trans == CUBLAS_OP_N ? n : k) && ldc >= most(1, n));
  auto seen = [=](const T *p, int ld, bool second) {
    bool across = (trans != CUBLAS_OP_N) != second;
    Matrix<T> m = general(p, ld, across ? CUBLAS_OP_T : CUBLAS_OP_N);
    m.conjugated = hermitian && (trans != CUBLAS_OP_N) != second;
    return m;
  };
  Product<T> g = product(n, n, k, alpha, seen(A, lda, false), seen(B, ldb, true), beta, C, ldc);
  g.part = part_of(uplo), g.real_diagonal = hermitian && !both;
  launch_product(g, 1, handle->stream);
  if (both) {
    g.a = seen(B, ldb, false), g.b = seen(A, lda, true), g.beta = constant<T>(1), g.real_diagonal = hermitian;
    if (hermitian && alpha.p) cudaMemcpy(&alpha.value, alpha.p, sizeof(T), cudaMemcpyDeviceToHost), alpha.p = nullptr;
    if (hermitian) g.alpha = {conjugate(alpha.value), nullptr};
    launch_product(g, 1, handle->stream);
  }
  return launched();
}
template <typename T>
cublasStatus_t solve_sides(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n,
                           Scalar<T> alpha, const T *A, int lda, T *B, int ldb, const T *const *As, T *const *Bs, int count) {
  bool left = side == CUBLAS_SIDE_LEFT;
  CHECK(m >= 0 && n >= 0 && count >= 0 && known(trans) && lda >= most(1, left ? m : n) && ldb >= most(1, m));
  if (!m || !n || !count) return CUBLAS_STATUS_SUCCESS;
  // X op(A) = B is op(A)^T X^T = B^T.
  cublasOperation_t op = left ? trans : trans == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
  Matrix<T> a = triangular(A, lda, uplo, op, diag);
  a.conjugated = trans == CUBLAS_OP_C;
  Sides<T> b = {B, left ? 1 : (long)ldb, left ? (long)ldb : 1, Bs, As};
  solve<<<dim3(left ? n : m, count), 128, 0, handle->stream>>>(left ? m : n, a, alpha, b);
  return launched();
}
template <typename T, typename M>
cublasStatus_t triangle_times_vector(cublasHandle_t handle, int n, M a, T *x, int incx) {
  T *made = (T *)room(handle, n * sizeof(T));
  if (n && !made) return CUBLAS_STATUS_ALLOC_FAILED;
  launch_rows(n, n, constant<T>(1), a, Vector<const T>(x, n, incx), constant<T>(0), Vector<T>(made, n, 1), handle->stream);
  if (n) copy_vector<<<blocks(n), 256, 0, handle->stream>>>(n, Vector<const T>(made, n, 1), Vector<T>(x, n, incx));
  return launched();
}
template <typename T, typename M>
cublasStatus_t solve_vector(cublasHandle_t handle, int n, M a, T *x, int incx) {
  Vector<T> v(x, n, incx);
  if (n) solve<<<1, 128, 0, handle->stream>>>(n, a, constant<T>(1), Sides<T>{v.p, v.step, 0, nullptr, nullptr});
  return launched();
}
template <typename T>
cublasStatus_t symmetric_band_times_vector(cublasHandle_t handle, cublasFillMode_t uplo, Shape shape, int n, int k, const T *alpha, const T *A, int lda,
                                           const T *x, int incx, const T *beta, T *y, int incy) {
  CHECK(n >= 0 && k >= 0 && lda > k && incx && incy);
  launch_rows(n, n, scalar(handle, alpha), banded_symmetric(A, lda, k, uplo, shape), Vector<const T>(x, n, incx), scalar(handle, beta),
              Vector<T>(y, n, incy), handle->stream);
  return launched();
}
template <typename T>
cublasStatus_t triangle_times_matrix(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m,
                                     int n, const T *alpha, const T *A, int lda, const T *B, int ldb, T *C, int ldc) {
  bool left = side == CUBLAS_SIDE_LEFT;
  CHECK(m >= 0 && n >= 0 && known(trans) && lda >= most(1, left ? m : n) && ldb >= most(1, m) && ldc >= most(1, m));
  T *to = B == C ? (T *)room(handle, (size_t)m * n * sizeof(T)) : C;
  if (B == C && m && n && !to) return CUBLAS_STATUS_ALLOC_FAILED;
  Matrix<T> a = triangular(A, lda, uplo, trans, diag), b = general(B, ldb, CUBLAS_OP_N);
  launch_product(product(m, n, left ? m : n, scalar(handle, alpha), left ? a : b, left ? b : a, constant<T>(0), to, B == C ? m : ldc), 1, handle->stream);
  return B == C && m && n ? copy_back(handle, to, m, n, C, ldc) : launched();
}
template <typename T>
cublasStatus_t outer(cublasHandle_t handle, int m, int n, Scalar<T> alpha, const T *x, int incx, const T *y, int incy, T *A, int lda, Part part, bool conjugated,
                     bool both) {
  CHECK(m >= 0 && n >= 0 && incx && incy && lda >= most(1, m));
  RankOne<T> r = {m, n, alpha, Vector<const T>(x, m, incx), Vector<const T>(y, n, incy), A, lda, part, conjugated, both};
  if (m && n) add_outer<<<tiles(m, n), 256, 0, handle->stream>>>(r);
  return launched();
}
// Both ways of copying between host and device, element by element where steps say so.
cublasStatus_t transfer(int rows, int columns, size_t element, const void *from, size_t from_pitch, void *to, size_t to_pitch, cudaMemcpyKind kind,
                        cudaStream_t stream, bool async) {
  if (rows < 0 || columns < 0 || !element || !from_pitch || !to_pitch) return CUBLAS_STATUS_INVALID_VALUE;
  if (!rows || !columns) return CUBLAS_STATUS_SUCCESS;
  cudaError_t error = async ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, rows * element, columns, kind, stream)
                            : cudaMemcpy2D(to, to_pitch, from, from_pitch, rows * element, columns, kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

} // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  cublasContext made = {};
  if (cudaMalloc(&made.result, 16) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
  *handle = (cublasHandle_t)malloc(sizeof made);
  **handle = made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  CHECK(true);
  cudaFree(handle->result), cudaFree(handle->room), free(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
  CHECK(version);
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
#define SETTING(SET, GET, T, FIELD)                                                                                                  \
  cublasStatus_t SET(cublasHandle_t handle, T value) { CHECK(true); handle->FIELD = value; return CUBLAS_STATUS_SUCCESS; }            \
  cublasStatus_t GET(cublasHandle_t handle, T *value) { CHECK(value); *value = handle->FIELD; return CUBLAS_STATUS_SUCCESS; }
SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, mode)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)
SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math)
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *, size_t) { CHECK(true); return CUBLAS_STATUS_SUCCESS; }

#define EACH_STATUS(DO)                                                                                                               \
  DO(CUBLAS_STATUS_SUCCESS, "success") DO(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized")                            \
  DO(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed") DO(CUBLAS_STATUS_INVALID_VALUE, "an invalid value was used as an argument") \
  DO(CUBLAS_STATUS_ARCH_MISMATCH, "an absent device architectural feature is required")                                               \
  DO(CUBLAS_STATUS_MAPPING_ERROR, "an access to GPU memory space failed") DO(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed to launch on the GPU") \
  DO(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed") DO(CUBLAS_STATUS_NOT_SUPPORTED, "the functionality is not supported") \
  DO(CUBLAS_STATUS_LICENSE_ERROR, "an error was detected when checking the current licensing")
#define STATUS_NAME(NAME, TEXT) case NAME: return #NAME;
#define STATUS_TEXT(NAME, TEXT) case NAME: return TEXT;
const char *cublasGetStatusName(cublasStatus_t status) { switch (status) { EACH_STATUS(STATUS_NAME) } return "unknown status"; }
const char *cublasGetStatusString(cublasStatus_t status) { switch (status) { EACH_STATUS(STATUS_TEXT) } return "unknown status"; }

#define TRANSFER(WAY, KIND)                                                                                                            \
  cublasStatus_t cublas##WAY##Vector(int n, int e, const void *from, int from_step, void *to, int to_step) {                            \
    return transfer(1, n, e, from, (size_t)from_step * e, to, (size_t)to_step * e, KIND, nullptr, false);                              \
  }                                                                                                                                    \
  cublasStatus_t cublas##WAY##VectorAsync(int n, int e, const void *from, int from_step, void *to, int to_step, cudaStream_t stream) {  \
    return transfer(1, n, e, from, (size_t)from_step * e, to, (size_t)to_step * e, KIND, stream, true);                                \
  }                                                                                                                                    \
  cublasStatus_t cublas##WAY##Matrix(int rows, int columns, int e, const void *from, int from_ld, void *to, int to_ld) {                \
    return transfer(rows, columns, e, from, (size_t)from_ld * e, to, (size_t)to_ld * e, KIND, nullptr, false);                         \
  }                                                                                                                                    \
  cublasStatus_t cublas##WAY##MatrixAsync(int rows, int columns, int e, const void *from, int from_ld, void *to, int to_ld, cudaStream_t stream) { \
    return transfer(rows, columns, e, from, (size_t)from_ld * e, to, (size_t)to_ld * e, KIND, stream, true);                           \
  }
TRANSFER(Set, cudaMemcpyHostToDevice)
TRANSFER(Get, cudaMemcpyDeviceToHost)

#define H cublasHandle_t handle
#define TRIANGLE cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag
#define BLAS(P, LOWER, T, R)                                                                                                                        \
  cublasStatus_t P##axpy_v2(H, int n, const T *alpha, const T *x, int incx, T *y, int incy) {                                   \
    CHECK(true);                                                                                                                       \
    if (n > 0) axpy<<<blocks(n), 256, 0, handle->stream>>>(n, scalar(handle, alpha), Vector<const T>(x, n, incx), Vector<T>(y, n, incy)); \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##copy_v2(H, int n, const T *x, int incx, T *y, int incy) {                                                   \
    CHECK(true);                                                                                                                       \
    if (n > 0) copy_vector<<<blocks(n), 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), Vector<T>(y, n, incy));               \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##swap_v2(H, int n, T *x, int incx, T *y, int incy) {                                                         \
    CHECK(true);                                                                                                                       \
    if (n > 0) swap_vectors<<<blocks(n), 256, 0, handle->stream>>>(n, Vector<T>(x, n, incx), Vector<T>(y, n, incy));                    \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##scal_v2(H, int n, const T *alpha, T *x, int incx) {                                                         \
    CHECK(true);                                                                                                                       \
    if (n > 0 && incx > 0) scale<T, T><<<blocks(n), 256, 0, handle->stream>>>(n, scalar(handle, alpha), Vector<T>(x, n, incx));         \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t cublasI##LOWER##amax_v2(H, int n, const T *x, int incx, int *result) {                                                     \
    return sum(handle, incx > 0 ? n : 0, result, [=](int *to) { extreme<<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), true, to); }); \
  }                                                                                                                                    \
  cublasStatus_t cublasI##LOWER##amin_v2(H, int n, const T *x, int incx, int *result) {                                                     \
    return sum(handle, incx > 0 ? n : 0, result, [=](int *to) { extreme<<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), false, to); }); \
  }                                                                                                                                    \
  cublasStatus_t P##gemv_v2(H, cublasOperation_t trans, int m, int n, const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta, \
                                    T *y, int incy) {                                                                                  \
    CHECK(known(trans) && m >= 0 && n >= 0 && lda >= most(1, m) && incx && incy);                                                      \
    int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m;                                                   \
    if (m && n) launch_rows(rows, columns, scalar(handle, alpha), general(A, lda, trans), Vector<const T>(x, columns, incx),            \
                            scalar(handle, beta), Vector<T>(y, rows, incy), handle->stream);                                           \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##symv_v2(H, cublasFillMode_t uplo, int n, const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta, T *y, \
                                    int incy) {                                                                                        \
    CHECK(n >= 0 && lda >= most(1, n) && incx && incy);                                                                                \
    launch_rows(n, n, scalar(handle, alpha), symmetric(A, lda, uplo, SYMMETRIC), Vector<const T>(x, n, incx), scalar(handle, beta),     \
                Vector<T>(y, n, incy), handle->stream);                                                                                \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##trmv_v2(H, TRIANGLE, int n, const T *A, int lda, T *x, int incx) {                                                 \
    CHECK(n >= 0 && known(trans) && lda >= most(1, n) && incx);                                                                        \
    return triangle_times_vector(handle, n, triangular(A, lda, uplo, trans, diag), x, incx);                                           \
  }                                                                                                                                    \
  cublasStatus_t P##trsv_v2(H, TRIANGLE, int n, const T *A, int lda, T *x, int incx) {                                                 \
    CHECK(n >= 0 && known(trans) && lda >= most(1, n) && incx);                                                                        \
    return solve_vector(handle, n, triangular(A, lda, uplo, trans, diag), x, incx);                                                    \
  }                                                                                                                                    \
  cublasStatus_t P##tbmv_v2(H, TRIANGLE, int n, int k, const T *A, int lda, T *x, int incx) {                                          \
    CHECK(n >= 0 && k >= 0 && known(trans) && lda > k && incx);                                                                        \
    return triangle_times_vector(handle, n, banded_triangle(A, lda, k, uplo, trans, diag), x, incx);                                   \
  }                                                                                                                                    \
  cublasStatus_t P##tbsv_v2(H, TRIANGLE, int n, int k, const T *A, int lda, T *x, int incx) {                                          \
    CHECK(n >= 0 && k >= 0 && known(trans) && lda > k && incx);                                                                        \
    return solve_vector(handle, n, banded_triangle(A, lda, k, uplo, trans, diag), x, incx);                                            \
  }                                                                                                                                    \
  cublasStatus_t P##gbmv_v2(H, cublasOperation_t trans, int m, int n, int kl, int ku, const T *alpha, const T *A, int lda, const T *x, \
                            int incx, const T *beta, T *y, int incy) {                                                                 \
    CHECK(known(trans) && m >= 0 && n >= 0 && kl >= 0 && ku >= 0 && lda > kl + ku && incx && incy);                                    \
    bool across = trans != CUBLAS_OP_N;                                                                                                \
    int rows = across ? n : m, columns = across ? m : n;                                                                               \
    if (m && n) launch_rows(rows, columns, scalar(handle, alpha), banded(general(A, lda, trans), kl, ku, across),                      \
                            Vector<const T>(x, columns, incx), scalar(handle, beta), Vector<T>(y, rows, incy), handle->stream);        \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##syr_v2(H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, T *A, int lda) {              \
    CHECK(true);                                                                                                                       \
    return outer(handle, n, n, scalar(handle, alpha), x, incx, x, incx, A, lda, part_of(uplo), false, false);                          \
  }                                                                                                                                    \
  cublasStatus_t P##syr2_v2(H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *A, int lda) { \
    CHECK(true);                                                                                                                       \
    return outer(handle, n, n, scalar(handle, alpha), x, incx, y, incy, A, lda, part_of(uplo), false, true);                           \
  }                                                                                                                                    \
  cublasStatus_t P##gemm_v2(H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha, const T *A, int lda, \
                                    const T *B, int ldb, const T *beta, T *C, int ldc) {                                               \
    return P##gemmStridedBatched(handle, transa, transb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1);             \
  }                                                                                                                                    \
  cublasStatus_t P##gemmStridedBatched(H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha, const T *A, \
                                               int lda, long long stridea, const T *B, int ldb, long long strideb, const T *beta, T *C, int ldc, \
                                               long long stridec, int count) {                                                         \
    CHECK(known(transa) && known(transb) && m >= 0 && n >= 0 && k >= 0 && count >= 0 && lda >= most(1, transa == CUBLAS_OP_N ? m : k) && \
          ldb >= most(1, transb == CUBLAS_OP_N ? k : n) && ldc >= most(1, m));                                                         \
    Product<T> g = product(m, n, k, scalar(handle, alpha), general(A, lda, transa), general(B, ldb, transb), scalar(handle, beta), C, ldc); \
    g.batch.step_a = stridea, g.batch.step_b = strideb, g.batch.step_c = stridec;                                                      \
    launch_product(g, count, handle->stream);                                                                                          \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##gemmBatched(H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha, const T *const A[], \
                                        int lda, const T *const B[], int ldb, const T *beta, T *const C[], int ldc, int count) {       \
    CHECK(known(transa) && known(transb) && m >= 0 && n >= 0 && k >= 0 && count >= 0 && lda >= most(1, transa == CUBLAS_OP_N ? m : k) && \
          ldb >= most(1, transb == CUBLAS_OP_N ? k : n) && ldc >= most(1, m));                                                         \
    Product<T> g = product(m, n, k, scalar(handle, alpha), general((const T *)nullptr, lda, transa), general((const T *)nullptr, ldb, transb), \
                           scalar(handle, beta), (T *)nullptr, ldc);                                                                   \
    g.batch.a = A, g.batch.b = B, g.batch.c = C;                                                                                       \
    launch_product(g, count, handle->stream);                                                                                          \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##symm_v2(H, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *A, int lda, const T *B, \
                                    int ldb, const T *beta, T *C, int ldc) {                                                           \
    return symmetric_product(handle, side, uplo, SYMMETRIC, m, n, alpha, A, lda, B, ldb, beta, C, ldc);                                \
  }                                                                                                                                    \
  cublasStatus_t P##syrk_v2(H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *A, int lda, const T *beta, \
                                    T *C, int ldc) {                                                                                   \
    CHECK(known(trans));                                                                                                               \
    return rank_k(handle, uplo, trans, n, k, scalar(handle, alpha), A, lda, A, lda, scalar(handle, beta), C, ldc, false, false);        \
  }                                                                                                                                    \
  cublasStatus_t P##syr2k_v2(H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *A, int lda, const T *B, \
                                     int ldb, const T *beta, T *C, int ldc) {                                                          \
    CHECK(known(trans));                                                                                                               \
    return rank_k(handle, uplo, trans, n, k, scalar(handle, alpha), A, lda, B, ldb, scalar(handle, beta), C, ldc, false, true);         \
  }                                                                                                                                    \
  cublasStatus_t P##trmm_v2(H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, \
                                    const T *alpha, const T *A, int lda, const T *B, int ldb, T *C, int ldc) {                         \
    return triangle_times_matrix(handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C, ldc);                                \
  }                                                                                                                                    \
  cublasStatus_t P##trsm_v2(H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, \
                                    const T *alpha, const T *A, int lda, T *B, int ldb) {                                              \
    CHECK(true);                                                                                                                       \
    return solve_sides(handle, side, uplo, trans, diag, m, n, scalar(handle, alpha), A, lda, B, ldb, (const T *const *)nullptr, (T *const *)nullptr, 1); \
  }                                                                                                                                    \
  cublasStatus_t P##trsmBatched(H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, \
                                        const T *alpha, const T *const A[], int lda, T *const B[], int ldb, int count) {               \
    CHECK(true);                                                                                                                       \
    return solve_sides(handle, side, uplo, trans, diag, m, n, scalar(handle, alpha), (const T *)nullptr, lda, (T *)nullptr, ldb, A, B, count); \
  }                                                                                                                                    \
  cublasStatus_t P##geam(H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, const T *alpha, const T *A, int lda, const T *beta, \
                                 const T *B, int ldb, T *C, int ldc) {                                                                 \
    CHECK(known(transa) && known(transb) && m >= 0 && n >= 0 && ldc >= most(1, m));                                                    \
    if (m && n) add_matrices<<<tiles(m, n), 256, 0, handle->stream>>>(m, n, scalar(handle, alpha), general(A, lda, transa), scalar(handle, beta), \
                                                                      general(B, ldb, transb), C, (long)ldc);                          \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##dgmm(H, cublasSideMode_t mode, int m, int n, const T *A, int lda, const T *x, int incx, T *C, int ldc) {    \
    CHECK(m >= 0 && n >= 0 && lda >= most(1, m) && ldc >= most(1, m));                                                                 \
    bool left = mode == CUBLAS_SIDE_LEFT;                                                                                              \
    if (m && n) times_diagonal<<<tiles(m, n), 256, 0, handle->stream>>>(m, n, A, (long)lda, Vector<const T>(x, left ? m : n, incx), left, C, (long)ldc); \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##getrfBatched(H, int n, T *const A[], int lda, int *pivots, int *info, int count) {                          \
    CHECK(n >= 0 && count >= 0 && info && lda >= most(1, n));                                                                          \
    if (n && count) factor<<<count, 128, 0, handle->stream>>>(n, A, (long)lda, pivots, info);                                          \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##getrsBatched(H, cublasOperation_t trans, int n, int nrhs, const T *const A[], int lda, const int *pivots, T *const B[], \
                                         int ldb, int *info, int count) {                                                              \
    CHECK(known(trans) && n >= 0 && nrhs >= 0 && count >= 0 && info && lda >= most(1, n) && ldb >= most(1, n));                        \
    *info = 0;                                                                                                                         \
    if (!n || !nrhs || !count) return CUBLAS_STATUS_SUCCESS;                                                                           \
    bool plain = trans == CUBLAS_OP_N;                                                                                                 \
    if (plain && pivots) permute<<<count, 128, 0, handle->stream>>>(n, nrhs, pivots, false, false, B, (long)ldb);                      \
    cublasFillMode_t first = plain ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, then = plain ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; \
    for (cublasFillMode_t uplo : {first, then})                                                                                        \
      solve_sides(handle, CUBLAS_SIDE_LEFT, uplo, trans, uplo == CUBLAS_FILL_MODE_LOWER ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, n, nrhs, \
                  constant<T>(1), (const T *)nullptr, lda, (T *)nullptr, ldb, A, B, count);                                            \
    if (!plain && pivots) permute<<<count, 128, 0, handle->stream>>>(n, nrhs, pivots, true, false, B, (long)ldb);                      \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##getriBatched(H, int n, const T *const A[], int lda, const int *pivots, T *const C[], int ldc, int *info, int count) { \
    CHECK(n >= 0 && count >= 0 && info && lda >= most(1, n) && ldc >= most(1, n));                                                     \
    if (!n || !count) return CUBLAS_STATUS_SUCCESS;                                                                                    \
    cudaMemsetAsync(info, 0, count * sizeof(int), handle->stream);                                                                     \
    permute<<<count, 128, 0, handle->stream>>>(n, n, pivots, false, true, C, (long)ldc);                                               \
    for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})                                                     \
      solve_sides(handle, CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_N, uplo == CUBLAS_FILL_MODE_LOWER ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, n, n, \
                  constant<T>(1), (const T *)nullptr, lda, (T *)nullptr, ldc, A, C, count);                                            \
    return launched();                                                                                                                 \
  }
__KS_BLAS_SAME(BLAS)

#define BLAS_REAL(P, T)                                                                                                                \
  cublasStatus_t P##dot_v2(H, int n, const T *x, int incx, const T *y, int incy, T *result) {                                   \
    return sum(handle, n, result, [=](T *to) {                                                                                         \
      dot<<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), Vector<const T>(y, n, incy), false, to);                      \
    });                                                                                                                                \
  }                                                                                                                                    \
  cublasStatus_t P##nrm2_v2(H, int n, const T *x, int incx, T *result) {                                                        \
    return sum(handle, incx > 0 ? n : 0, result, [=](T *to) { norm<T><<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), to); }); \
  }                                                                                                                                    \
  cublasStatus_t P##asum_v2(H, int n, const T *x, int incx, T *result) {                                                        \
    return sum(handle, incx > 0 ? n : 0, result, [=](T *to) { sum_magnitudes<T><<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), to); }); \
  }                                                                                                                                    \
  cublasStatus_t P##rot_v2(H, int n, T *x, int incx, T *y, int incy, const T *c, const T *s) {                                  \
    CHECK(true);                                                                                                                       \
    if (n > 0) rotate<<<blocks(n), 256, 0, handle->stream>>>(n, Vector<T>(x, n, incx), Vector<T>(y, n, incy), scalar(handle, c), scalar(handle, s)); \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##rotg_v2(H, T *a, T *b, T *c, T *s) {                                                                        \
    CHECK(a && b && c && s);                                                                                                           \
    if (handle->mode == CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_NOT_SUPPORTED;                                                \
    T larger = magnitude(*a) > magnitude(*b) ? *a : *b, sum_of_both = magnitude(*a) + magnitude(*b), z;                                \
    if (sum_of_both == 0) return *c = 1, *s = *a = *b = 0, CUBLAS_STATUS_SUCCESS;                                                      \
    T x = *a / sum_of_both, y = *b / sum_of_both, r = sum_of_both * (T)__builtin_sqrt((double)(x * x + y * y));                         \
    if (larger < 0) r = -r;                                                                                                            \
    *c = *a / r, *s = *b / r;                                                                                                          \
    z = magnitude(*a) > magnitude(*b) ? *s : *c != 0 ? 1 / *c : 1;                                                                     \
    *a = r, *b = z;                                                                                                                    \
    return CUBLAS_STATUS_SUCCESS;                                                                                                      \
  }                                                                                                                                    \
  cublasStatus_t P##sbmv_v2(H, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *A, int lda, const T *x, int incx,         \
                            const T *beta, T *y, int incy) {                                                                           \
    return symmetric_band_times_vector(handle, uplo, SYMMETRIC, n, k, alpha, A, lda, x, incx, beta, y, incy);                          \
  }                                                                                                                                    \
  cublasStatus_t P##ger_v2(H, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *A, int lda) {         \
    CHECK(true);                                                                                                                       \
    return outer(handle, m, n, scalar(handle, alpha), x, incx, y, incy, A, lda, ALL, false, false);                                    \
  }
BLAS_REAL(cublasS, float)
BLAS_REAL(cublasD, double)

#define BLAS_COMPLEX(P, T, R, NRM2, ASUM, SCAL)                                                                                        \
  cublasStatus_t P##dotu_v2(H, int n, const T *x, int incx, const T *y, int incy, T *result) {                                  \
    return sum(handle, n, result, [=](T *to) {                                                                                         \
      dot<<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), Vector<const T>(y, n, incy), false, to);                      \
    });                                                                                                                                \
  }                                                                                                                                    \
  cublasStatus_t P##dotc_v2(H, int n, const T *x, int incx, const T *y, int incy, T *result) {                                  \
    return sum(handle, n, result, [=](T *to) {                                                                                         \
      dot<<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), Vector<const T>(y, n, incy), true, to);                       \
    });                                                                                                                                \
  }                                                                                                                                    \
  cublasStatus_t NRM2(H, int n, const T *x, int incx, R *result) {                                                                      \
    return sum(handle, incx > 0 ? n : 0, result, [=](R *to) { norm<T><<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), to); }); \
  }                                                                                                                                    \
  cublasStatus_t ASUM(H, int n, const T *x, int incx, R *result) {                                                                      \
    return sum(handle, incx > 0 ? n : 0, result, [=](R *to) { sum_magnitudes<T><<<1, 256, 0, handle->stream>>>(n, Vector<const T>(x, n, incx), to); }); \
  }                                                                                                                                    \
  cublasStatus_t SCAL(H, int n, const R *alpha, T *x, int incx) {                                                                       \
    CHECK(true);                                                                                                                       \
    if (n > 0 && incx > 0) scale<T, R><<<blocks(n), 256, 0, handle->stream>>>(n, scalar(handle, alpha), Vector<T>(x, n, incx));         \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##geru_v2(H, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *A, int lda) {        \
    CHECK(true);                                                                                                                       \
    return outer(handle, m, n, scalar(handle, alpha), x, incx, y, incy, A, lda, ALL, false, false);                                    \
  }                                                                                                                                    \
  cublasStatus_t P##gerc_v2(H, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *A, int lda) {        \
    CHECK(true);                                                                                                                       \
    return outer(handle, m, n, scalar(handle, alpha), x, incx, y, incy, A, lda, ALL, true, false);                                     \
  }                                                                                                                                    \
  cublasStatus_t P##hemv_v2(H, cublasFillMode_t uplo, int n, const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta, T *y, \
                                    int incy) {                                                                                        \
    CHECK(n >= 0 && lda >= most(1, n) && incx && incy);                                                                                \
    launch_rows(n, n, scalar(handle, alpha), symmetric(A, lda, uplo, HERMITIAN), Vector<const T>(x, n, incx), scalar(handle, beta),     \
                Vector<T>(y, n, incy), handle->stream);                                                                                \
    return launched();                                                                                                                 \
  }                                                                                                                                    \
  cublasStatus_t P##hbmv_v2(H, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *A, int lda, const T *x, int incx,         \
                            const T *beta, T *y, int incy) {                                                                           \
    return symmetric_band_times_vector(handle, uplo, HERMITIAN, n, k, alpha, A, lda, x, incx, beta, y, incy);                          \
  }                                                                                                                                    \
  cublasStatus_t P##her_v2(H, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx, T *A, int lda) {              \
    CHECK(true);                                                                                                                       \
    return outer(handle, n, n, widened<T>(handle, alpha), x, incx, x, incx, A, lda, part_of(uplo), true, false);                       \
  }                                                                                                                                    \
  cublasStatus_t P##her2_v2(H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *A, int lda) { \
    CHECK(true);                                                                                                                       \
    return outer(handle, n, n, scalar(handle, alpha), x, incx, y, incy, A, lda, part_of(uplo), true, true);                            \
  }                                                                                                                                    \
  cublasStatus_t P##hemm_v2(H, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *A, int lda, const T *B, \
                                    int ldb, const T *beta, T *C, int ldc) {                                                           \
    return symmetric_product(handle, side, uplo, HERMITIAN, m, n, alpha, A, lda, B, ldb, beta, C, ldc);                                \
  }                                                                                                                                    \
  cublasStatus_t P##herk_v2(H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const R *alpha, const T *A, int lda, const R *beta, \
                                    T *C, int ldc) {                                                                                   \
    CHECK(known(trans));                                                                                                               \
    return rank_k(handle, uplo, trans, n, k, widened<T>(handle, alpha), A, lda, A, lda, widened<T>(handle, beta), C, ldc, true, false); \
  }                                                                                                                                    \
  cublasStatus_t P##her2k_v2(H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *A, int lda, const T *B, \
                                     int ldb, const R *beta, T *C, int ldc) {                                                          \
    CHECK(known(trans));                                                                                                               \
    return rank_k(handle, uplo, trans, n, k, scalar(handle, alpha), A, lda, B, ldb, widened<T>(handle, beta), C, ldc, true, true);      \
  }
BLAS_COMPLEX(cublasC, cuComplex, float, cublasScnrm2_v2, cublasScasum_v2, cublasCsscal_v2)
BLAS_COMPLEX(cublasZ, cuDoubleComplex, double, cublasDznrm2_v2, cublasDzasum_v2, cublasZdscal_v2)

} // extern "C"

#include "blas_mixed.cuh"
