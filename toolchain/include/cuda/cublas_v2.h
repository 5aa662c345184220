// cuBLAS: levels 1 to 3 for the four types, batched products, and what handles vectors and matrices. runtime/libraries/cublas.cu defines it; its
// speed is that of our kernels, not NVIDIA's.
#pragma once
#define CUBLAS_V2_H_
#define CUBLAS_API_H_
#include "keplersim/cublas_types.h"
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *memory, size_t bytes);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int element, const void *from, int from_step, void *to, int to_step);
cublasStatus_t cublasGetVector(int n, int element, const void *from, int from_step, void *to, int to_step);
cublasStatus_t cublasSetMatrix(int rows, int columns, int element, const void *from, int from_ld, void *to, int to_ld);
cublasStatus_t cublasGetMatrix(int rows, int columns, int element, const void *from, int from_ld, void *to, int to_ld);
cublasStatus_t cublasSetVectorAsync(int n, int element, const void *from, int from_step, void *to, int to_step, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int element, const void *from, int from_step, void *to, int to_step, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element, const void *from, int from_ld, void *to, int to_ld, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element, const void *from, int from_ld, void *to, int to_ld, cudaStream_t stream);

// __KS_BLAS_SAME(DO): functions of one form for all types: DO(P, p, T, R) of what their names begin with, the type's letter, the type, and that of its real numbers.
#define __KS_H cublasHandle_t handle
#define __KS_BLAS_SAME(DO) DO(cublasS, s, float, float) DO(cublasD, d, double, double) DO(cublasC, c, cuComplex, float) DO(cublasZ, z, cuDoubleComplex, double)
#define __KS_BLAS(P, LOWER, T, R)                                                                                                                       \
  cublasStatus_t P##axpy_v2(__KS_H, int n, const T *alpha, const T *x, int incx, T *y, int incy);                                        \
  cublasStatus_t P##copy_v2(__KS_H, int n, const T *x, int incx, T *y, int incy);                                                        \
  cublasStatus_t P##swap_v2(__KS_H, int n, T *x, int incx, T *y, int incy);                                                              \
  cublasStatus_t P##scal_v2(__KS_H, int n, const T *alpha, T *x, int incx);                                                              \
  cublasStatus_t cublasI##LOWER##amax_v2(__KS_H, int n, const T *x, int incx, int *result);                                                          \
  cublasStatus_t cublasI##LOWER##amin_v2(__KS_H, int n, const T *x, int incx, int *result);                                                          \
  cublasStatus_t P##gemv_v2(__KS_H, cublasOperation_t trans, int m, int n, const T *alpha, const T *_A, int lda, const T *x, int incx,   \
                                    const T *beta, T *y, int incy);                                                                              \
  cublasStatus_t P##symv_v2(__KS_H, cublasFillMode_t uplo, int n, const T *alpha, const T *_A, int lda, const T *x, int incx,            \
                                    const T *beta, T *y, int incy);                                                                              \
  cublasStatus_t P##trmv_v2(__KS_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *_A, int lda,  \
                                    T *x, int incx);                                                                                             \
  cublasStatus_t P##trsv_v2(__KS_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *_A, int lda,  \
                                    T *x, int incx);                                                                                             \
  cublasStatus_t P##tbmv_v2(__KS_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, int k, const T *_A,      \
                            int lda, T *x, int incx);                                                                                      \
  cublasStatus_t P##tbsv_v2(__KS_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, int k, const T *_A,      \
                            int lda, T *x, int incx);                                                                                      \
  cublasStatus_t P##gbmv_v2(__KS_H, cublasOperation_t trans, int m, int n, int kl, int ku, const T *alpha, const T *_A, int lda,           \
                            const T *x, int incx, const T *beta, T *y, int incy);                                                          \
  cublasStatus_t P##syr_v2(__KS_H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, T *_A, int lda);                  \
  cublasStatus_t P##syr2_v2(__KS_H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *_A,     \
                                    int lda);                                                                                                    \
  cublasStatus_t P##gemm_v2(__KS_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha, const T *_A, \
                                    int lda, const T *_B, int ldb, const T *beta, T *_C, int ldc);                                               \
  cublasStatus_t P##gemmBatched(__KS_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha,         \
                                        const T *const _A[], int lda, const T *const _B[], int ldb, const T *beta, T *const _C[], int ldc,       \
                                        int count);                                                                                              \
  cublasStatus_t P##gemmStridedBatched(__KS_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha,  \
                                               const T *_A, int lda, long long stridea, const T *_B, int ldb, long long strideb, const T *beta,  \
                                               T *_C, int ldc, long long stridec, int count);                                                    \
  cublasStatus_t P##symm_v2(__KS_H, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *_A, int lda,    \
                                    const T *_B, int ldb, const T *beta, T *_C, int ldc);                                                        \
  cublasStatus_t P##syrk_v2(__KS_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *_A, int lda,  \
                                    const T *beta, T *_C, int ldc);                                                                              \
  cublasStatus_t P##syr2k_v2(__KS_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *_A, int lda, \
                                     const T *_B, int ldb, const T *beta, T *_C, int ldc);                                                       \
  cublasStatus_t P##trmm_v2(__KS_H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, \
                                    int n, const T *alpha, const T *_A, int lda, const T *_B, int ldb, T *_C, int ldc);                          \
  cublasStatus_t P##trsm_v2(__KS_H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, \
                                    int n, const T *alpha, const T *_A, int lda, T *_B, int ldb);                                                \
  cublasStatus_t P##trsmBatched(__KS_H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,    \
                                        int m, int n, const T *alpha, const T *const _A[], int lda, T *const _B[], int ldb, int count);          \
  cublasStatus_t P##geam(__KS_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, const T *alpha, const T *_A, int lda, \
                                 const T *beta, const T *_B, int ldb, T *_C, int ldc);                                                           \
  cublasStatus_t P##dgmm(__KS_H, cublasSideMode_t mode, int m, int n, const T *_A, int lda, const T *x, int incx, T *_C, int ldc);       \
  cublasStatus_t P##getrfBatched(__KS_H, int n, T *const _A[], int lda, int *pivots, int *info, int count);                              \
  cublasStatus_t P##getrsBatched(__KS_H, cublasOperation_t trans, int n, int nrhs, const T *const _A[], int lda, const int *pivots,      \
                                         T *const _B[], int ldb, int *info, int count);                                                          \
  cublasStatus_t P##getriBatched(__KS_H, int n, const T *const _A[], int lda, const int *pivots, T *const _C[], int ldc, int *info,      \
                                         int count);
