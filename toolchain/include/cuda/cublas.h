// cuBLAS's first interface: one handle for all, results as values, operations as letters. It stands on the second.
#pragma once
#define CUBLAS_H_
#define __KS_CUBLAS_V1
#include "cublas_v2.h"

typedef cublasStatus_t cublasStatus;

static __inline__ cublasHandle_t __ks_cublas(void) {
  static cublasHandle_t handle;
  if (!handle) cublasCreate_v2(&handle);
  return handle;
}
static __inline__ cublasStatus_t *__ks_cublas_error(void) {
  static cublasStatus_t error;
  return &error;
}
static __inline__ void __ks_cublas_done(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) *__ks_cublas_error() = status;
}
static __inline__ cublasOperation_t __ks_op(char c) { return c == 'n' || c == 'N' ? CUBLAS_OP_N : c == 't' || c == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C; }
static __inline__ cublasFillMode_t __ks_fill(char c) { return c == 'l' || c == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER; }
static __inline__ cublasSideMode_t __ks_side(char c) { return c == 'l' || c == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT; }
static __inline__ cublasDiagType_t __ks_diag(char c) { return c == 'u' || c == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT; }

static __inline__ cublasStatus_t cublasInit(void) { return __ks_cublas() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED; }
static __inline__ cublasStatus_t cublasShutdown(void) { return CUBLAS_STATUS_SUCCESS; }
static __inline__ cublasStatus_t cublasGetError(void) {
  cublasStatus_t error = *__ks_cublas_error();
  *__ks_cublas_error() = CUBLAS_STATUS_SUCCESS;
  return error;
}
static __inline__ cublasStatus_t cublasAlloc(int n, int element, void **p) {
  return cudaMalloc(p, (size_t)n * (size_t)element) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
static __inline__ cublasStatus_t cublasFree(void *p) { return cudaFree(p) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR; }
static __inline__ cublasStatus_t cublasSetKernelStream(cudaStream_t stream) { return cublasSetStream_v2(__ks_cublas(), stream); }

#define __KS_V1(P, LOWER, T, R)                                                                                                              \
  static __inline__ void P##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) {                                              \
    __ks_cublas_done(P##axpy_v2(__ks_cublas(), n, &alpha, x, incx, y, incy));                                                        \
  }                                                                                                                                          \
  static __inline__ void P##copy(int n, const T *x, int incx, T *y, int incy) {                                                       \
    __ks_cublas_done(P##copy_v2(__ks_cublas(), n, x, incx, y, incy));                                                                \
  }                                                                                                                                          \
  static __inline__ void P##swap(int n, T *x, int incx, T *y, int incy) { __ks_cublas_done(P##swap_v2(__ks_cublas(), n, x, incx, y, incy)); } \
  static __inline__ void P##scal(int n, T alpha, T *x, int incx) { __ks_cublas_done(P##scal_v2(__ks_cublas(), n, &alpha, x, incx)); } \
  static __inline__ int cublasI##LOWER##amax(int n, const T *x, int incx) {                                                                   \
    int place = 0;                                                                                                                           \
    __ks_cublas_done(cublasI##LOWER##amax_v2(__ks_cublas(), n, x, incx, &place));                                                            \
    return place;                                                                                                                            \
  }                                                                                                                                          \
  static __inline__ int cublasI##LOWER##amin(int n, const T *x, int incx) {                                                                   \
    int place = 0;                                                                                                                           \
    __ks_cublas_done(cublasI##LOWER##amin_v2(__ks_cublas(), n, x, incx, &place));                                                            \
    return place;                                                                                                                            \
  }                                                                                                                                          \
  static __inline__ void P##gemv(char trans, int m, int n, T alpha, const T *_A, int lda, const T *x, int incx, T beta, T *y, int incy) { \
    __ks_cublas_done(P##gemv_v2(__ks_cublas(), __ks_op(trans), m, n, &alpha, _A, lda, x, incx, &beta, y, incy));                      \
  }                                                                                                                                          \
  static __inline__ void P##trsv(char uplo, char trans, char diag, int n, const T *_A, int lda, T *x, int incx) {                     \
    __ks_cublas_done(P##trsv_v2(__ks_cublas(), __ks_fill(uplo), __ks_op(trans), __ks_diag(diag), n, _A, lda, x, incx));               \
  }                                                                                                                                          \
  static __inline__ void P##gemm(char transa, char transb, int m, int n, int k, T alpha, const T *_A, int lda, const T *_B, int ldb, T beta, T *_C, \
                                         int ldc) {                                                                                          \
    __ks_cublas_done(P##gemm_v2(__ks_cublas(), __ks_op(transa), __ks_op(transb), m, n, k, &alpha, _A, lda, _B, ldb, &beta, _C, ldc)); \
  }                                                                                                                                          \
  static __inline__ void P##symm(char side, char uplo, int m, int n, T alpha, const T *_A, int lda, const T *_B, int ldb, T beta, T *_C, int ldc) { \
    __ks_cublas_done(P##symm_v2(__ks_cublas(), __ks_side(side), __ks_fill(uplo), m, n, &alpha, _A, lda, _B, ldb, &beta, _C, ldc));    \
  }                                                                                                                                          \
  static __inline__ void P##syrk(char uplo, char trans, int n, int k, T alpha, const T *_A, int lda, T beta, T *_C, int ldc) {        \
    __ks_cublas_done(P##syrk_v2(__ks_cublas(), __ks_fill(uplo), __ks_op(trans), n, k, &alpha, _A, lda, &beta, _C, ldc));              \
  }                                                                                                                                          \
  static __inline__ void P##trmm(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T *_A, int lda, T *_B, int ldb) { \
    __ks_cublas_done(P##trmm_v2(__ks_cublas(), __ks_side(side), __ks_fill(uplo), __ks_op(trans), __ks_diag(diag), m, n, &alpha, _A, lda, _B, ldb, _B, \
                                        ldb));                                                                                               \
  }                                                                                                                                          \
  static __inline__ void P##trsm(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T *_A, int lda, T *_B, int ldb) { \
    __ks_cublas_done(P##trsm_v2(__ks_cublas(), __ks_side(side), __ks_fill(uplo), __ks_op(trans), __ks_diag(diag), m, n, &alpha, _A, lda, _B, ldb)); \
  }
