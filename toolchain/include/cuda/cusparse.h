// cuSPARSE, of CUDA 11.8, and of what older programs call csrmv and csrmm. runtime/libraries/cusparse.cu defines it.
#pragma once
#define CUSPARSE_H_
#include "cuComplex.h"
#include "cuda_runtime.h"
#include "library_types.h"

#define CUSPARSE_VER_MAJOR 11
#define CUSPARSE_VER_MINOR 7
#define CUSPARSE_VER_PATCH 5
#define CUSPARSE_VER_BUILD 86
#define CUSPARSE_VERSION (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)
#define CUSPARSEAPI

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
// What the second generation of solvers found on the way: where a pivot is zero.
typedef struct csrsv2Info *csrsv2Info_t;
typedef struct csrilu02Info *csrilu02Info_t;
typedef struct csric02Info *csric02Info_t;

typedef enum {
  CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_INITIALIZED = 1, CUSPARSE_STATUS_ALLOC_FAILED = 2, CUSPARSE_STATUS_INVALID_VALUE = 3,
  CUSPARSE_STATUS_ARCH_MISMATCH = 4, CUSPARSE_STATUS_MAPPING_ERROR = 5, CUSPARSE_STATUS_EXECUTION_FAILED = 6, CUSPARSE_STATUS_INTERNAL_ERROR = 7,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8, CUSPARSE_STATUS_ZERO_PIVOT = 9, CUSPARSE_STATUS_NOT_SUPPORTED = 10,
  CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1 } cusparsePointerMode_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum {
  CUSPARSE_MATRIX_TYPE_GENERAL = 0, CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1, CUSPARSE_MATRIX_TYPE_HERMITIAN = 2, CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum {
  CUSPARSE_OPERATION_NON_TRANSPOSE = 0, CUSPARSE_OPERATION_TRANSPOSE = 1, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 } cusparseDirection_t;
typedef enum { CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0, CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1 } cusparseSolvePolicy_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum {
  CUSPARSE_FORMAT_CSR = 1, CUSPARSE_FORMAT_CSC = 2, CUSPARSE_FORMAT_COO = 3, CUSPARSE_FORMAT_COO_AOS = 4, CUSPARSE_FORMAT_BLOCKED_ELL = 5
} cusparseFormat_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE = 0, CUSPARSE_SPMAT_DIAG_TYPE = 1 } cusparseSpMatAttribute_t;
// There is one algorithm of each kind here, whichever is asked for.
typedef enum {
  CUSPARSE_MV_ALG_DEFAULT = 0, CUSPARSE_COOMV_ALG = 1, CUSPARSE_CSRMV_ALG1 = 2, CUSPARSE_CSRMV_ALG2 = 3, CUSPARSE_SPMV_ALG_DEFAULT = 0,
  CUSPARSE_SPMV_COO_ALG1 = 1, CUSPARSE_SPMV_CSR_ALG1 = 2, CUSPARSE_SPMV_CSR_ALG2 = 3, CUSPARSE_SPMV_COO_ALG2 = 4
} cusparseSpMVAlg_t;
typedef enum {
  CUSPARSE_MM_ALG_DEFAULT = 0, CUSPARSE_COOMM_ALG1 = 1, CUSPARSE_COOMM_ALG2 = 2, CUSPARSE_COOMM_ALG3 = 3, CUSPARSE_CSRMM_ALG1 = 4,
  CUSPARSE_SPMM_ALG_DEFAULT = 0, CUSPARSE_SPMM_COO_ALG1 = 1, CUSPARSE_SPMM_COO_ALG2 = 2, CUSPARSE_SPMM_COO_ALG3 = 3, CUSPARSE_SPMM_CSR_ALG1 = 4,
  CUSPARSE_SPMM_COO_ALG4 = 5, CUSPARSE_SPMM_CSR_ALG2 = 6, CUSPARSE_SPMM_CSR_ALG3 = 12, CUSPARSE_SPMM_BLOCKED_ELL_ALG1 = 13
} cusparseSpMMAlg_t;
typedef enum {
  CUSPARSE_SPGEMM_DEFAULT = 0, CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1, CUSPARSE_SPGEMM_CSR_ALG_DETERMINISTIC = 1,
  CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2, CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINISTIC = 2, CUSPARSE_SPGEMM_ALG1 = 3, CUSPARSE_SPGEMM_ALG2 = 4,
  CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1, CUSPARSE_CSR2CSC_ALG2 = 2 } cusparseCsr2CscAlg_t;