__KS_BLAS_SAME(__KS_BLAS)
#undef __KS_BLAS

// Functions of real numbers alone, and those of complex ones.
#define __KS_BLAS_REAL(P, T)                                                                                                        \
  cublasStatus_t P##dot_v2(__KS_H, int n, const T *x, int incx, const T *y, int incy, T *result);                           \
  cublasStatus_t P##nrm2_v2(__KS_H, int n, const T *x, int incx, T *result);                                                \
  cublasStatus_t P##asum_v2(__KS_H, int n, const T *x, int incx, T *result);                                                \
  cublasStatus_t P##rot_v2(__KS_H, int n, T *x, int incx, T *y, int incy, const T *c, const T *s);                          \
  cublasStatus_t P##rotg_v2(__KS_H, T *a, T *b, T *c, T *s);                                                                \
  cublasStatus_t P##sbmv_v2(__KS_H, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *_A, int lda, const T *x, int incx,       \
                            const T *beta, T *y, int incy);                                                                                \
  cublasStatus_t P##ger_v2(__KS_H, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *_A, int lda);
__KS_BLAS_REAL(cublasS, float)
__KS_BLAS_REAL(cublasD, double)
#undef __KS_BLAS_REAL
#define __KS_BLAS_COMPLEX(P, T, R, NRM2, ASUM, SCAL)                                                                                             \
  cublasStatus_t P##dotu_v2(__KS_H, int n, const T *x, int incx, const T *y, int incy, T *result);                                       \
  cublasStatus_t P##dotc_v2(__KS_H, int n, const T *x, int incx, const T *y, int incy, T *result);                                       \
  cublasStatus_t NRM2(__KS_H, int n, const T *x, int incx, R *result);                                                                           \
  cublasStatus_t ASUM(__KS_H, int n, const T *x, int incx, R *result);                                                                           \
  cublasStatus_t SCAL(__KS_H, int n, const R *alpha, T *x, int incx);                                                                            \
  cublasStatus_t P##geru_v2(__KS_H, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *_A, int lda);           \
  cublasStatus_t P##gerc_v2(__KS_H, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *_A, int lda);           \
  cublasStatus_t P##hemv_v2(__KS_H, cublasFillMode_t uplo, int n, const T *alpha, const T *_A, int lda, const T *x, int incx,            \
                                    const T *beta, T *y, int incy);                                                                              \
  cublasStatus_t P##hbmv_v2(__KS_H, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *_A, int lda, const T *x, int incx,       \
                            const T *beta, T *y, int incy);                                                                                \
  cublasStatus_t P##her_v2(__KS_H, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx, T *_A, int lda);                  \
  cublasStatus_t P##her2_v2(__KS_H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *_A,     \
                                    int lda);                                                                                                    \
  cublasStatus_t P##hemm_v2(__KS_H, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *_A, int lda,    \
                                    const T *_B, int ldb, const T *beta, T *_C, int ldc);                                                        \
  cublasStatus_t P##herk_v2(__KS_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const R *alpha, const T *_A, int lda,  \
                                    const R *beta, T *_C, int ldc);                                                                              \
  cublasStatus_t P##her2k_v2(__KS_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *_A, int lda, \
                                     const T *_B, int ldb, const R *beta, T *_C, int ldc);