__KS_BLAS_SAME(__KS_V1)
#undef __KS_V1
#define __KS_V1_REAL(P, T)                                                                                                                   \
  static __inline__ T P##dot(int n, const T *x, int incx, const T *y, int incy) {                                                     \
    T result = 0;                                                                                                                            \
    __ks_cublas_done(P##dot_v2(__ks_cublas(), n, x, incx, y, incy, &result));                                                        \
    return result;                                                                                                                           \
  }                                                                                                                                          \
  static __inline__ T P##nrm2(int n, const T *x, int incx) {                                                                          \
    T result = 0;                                                                                                                            \
    __ks_cublas_done(P##nrm2_v2(__ks_cublas(), n, x, incx, &result));                                                                \
    return result;                                                                                                                           \
  }                                                                                                                                          \
  static __inline__ T P##asum(int n, const T *x, int incx) {                                                                          \
    T result = 0;                                                                                                                            \
    __ks_cublas_done(P##asum_v2(__ks_cublas(), n, x, incx, &result));                                                                \
    return result;                                                                                                                           \
  }                                                                                                                                          \
  static __inline__ void P##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *_A, int lda) {                   \
    __ks_cublas_done(P##ger_v2(__ks_cublas(), m, n, &alpha, x, incx, y, incy, _A, lda));                                             \
  }
__KS_V1_REAL(cublasS, float)
__KS_V1_REAL(cublasD, double)
#undef __KS_V1_REAL
