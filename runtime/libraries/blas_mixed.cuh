// cuBLAS's functions that name the types of their arguments: half precision, bfloat16 and bytes beside the four types. Operands are brought into the
// type that is computed in, and the result back; so a product in half precision is one in single, rounded at its end.
#pragma once
#include "blas_types.cuh"

namespace {

template <typename T> struct Memory {
  T *p = nullptr;
  bool take(size_t n) { return cudaMalloc((void **)&p, (n ? n : 1) * sizeof(T)) == cudaSuccess; }
  ~Memory() { cudaFree(p); }
};

// A matrix of columns, or a vector whose elements are columns of one row each.
template <typename W> __global__ void widen(cudaDataType t, const void *from, long rows, long columns, long ld, W *to) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < rows * columns; i += (long)gridDim.x * blockDim.x)
    to[i] = widened_at<W>(t, from, i % rows + i / rows * ld);
}
template <typename W> __global__ void narrow(cudaDataType t, const W *from, long rows, long columns, long ld, void *to) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < rows * columns; i += (long)gridDim.x * blockDim.x)
    narrow_to(t, to, i % rows + i / rows * ld, from[i]);
}
int blocks_for(long n) { return n > 256 * 512 ? 512 : n < 1 ? 1 : (int)((n + 255) / 256); }