__KS_BLAS_COMPLEX(cublasC, cuComplex, float, cublasScnrm2_v2, cublasScasum_v2, cublasCsscal_v2)
__KS_BLAS_COMPLEX(cublasZ, cuDoubleComplex, double, cublasDznrm2_v2, cublasDzasum_v2, cublasZdscal_v2)
#undef __KS_BLAS_COMPLEX

// Functions that are told the types of their arguments.
#define __KS_GEMM __KS_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k
cublasStatus_t cublasGemmEx(__KS_GEMM, const void *alpha, const void *_A, cudaDataType ta, int lda, const void *_B, cudaDataType tb, int ldb, const void *beta,
                            void *_C, cudaDataType tc, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(__KS_GEMM, const void *alpha, const void *_A, cudaDataType ta, int lda, long long stridea, const void *_B,
                                          cudaDataType tb, int ldb, long long strideb, const void *beta, void *_C, cudaDataType tc, int ldc, long long stridec,
                                          int count, cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(__KS_GEMM, const void *alpha, const void *const _A[], cudaDataType ta, int lda, const void *const _B[], cudaDataType tb,
                                   int ldb, const void *beta, void *const _C[], cudaDataType tc, int ldc, int count, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algo);
cublasStatus_t cublasSgemmEx(__KS_GEMM, const float *alpha, const void *_A, cudaDataType ta, int lda, const void *_B, cudaDataType tb, int ldb,
                             const float *beta, void *_C, cudaDataType tc, int ldc);
cublasStatus_t cublasDotEx(__KS_H, int n, const void *x, cudaDataType tx, int incx, const void *y, cudaDataType ty, int incy, void *result, cudaDataType tr,
                           cudaDataType compute);
cublasStatus_t cublasDotcEx(__KS_H, int n, const void *x, cudaDataType tx, int incx, const void *y, cudaDataType ty, int incy, void *result, cudaDataType tr,
                            cudaDataType compute);
cublasStatus_t cublasNrm2Ex(__KS_H, int n, const void *x, cudaDataType tx, int incx, void *result, cudaDataType tr, cudaDataType compute);
#ifdef __cplusplus
cublasStatus_t cublasHgemm(__KS_GEMM, const __half *alpha, const __half *_A, int lda, const __half *_B, int ldb, const __half *beta, __half *_C, int ldc);
cublasStatus_t cublasHgemmStridedBatched(__KS_GEMM, const __half *alpha, const __half *_A, int lda, long long stridea, const __half *_B, int ldb,
                                         long long strideb, const __half *beta, __half *_C, int ldc, long long stridec, int count);
#endif
#ifdef __cplusplus
}
// As before CUDA 11: the type of the computation by that of its numbers.
static inline cublasComputeType_t __ks_compute(cudaDataType t) {
  return t == CUDA_R_16F ? CUBLAS_COMPUTE_16F : t == CUDA_R_64F || t == CUDA_C_64F ? CUBLAS_COMPUTE_64F : t == CUDA_R_32I ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(__KS_GEMM, const void *alpha, const void *_A, cudaDataType ta, int lda, const void *_B, cudaDataType tb, int ldb,
                                          const void *beta, void *_C, cudaDataType tc, int ldc, cudaDataType compute, cublasGemmAlgo_t algo) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, _A, ta, lda, _B, tb, ldb, beta, _C, tc, ldc, __ks_compute(compute), algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(__KS_GEMM, const void *alpha, const void *_A, cudaDataType ta, int lda, long long stridea,
                                                        const void *_B, cudaDataType tb, int ldb, long long strideb, const void *beta, void *_C,
                                                        cudaDataType tc, int ldc, long long stridec, int count, cudaDataType compute, cublasGemmAlgo_t algo) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, _A, ta, lda, stridea, _B, tb, ldb, strideb, beta, _C, tc, ldc, stridec, count,
                                    __ks_compute(compute), algo);
}
static inline cublasStatus_t cublasGemmBatchedEx(__KS_GEMM, const void *alpha, const void *const _A[], cudaDataType ta, int lda, const void *const _B[],
                                                 cudaDataType tb, int ldb, const void *beta, void *const _C[], cudaDataType tc, int ldc, int count,
                                                 cudaDataType compute, cublasGemmAlgo_t algo) {
  return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, _A, ta, lda, _B, tb, ldb, beta, _C, tc, ldc, count, __ks_compute(compute), algo);
}
#endif
#undef __KS_GEMM
#undef __KS_H

