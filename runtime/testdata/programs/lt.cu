// cuBLASLt: products of small integers, exact in each type, with what may follow them.
#include <cstdio>
#include <cstring>
#include <cublasLt.h>
#include <vector>

template <class T> T *device(const std::vector<T> &v) {
  T *p;
  cudaMalloc(&p, v.size() * sizeof(T)), cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <class T> std::vector<T> numbers(int n, unsigned r) {
  std::vector<T> v(n);
  for (T &x : v) x = T((float)(int)((r = r * 1664525u + 1013904223u) >> 29) - 3);
  return v;
}

cublasLtHandle_t handle;
template <class T, class S>
void product(const char *name, cudaDataType type, cublasComputeType_t compute, cudaDataType scale, cublasOperation_t ta, cublasOperation_t tb, int epilogue, bool rows, int batch) {
  const int m = 24, n = 16, k = 40;
  int ra = ta ? k : m, ca = ta ? m : k, rb = tb ? n : k, cb = tb ? k : n;
  T *a = device(numbers<T>(m * k * batch, 1)), *b = device(numbers<T>(k * n * batch, 2)), *c = device(numbers<T>(m * n * batch, 3));
  T *d = device(std::vector<T>(m * n * batch)), *bias = device(numbers<T>(m, 4)), *aux = device(numbers<T>(m * n * batch, 5));
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t la, lb, lc, ld;
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulDescCreate(&desc, compute, scale), cublasLtMatmulPreferenceCreate(&preference);
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto v) { cublasLtMatmulDescSetAttribute(desc, attribute, &v, sizeof v); };
  set(CUBLASLT_MATMUL_DESC_TRANSA, ta), set(CUBLASLT_MATMUL_DESC_TRANSB, tb), set(CUBLASLT_MATMUL_DESC_EPILOGUE, (cublasLtEpilogue_t)epilogue);
  if (epilogue & 4) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  if (epilogue & 128) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux), set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)m);
  auto layout = [&](cublasLtMatrixLayout_t *l, int r, int cols) {
    int32_t order = rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    int64_t step = r * cols;
    cublasLtMatrixLayoutCreate(l, type, r, cols, rows ? cols : r);
    cublasLtMatrixLayoutSetAttribute(*l, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    cublasLtMatrixLayoutSetAttribute(*l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    cublasLtMatrixLayoutSetAttribute(*l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step);
  };
  layout(&la, ra, ca), layout(&lb, rb, cb), layout(&lc, m, n), layout(&ld, m, n);
  S alpha = 2, beta = -1;
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  int asked = cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, lc, ld, preference, 1, &found, &count);
  int status = asked || !count ? 99 : cublasLtMatmul(handle, desc, &alpha, a, la, b, lb, &beta, c, lc, d, ld, &found.algo, nullptr, 0, 0);
  std::vector<T> result(m * n * batch), left(m * n * batch);
  cudaMemcpy(result.data(), d, result.size() * sizeof(T), cudaMemcpyDeviceToHost), cudaMemcpy(left.data(), aux, left.size() * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0, sum_left = 0;
  for (size_t i = 0; i < result.size(); i++) sum += (double)(float)result[i] * (i % 17 + 1), sum_left += (double)(float)left[i] * (i % 13 + 1);
  printf("%s: %d %d, %.5g %.5g\n", name, count, status, sum, sum_left);
}
int main() {
  cublasLtCreate(&handle);
  const cublasOperation_t N = CUBLAS_OP_N, T = CUBLAS_OP_T;
  product<float, float>("f32", CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, N, N, CUBLASLT_EPILOGUE_DEFAULT, false, 1);
  product<float, float>("f32 transposed", CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, T, T, CUBLASLT_EPILOGUE_DEFAULT, false, 3);
  product<float, float>("f32 by rows", CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, N, T, CUBLASLT_EPILOGUE_DEFAULT, true, 2);
  product<double, double>("f64", CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, T, N, CUBLASLT_EPILOGUE_DEFAULT, false, 1);
  product<__half, float>("f16, ReLU", CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, T, N, CUBLASLT_EPILOGUE_RELU, false, 1);
  product<__half, float>("f16, bias and ReLU", CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, T, N, CUBLASLT_EPILOGUE_RELU_BIAS, false, 1);
  product<__nv_bfloat16, float>("bf16, bias", CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, T, N, CUBLASLT_EPILOGUE_BIAS, false, 1);
  product<float, float>("f32, bias and GELU", CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, T, N, CUBLASLT_EPILOGUE_GELU_BIAS, false, 1);
  product<__half, float>("f16, GELU kept", CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, T, N, CUBLASLT_EPILOGUE_GELU_AUX, false, 1);
  product<__half, float>("f16, GELU's slope", CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, T, N, CUBLASLT_EPILOGUE_DGELU, false, 1);
}