#ifdef __cplusplus
extern "C" {
#endif
typedef cusparseHandle_t __ks_sh;
typedef cusparseMatDescr_t __ks_sd;
typedef cusparseOperation_t __ks_so;
typedef cusparseIndexBase_t __ks_sb;
typedef cusparseIndexType_t __ks_si;

// ---- The library, and descriptions of the older kind ----
cusparseStatus_t cusparseCreate(__ks_sh *handle);
cusparseStatus_t cusparseDestroy(__ks_sh handle);
cusparseStatus_t cusparseGetVersion(__ks_sh handle, int *version);
cusparseStatus_t cusparseSetStream(__ks_sh handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(__ks_sh handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(__ks_sh handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(__ks_sh handle, cusparsePointerMode_t *mode);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseCreateMatDescr(__ks_sd *d);
cusparseStatus_t cusparseDestroyMatDescr(__ks_sd d);
cusparseStatus_t cusparseSetMatType(__ks_sd d, cusparseMatrixType_t v);
cusparseStatus_t cusparseSetMatFillMode(__ks_sd d, cusparseFillMode_t v);
cusparseStatus_t cusparseSetMatDiagType(__ks_sd d, cusparseDiagType_t v);
cusparseStatus_t cusparseSetMatIndexBase(__ks_sd d, __ks_sb v);
cusparseMatrixType_t cusparseGetMatType(const __ks_sd d);
cusparseFillMode_t cusparseGetMatFillMode(const __ks_sd d);
cusparseDiagType_t cusparseGetMatDiagType(const __ks_sd d);
__ks_sb cusparseGetMatIndexBase(const __ks_sd d);

// ---- Vectors and matrices of the newer kind ----
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *v, int64_t size, int64_t nnz, void *indices, void *values, __ks_si type, __ks_sb base, cudaDataType t);
cusparseStatus_t cusparseDestroySpVec(cusparseSpVecDescr_t v);
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t v, void **values);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t v, void *values);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *v, int64_t size, void *values, cudaDataType t);
cusparseStatus_t cusparseDestroyDnVec(cusparseDnVecDescr_t v);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t v, int64_t *size, void **values, cudaDataType *t);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t v, void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values);
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *offsets, void *columns, void *values,
                                   __ks_si offsets_type, __ks_si columns_type, __ks_sb base, cudaDataType t);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *offsets, void *rows_of, void *values,
                                   __ks_si offsets_type, __ks_si rows_type, __ks_sb base, cudaDataType t);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *rows_of, void *columns, void *values, __ks_si type,
                                   __ks_sb base, cudaDataType t);
cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr_t m);
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets, void **columns, void **values,
                                __ks_si *offsets_type, __ks_si *columns_type, __ks_sb *base, cudaDataType *t);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *offsets, void *columns, void *values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t m, void *offsets, void *rows_of, void *values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void *rows_of, void *columns, void *values);
cusparseStatus_t cusparseSpMatGetSize(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseSpMatDescr_t m, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseSpMatDescr_t m, __ks_sb *base);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t m, void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t m, void *values);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t which, void *data, size_t bytes);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t which, void *data, size_t bytes);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets_step, int64_t values_step);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t step);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *m, int64_t rows, int64_t cols, int64_t ld, void *values, cudaDataType t, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseDnMatDescr_t m);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *ld, void **values, cudaDataType *t, cusparseOrder_t *order);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t m, void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t m, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t step);

// ---- Operations on them ----
cusparseStatus_t cusparseAxpby(__ks_sh h, const void *alpha, cusparseSpVecDescr_t x, const void *beta, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseGather(__ks_sh h, cusparseDnVecDescr_t y, cusparseSpVecDescr_t x);
cusparseStatus_t cusparseScatter(__ks_sh h, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseSpVV_bufferSize(__ks_sh h, __ks_so op, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y, const void *result, cudaDataType t, size_t *bytes);
cusparseStatus_t cusparseSpVV(__ks_sh h, __ks_so op, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y, void *result, cudaDataType t, void *room);
cusparseStatus_t cusparseSpMV_bufferSize(__ks_sh h, __ks_so op, const void *alpha, cusparseSpMatDescr_t a, cusparseDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType t, cusparseSpMVAlg_t alg, size_t *bytes);
cusparseStatus_t cusparseSpMV(__ks_sh h, __ks_so op, const void *alpha, cusparseSpMatDescr_t a, cusparseDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y,
                              cudaDataType t, cusparseSpMVAlg_t alg, void *room);
#define __KS_SPMM __ks_sh h, __ks_so opa, __ks_so opb, const void *alpha, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, const void *beta,        \
                  cusparseDnMatDescr_t c, cudaDataType t, cusparseSpMMAlg_t alg
cusparseStatus_t cusparseSpMM_bufferSize(__KS_SPMM, size_t *bytes);
cusparseStatus_t cusparseSpMM_preprocess(__KS_SPMM, void *room);
cusparseStatus_t cusparseSpMM(__KS_SPMM, void *room);
#define __KS_SDDMM __ks_sh h, __ks_so opa, __ks_so opb, const void *alpha, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b, const void *beta,       \
                   cusparseSpMatDescr_t c, cudaDataType t, cusparseSDDMMAlg_t alg
cusparseStatus_t cusparseSDDMM_bufferSize(__KS_SDDMM, size_t *bytes);
cusparseStatus_t cusparseSDDMM_preprocess(__KS_SDDMM, void *room);
cusparseStatus_t cusparseSDDMM(__KS_SDDMM, void *room);
#define __KS_SPGEMM __ks_sh h, __ks_so opa, __ks_so opb, const void *alpha, cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta,      \
                    cusparseSpMatDescr_t c, cudaDataType t, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *d);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t d);