// Calls run with a number of the type that a computation is in.
template <typename Do> cublasStatus_t computing(cublasComputeType_t compute, bool complex, Do run) {
  switch (compute) {
  case CUBLAS_COMPUTE_16F: case CUBLAS_COMPUTE_16F_PEDANTIC: return complex ? CUBLAS_STATUS_NOT_SUPPORTED : run(float{}, CUDA_R_16F);
  case CUBLAS_COMPUTE_32F: case CUBLAS_COMPUTE_32F_PEDANTIC: case CUBLAS_COMPUTE_32F_FAST_16F: case CUBLAS_COMPUTE_32F_FAST_16BF:
  case CUBLAS_COMPUTE_32F_FAST_TF32: return complex ? run(cuComplex{}, CUDA_C_32F) : run(float{}, CUDA_R_32F);
  case CUBLAS_COMPUTE_64F: case CUBLAS_COMPUTE_64F_PEDANTIC: return complex ? run(cuDoubleComplex{}, CUDA_C_64F) : run(double{}, CUDA_R_64F);
  case CUBLAS_COMPUTE_32I: case CUBLAS_COMPUTE_32I_PEDANTIC: return run(double{}, CUDA_R_32I); // whole numbers to 2^53
  default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
// A factor in the type that goes with the computation.
template <typename W> __global__ void widen_one(cudaDataType t, const void *from, W *to) { *to = widened_at<W>(t, from, 0); }
template <typename W> Scalar<W> factor_of(cublasHandle_t handle, cudaDataType t, const void *p, W *place) {
  if (handle->mode == CUBLAS_POINTER_MODE_HOST) {
    W v{};
    if (t == CUDA_R_16F) v = number<W>((Real<W>)(float)*(const __half *)p);
    else if (t == CUDA_R_32I) v = number<W>((Real<W>)*(const int *)p);
    else v = *(const W *)p;
    return {v, nullptr};
  }
  widen_one<<<1, 1, 0, handle->stream>>>(t, p, place);
  return {W{}, place};
}

struct Operand {
  const void *p;
  cudaDataType t;
  int ld;
};
cublasStatus_t mixed_product(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void *alpha, Operand a, Operand b,
                             const void *beta, void *c, cudaDataType tc, int ldc, cublasComputeType_t compute) {
  CHECK(known(transa) && known(transb) && m >= 0 && n >= 0 && k >= 0 && alpha && beta && a.ld >= most(1, transa == CUBLAS_OP_N ? m : k) &&
        b.ld >= most(1, transb == CUBLAS_OP_N ? k : n) && ldc >= most(1, m));
  if (!bytes_of(a.t) || !bytes_of(b.t) || !bytes_of(tc)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!m || !n) return CUBLAS_STATUS_SUCCESS;
  return computing(compute, tc == CUDA_C_32F || tc == CUDA_C_64F, [&](auto zero, cudaDataType scale) {
    typedef decltype(zero) W;
    long rows_a = transa == CUBLAS_OP_N ? m : k, columns_a = transa == CUBLAS_OP_N ? k : m, rows_b = transb == CUBLAS_OP_N ? k : n,
         columns_b = transb == CUBLAS_OP_N ? n : k;
    Memory<W> wa, wb, wc, factors;
    if (!wa.take(rows_a * columns_a) || !wb.take(rows_b * columns_b) || !wc.take((long)m * n) || !factors.take(2)) return CUBLAS_STATUS_ALLOC_FAILED;
    widen<<<blocks_for(rows_a * columns_a), 256, 0, handle->stream>>>(a.t, a.p, rows_a, columns_a, a.ld, wa.p);
    widen<<<blocks_for(rows_b * columns_b), 256, 0, handle->stream>>>(b.t, b.p, rows_b, columns_b, b.ld, wb.p);
    Scalar<W> keep = factor_of(handle, scale, beta, factors.p + 1);
    if (keep.p || !is_zero(keep.value)) widen<<<blocks_for((long)m * n), 256, 0, handle->stream>>>(tc, c, m, n, ldc, wc.p);
    launch_product(product(m, n, k, factor_of(handle, scale, alpha, factors.p), general((const W *)wa.p, (int)most(1, (int)rows_a), transa),
                           general((const W *)wb.p, (int)most(1, (int)rows_b), transb), keep, wc.p, m), 1, handle->stream);
    narrow<<<blocks_for((long)m * n), 256, 0, handle->stream>>>(tc, wc.p, m, n, ldc, c);
    return launched();
  });
}
// The type that a real number's or vector's computation is in: single where it is narrower.
template <typename Do> cublasStatus_t executing(cudaDataType t, Do run) {
  switch (t) {
  case CUDA_R_16F: case CUDA_R_16BF: case CUDA_R_32F: return run(float{});
  case CUDA_R_64F: return run(double{});
  case CUDA_C_32F: return run(cuComplex{});
  case CUDA_C_64F: return run(cuDoubleComplex{});
  default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
// Brings a result of a sum to the caller, in the caller's type.
template <typename W> cublasStatus_t give(cublasHandle_t handle, const W *from, cudaDataType t, void *result) {
  Memory<cuDoubleComplex> place;
  if (!place.take(1)) return CUBLAS_STATUS_ALLOC_FAILED;
  bool device = handle->mode == CUBLAS_POINTER_MODE_DEVICE;
  narrow<<<1, 1, 0, handle->stream>>>(t, from, 1, 1, 1, device ? result : place.p);
  if (!device) {
    cudaMemcpyAsync(result, place.p, bytes_of(t), cudaMemcpyDeviceToHost, handle->stream);
    cudaStreamSynchronize(handle->stream);
  }
  return launched();
}
template <typename W> bool widen_vector(cublasHandle_t handle, int n, cudaDataType t, const void *x, int inc, Memory<W> &to) {
  if (!to.take(n)) return false;
  const char *first = (const char *)x + (inc < 0 ? (long)(1 - n) * inc * (long)bytes_of(t) : 0);
  widen<<<blocks_for(n), 256, 0, handle->stream>>>(t, first, 1, n, inc, to.p);
  return true;
}
cublasStatus_t mixed_dot(cublasHandle_t handle, int n, const void *x, cudaDataType tx, int incx, const void *y, cudaDataType ty, int incy, bool conjugated, void *result,
                         cudaDataType tr, cudaDataType compute) {
  CHECK(result && bytes_of(tx) && bytes_of(ty) && bytes_of(tr));
  return executing(compute, [&](auto zero) {
    typedef decltype(zero) W;
    int count = n > 0 ? n : 0;
    Memory<W> wx, wy, sum;
    if (!widen_vector(handle, count, tx, x, incx, wx) || !widen_vector(handle, count, ty, y, incy, wy) || !sum.take(1)) return CUBLAS_STATUS_ALLOC_FAILED;
    dot<<<1, 256, 0, handle->stream>>>(count, Vector<const W>(wx.p, count, 1), Vector<const W>(wy.p, count, 1), conjugated, sum.p);
    return give(handle, sum.p, tr, result);
  });
}

} // namespace

extern "C" {

#define GEMM_EX cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void *alpha
cublasStatus_t cublasGemmEx(GEMM_EX, const void *A, cudaDataType ta, int lda, const void *B, cudaDataType tb, int ldb, const void *beta, void *C, cudaDataType tc, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  return mixed_product(handle, transa, transb, m, n, k, alpha, {A, ta, lda}, {B, tb, ldb}, beta, C, tc, ldc, compute);
}
cublasStatus_t cublasGemmStridedBatchedEx(GEMM_EX, const void *A, cudaDataType ta, int lda, long long stridea, const void *B, cudaDataType tb, int ldb, long long strideb,
                                          const void *beta, void *C, cudaDataType tc, int ldc, long long stridec, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  CHECK(count >= 0);
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++)
    status = mixed_product(handle, transa, transb, m, n, k, alpha, {(const char *)A + i * stridea * (long long)bytes_of(ta), ta, lda},
                           {(const char *)B + i * strideb * (long long)bytes_of(tb), tb, ldb}, beta, (char *)C + i * stridec * (long long)bytes_of(tc), tc, ldc, compute);
  return status;
}
cublasStatus_t cublasGemmBatchedEx(GEMM_EX, const void *const A[], cudaDataType ta, int lda, const void *const B[], cudaDataType tb, int ldb, const void *beta, void *const C[],
                                   cudaDataType tc, int ldc, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  CHECK(count >= 0);
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++) { // the addresses are in device memory
    void *each[3];
    cudaMemcpyAsync(&each[0], A + i, sizeof(void *), cudaMemcpyDeviceToHost, handle->stream);
    cudaMemcpyAsync(&each[1], B + i, sizeof(void *), cudaMemcpyDeviceToHost, handle->stream);
    cudaMemcpyAsync(&each[2], C + i, sizeof(void *), cudaMemcpyDeviceToHost, handle->stream);
    cudaStreamSynchronize(handle->stream);
    status = mixed_product(handle, transa, transb, m, n, k, alpha, {each[0], ta, lda}, {each[1], tb, ldb}, beta, each[2], tc, ldc, compute);
  }
  return status;
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const float *alpha, const void *A, cudaDataType ta,
                             int lda, const void *B, cudaDataType tb, int ldb, const float *beta, void *C, cudaDataType tc, int ldc) {
  return mixed_product(handle, transa, transb, m, n, k, alpha, {A, ta, lda}, {B, tb, ldb}, beta, C, tc, ldc, CUBLAS_COMPUTE_32F);
}
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const __half *alpha, const __half *A, int lda,
                           const __half *B, int ldb, const __half *beta, __half *C, int ldc) {
  return mixed_product(handle, transa, transb, m, n, k, alpha, {A, CUDA_R_16F, lda}, {B, CUDA_R_16F, ldb}, beta, C, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const __half *alpha, const __half *A,
                                         int lda, long long stridea, const __half *B, int ldb, long long strideb, const __half *beta, __half *C, int ldc, long long stridec,
                                         int count) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda, stridea, B, CUDA_R_16F, ldb, strideb, beta, C, CUDA_R_16F, ldc, stridec,
                                    count, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType tx, int incx, const void *y, cudaDataType ty, int incy, void *result, cudaDataType tr,
                           cudaDataType compute) {
  return mixed_dot(handle, n, x, tx, incx, y, ty, incy, false, result, tr, compute);
}
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType tx, int incx, const void *y, cudaDataType ty, int incy, void *result, cudaDataType tr,
                            cudaDataType compute) {
  return mixed_dot(handle, n, x, tx, incx, y, ty, incy, true, result, tr, compute);
}
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType tx, int incx, void *result, cudaDataType tr, cudaDataType) {
  CHECK(result && bytes_of(tx) && bytes_of(tr));
  return executing(tx, [&](auto zero) {
    typedef decltype(zero) W;
    int count = n > 0 && incx > 0 ? n : 0;
    Memory<W> wide;
    Memory<Real<W>> sum;
    if (!widen_vector(handle, count, tx, x, incx, wide) || !sum.take(1)) return CUBLAS_STATUS_ALLOC_FAILED;
    norm<W><<<1, 256, 0, handle->stream>>>(count, Vector<const W>(wide.p, count, 1), sum.p);
    return give(handle, sum.p, tr, result);
  });
}

} // extern "C"