#ifndef __KS_CUBLAS_V1 // cublas.h, which came first, has these names for its own
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSscal cublasSscal_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSsymv cublasSsymv_v2
#define cublasStrmv cublasStrmv_v2
#define cublasStrsv cublasStrsv_v2
#define cublasStbmv cublasStbmv_v2
#define cublasStbsv cublasStbsv_v2
#define cublasSgbmv cublasSgbmv_v2
#define cublasSsbmv cublasSsbmv_v2
#define cublasSsyr cublasSsyr_v2
#define cublasSsyr2 cublasSsyr2_v2
#define cublasSgemm cublasSgemm_v2
#define cublasSsymm cublasSsymm_v2
#define cublasSsyrk cublasSsyrk_v2
#define cublasSsyr2k cublasSsyr2k_v2
#define cublasStrmm cublasStrmm_v2
#define cublasStrsm cublasStrsm_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDscal cublasDscal_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDsymv cublasDsymv_v2
#define cublasDtrmv cublasDtrmv_v2
#define cublasDtrsv cublasDtrsv_v2
#define cublasDtbmv cublasDtbmv_v2
#define cublasDtbsv cublasDtbsv_v2
#define cublasDgbmv cublasDgbmv_v2
#define cublasDsbmv cublasDsbmv_v2
#define cublasDsyr cublasDsyr_v2
#define cublasDsyr2 cublasDsyr2_v2
#define cublasDgemm cublasDgemm_v2
#define cublasDsymm cublasDsymm_v2
#define cublasDsyrk cublasDsyrk_v2
#define cublasDsyr2k cublasDsyr2k_v2
#define cublasDtrmm cublasDtrmm_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasCaxpy cublasCaxpy_v2
#define cublasCcopy cublasCcopy_v2
#define cublasCswap cublasCswap_v2
#define cublasCscal cublasCscal_v2
#define cublasCgemv cublasCgemv_v2
#define cublasCsymv cublasCsymv_v2
#define cublasCtrmv cublasCtrmv_v2
#define cublasCtrsv cublasCtrsv_v2
#define cublasCtbmv cublasCtbmv_v2
#define cublasCtbsv cublasCtbsv_v2
#define cublasCgbmv cublasCgbmv_v2
#define cublasChbmv cublasChbmv_v2
#define cublasCsyr cublasCsyr_v2
#define cublasCsyr2 cublasCsyr2_v2
#define cublasCgemm cublasCgemm_v2
#define cublasCsymm cublasCsymm_v2
#define cublasCsyrk cublasCsyrk_v2
#define cublasCsyr2k cublasCsyr2k_v2
#define cublasCtrmm cublasCtrmm_v2
#define cublasCtrsm cublasCtrsm_v2
#define cublasIcamax cublasIcamax_v2
#define cublasIcamin cublasIcamin_v2
#define cublasZaxpy cublasZaxpy_v2
#define cublasZcopy cublasZcopy_v2
#define cublasZswap cublasZswap_v2
#define cublasZscal cublasZscal_v2
#define cublasZgemv cublasZgemv_v2
#define cublasZsymv cublasZsymv_v2
#define cublasZtrmv cublasZtrmv_v2
#define cublasZtrsv cublasZtrsv_v2
#define cublasZtbmv cublasZtbmv_v2
#define cublasZtbsv cublasZtbsv_v2
#define cublasZgbmv cublasZgbmv_v2
#define cublasZhbmv cublasZhbmv_v2
#define cublasZsyr cublasZsyr_v2
#define cublasZsyr2 cublasZsyr2_v2
#define cublasZgemm cublasZgemm_v2
#define cublasZsymm cublasZsymm_v2
#define cublasZsyrk cublasZsyrk_v2
#define cublasZsyr2k cublasZsyr2k_v2
#define cublasZtrmm cublasZtrmm_v2
#define cublasZtrsm cublasZtrsm_v2
#define cublasIzamax cublasIzamax_v2
#define cublasIzamin cublasIzamin_v2
#define cublasSdot cublasSdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasSrot cublasSrot_v2
#define cublasSrotg cublasSrotg_v2
#define cublasSger cublasSger_v2
#define cublasDdot cublasDdot_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasDrot cublasDrot_v2
#define cublasDrotg cublasDrotg_v2
#define cublasDger cublasDger_v2
#define cublasCdotu cublasCdotu_v2
#define cublasCdotc cublasCdotc_v2
#define cublasCgeru cublasCgeru_v2
#define cublasCgerc cublasCgerc_v2
#define cublasChemv cublasChemv_v2
#define cublasCher cublasCher_v2
#define cublasCher2 cublasCher2_v2
#define cublasChemm cublasChemm_v2
#define cublasCherk cublasCherk_v2
#define cublasCher2k cublasCher2k_v2
#define cublasZdotu cublasZdotu_v2
#define cublasZdotc cublasZdotc_v2
#define cublasZgeru cublasZgeru_v2
#define cublasZgerc cublasZgerc_v2
#define cublasZhemv cublasZhemv_v2
#define cublasZher cublasZher_v2
#define cublasZher2 cublasZher2_v2
#define cublasZhemm cublasZhemm_v2
#define cublasZherk cublasZherk_v2
#define cublasZher2k cublasZher2k_v2
#define cublasScnrm2 cublasScnrm2_v2
#define cublasScasum cublasScasum_v2
#define cublasCsscal cublasCsscal_v2
#define cublasDznrm2 cublasDznrm2_v2
#define cublasDzasum cublasDzasum_v2
#define cublasZdscal cublasZdscal_v2
#endif