cusparseStatus_t cusparseSpGEMM_workEstimation(__KS_SPGEMM, size_t *bytes, void *room);
cusparseStatus_t cusparseSpGEMM_compute(__KS_SPGEMM, size_t *bytes, void *room);
cusparseStatus_t cusparseSpGEMM_copy(__KS_SPGEMM);
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *d);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t d);
#define __KS_SPSV __ks_sh h, __ks_so op, const void *alpha, cusparseSpMatDescr_t a, cusparseDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType t, \
                  cusparseSpSVAlg_t alg, cusparseSpSVDescr_t d
cusparseStatus_t cusparseSpSV_bufferSize(__KS_SPSV, size_t *bytes);
cusparseStatus_t cusparseSpSV_analysis(__KS_SPSV, void *room);
cusparseStatus_t cusparseSpSV_solve(__KS_SPSV);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *d);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t d);
#define __KS_SPSM __ks_sh h, __ks_so opa, __ks_so opb, const void *alpha, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseDnMatDescr_t c,   \
                  cudaDataType t, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t d
cusparseStatus_t cusparseSpSM_bufferSize(__KS_SPSM, size_t *bytes);
cusparseStatus_t cusparseSpSM_analysis(__KS_SPSM, void *room);
cusparseStatus_t cusparseSpSM_solve(__KS_SPSM);
cusparseStatus_t cusparseSparseToDense_bufferSize(__ks_sh h, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg, size_t *bytes);
cusparseStatus_t cusparseSparseToDense(__ks_sh h, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg, void *room);
cusparseStatus_t cusparseDenseToSparse_bufferSize(__ks_sh h, cusparseDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg, size_t *bytes);
cusparseStatus_t cusparseDenseToSparse_analysis(__ks_sh h, cusparseDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg, void *room);
cusparseStatus_t cusparseDenseToSparse_convert(__ks_sh h, cusparseDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg, void *room);

// ---- Formats ----
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(__ks_sh h, int m, int n, int nnz, const void *values, const int *offsets, const int *columns, void *values_t,
                                               int *offsets_t, int *rows_t, cudaDataType t, cusparseAction_t action, __ks_sb base, cusparseCsr2CscAlg_t alg,
                                               size_t *bytes);
cusparseStatus_t cusparseCsr2cscEx2(__ks_sh h, int m, int n, int nnz, const void *values, const int *offsets, const int *columns, void *values_t, int *offsets_t,
                                    int *rows_t, cudaDataType t, cusparseAction_t action, __ks_sb base, cusparseCsr2CscAlg_t alg, void *room);
cusparseStatus_t cusparseXcoo2csr(__ks_sh h, const int *rows, int nnz, int m, int *offsets, __ks_sb base);
cusparseStatus_t cusparseXcsr2coo(__ks_sh h, const int *offsets, int nnz, int m, int *rows, __ks_sb base);
cusparseStatus_t cusparseCreateIdentityPermutation(__ks_sh h, int n, int *p);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(__ks_sh h, int m, int n, int nnz, const int *offsets, const int *columns, size_t *bytes);
cusparseStatus_t cusparseXcsrsort(__ks_sh h, int m, int n, int nnz, const __ks_sd d, const int *offsets, int *columns, int *p, void *room);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(__ks_sh h, int m, int n, int nnz, const int *rows, const int *columns, size_t *bytes);
cusparseStatus_t cusparseXcoosortByRow(__ks_sh h, int m, int n, int nnz, int *rows, int *columns, int *p, void *room);

// ---- Of one type each ----
cusparseStatus_t cusparseCreateCsrsv2Info(csrsv2Info_t *i);
cusparseStatus_t cusparseDestroyCsrsv2Info(csrsv2Info_t i);
cusparseStatus_t cusparseXcsrsv2_zeroPivot(__ks_sh h, csrsv2Info_t i, int *position);
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *i);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t i);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(__ks_sh h, csrilu02Info_t i, int *position);
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *i);
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t i);
cusparseStatus_t cusparseXcsric02_zeroPivot(__ks_sh h, csric02Info_t i, int *position);
#define __KS_SPARSE(P, T)                                                                                                                            \
  cusparseStatus_t P##csrmv(__ks_sh h, __ks_so op, int m, int n, int nnz, const T *alpha, const __ks_sd d, const T *values, const int *offsets, \
                                      const int *columns, const T *x, const T *beta, T *y);                                                          \
  cusparseStatus_t P##csrmm(__ks_sh h, __ks_so op, int m, int n, int k, int nnz, const T *alpha, const __ks_sd d, const T *values,         \
                                      const int *offsets, const int *columns, const T *b, int ldb, const T *beta, T *c, int ldc);                     \
  cusparseStatus_t P##csrmm2(__ks_sh h, __ks_so opa, __ks_so opb, int m, int n, int k, int nnz, const T *alpha, const __ks_sd d,           \
                                       const T *values, const int *offsets, const int *columns, const T *b, int ldb, const T *beta, T *c, int ldc);   \
  cusparseStatus_t P##csr2csc(__ks_sh h, int m, int n, int nnz, const T *values, const int *offsets, const int *columns, T *values_t,      \
                                        int *rows_t, int *offsets_t, cusparseAction_t action, __ks_sb base);                                          \
  cusparseStatus_t P##nnz(__ks_sh h, cusparseDirection_t dir, int m, int n, const __ks_sd d, const T *a, int lda, int *each, int *total);   \
  cusparseStatus_t P##dense2csr(__ks_sh h, int m, int n, const __ks_sd d, const T *a, int lda, const int *each, T *values, int *offsets,   \
                                          int *columns);                                                                                             \
  cusparseStatus_t P##csr2dense(__ks_sh h, int m, int n, const __ks_sd d, const T *values, const int *offsets, const int *columns, T *a, int lda); \
  cusparseStatus_t P##gthr(__ks_sh h, int nnz, const T *y, T *values, const int *indices, __ks_sb base);                                   \
  cusparseStatus_t P##sctr(__ks_sh h, int nnz, const T *values, const int *indices, T *y, __ks_sb base);                                   \
  cusparseStatus_t P##axpyi(__ks_sh h, int nnz, const T *alpha, const T *values, const int *indices, T *y, __ks_sb base);                  \
  cusparseStatus_t P##csrsv2_bufferSize(__ks_sh h, __ks_so op, int m, int nnz, const __ks_sd d, T *values, const int *offsets, const int *columns, \
                                                  csrsv2Info_t i, int *bytes);                                                                       \
  cusparseStatus_t P##csrsv2_analysis(__ks_sh h, __ks_so op, int m, int nnz, const __ks_sd d, const T *values, const int *offsets,         \
                                                const int *columns, csrsv2Info_t i, cusparseSolvePolicy_t policy, void *room);                       \
  cusparseStatus_t P##csrsv2_solve(__ks_sh h, __ks_so op, int m, int nnz, const T *alpha, const __ks_sd d, const T *values, const int *offsets, \
                                             const int *columns, csrsv2Info_t i, const T *f, T *x, cusparseSolvePolicy_t policy, void *room);        \
  __KS_FACTOR(P, T, csrilu02) __KS_FACTOR(P, T, csric02)
#define __KS_FACTOR(P, T, NAME)                                                                                                                      \
  cusparseStatus_t P##NAME##_bufferSize(__ks_sh h, int m, int nnz, const __ks_sd d, T *values, const int *offsets, const int *columns,     \
                                                  NAME##Info_t i, int *bytes);                                                                       \
  cusparseStatus_t P##NAME##_analysis(__ks_sh h, int m, int nnz, const __ks_sd d, const T *values, const int *offsets, const int *columns, \
                                                NAME##Info_t i, cusparseSolvePolicy_t policy, void *room);                                           \
  cusparseStatus_t P##NAME(__ks_sh h, int m, int nnz, const __ks_sd d, T *values, const int *offsets, const int *columns, NAME##Info_t i,  \
                                     cusparseSolvePolicy_t policy, void *room);
__KS_SPARSE(cusparseS, float)
__KS_SPARSE(cusparseD, double)
__KS_SPARSE(cusparseC, cuComplex)
__KS_SPARSE(cusparseZ, cuDoubleComplex)
#undef __KS_SPARSE
#undef __KS_FACTOR
#ifdef __cplusplus
}
#endif
