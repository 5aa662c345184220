// cuBLASLt: a product of matrices whose layouts and whose last step are objects. One kernel computes every element as a sum in the order of the
// inner dimension, in the type that the computation is in.
#include <cublasLt.h>
#include "blas_types.cuh"
#include <cstring>
#include <new>

struct cublasLtContext {
  int unused;
};

namespace {

struct Layout {
  uint64_t rows, columns;
  int64_t ld, step; // of the columns, or rows; of the batch
  int32_t type, order, batch;
};
struct Product {
  void *bias, *aux;
  int64_t bias_step, aux_ld, aux_step;
  int32_t compute, scale, pointers, transa, transb, transc, fill, epilogue, bias_type;
};
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t) && sizeof(Product) <= sizeof(cublasLtMatmulDescOpaque_t), "objects have room");

// Where an attribute is in its object, and how large it is.
struct Field {
  int attribute;
  size_t at, bytes;
};
#define FIELD(ATTRIBUTE, OBJECT, NAME) {ATTRIBUTE, offsetof(OBJECT, NAME), sizeof(OBJECT::NAME)}
const Field layout_fields[] = {
    FIELD(CUBLASLT_MATRIX_LAYOUT_TYPE, Layout, type),         FIELD(CUBLASLT_MATRIX_LAYOUT_ORDER, Layout, order),
    FIELD(CUBLASLT_MATRIX_LAYOUT_ROWS, Layout, rows),         FIELD(CUBLASLT_MATRIX_LAYOUT_COLS, Layout, columns),
    FIELD(CUBLASLT_MATRIX_LAYOUT_LD, Layout, ld),             FIELD(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, Layout, batch),
    FIELD(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, Layout, step),
};
const Field product_fields[] = {
    FIELD(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, Product, compute),
    FIELD(CUBLASLT_MATMUL_DESC_SCALE_TYPE, Product, scale),
    FIELD(CUBLASLT_MATMUL_DESC_POINTER_MODE, Product, pointers),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSA, Product, transa),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSB, Product, transb),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSC, Product, transc),
    FIELD(CUBLASLT_MATMUL_DESC_FILL_MODE, Product, fill),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE, Product, epilogue),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_POINTER, Product, bias),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, Product, bias_step),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, Product, aux),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, Product, aux_ld),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, Product, aux_step),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, Product, bias_type),
};
template <size_t COUNT> const Field *field_of(const Field (&all)[COUNT], int attribute) {
  for (const Field &f : all)
    if (f.attribute == attribute) return &f;
  return nullptr;
}
cublasStatus_t set(void *object, const Field *f, const void *value, size_t bytes) {
  if (!object || !f || !value || bytes != f->bytes) return CUBLAS_STATUS_INVALID_VALUE;
  memcpy((char *)object + f->at, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get(const void *object, const Field *f, void *value, size_t bytes, size_t *written) {
  if (!object || !f || (!bytes && !written) || (bytes && bytes != f->bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  if (written) *written = f->bytes;
  if (bytes) memcpy(value, (const char *)object + f->at, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
template <typename T> cublasStatus_t make(T **object) {
  if (!object) return CUBLAS_STATUS_INVALID_VALUE;
  *object = new (std::nothrow) T();
  return *object ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

// A matrix as a kernel sees it.
struct Matrix {
  char *p;
  int type, rows_apart; // rows_apart: elements of a column are ld apart
  long ld, step;
};
__device__ long place(const Matrix &m, long row, long column, long batch) {
  return batch * m.step + (m.rows_apart ? row * m.ld + column : row + column * m.ld);
}
template <typename W> __device__ W load(const Matrix &m, long row, long column, long batch) {
  return widened_at<W>((cudaDataType)m.type, m.p, place(m, row, column, batch));
}
template <typename W> __device__ void store(const Matrix &m, long row, long column, long batch, W v) {
  narrow_to((cudaDataType)m.type, m.p, place(m, row, column, batch), v);
}
__device__ float root_two_over_pi() { return 0.7978845608028654f; }
template <typename W> __device__ W gelu(W x) { return (W)0.5 * x * ((W)1 + tanh((W)root_two_over_pi() * (x + (W)0.044715 * x * x * x))); }
template <typename W> __device__ W gelu_slope(W x) {
  W t = tanh((W)root_two_over_pi() * (x + (W)0.044715 * x * x * x));
  return (W)0.5 * ((W)1 + t) + (W)0.5 * x * ((W)1 - t * t) * (W)root_two_over_pi() * ((W)1 + (W)(3 * 0.044715) * x * x);
}

const int tile = 16;
template <typename W>
__global__ void multiply(long m, long n, long k, W alpha, const W *alpha_at, Matrix a, bool transa, Matrix b, bool transb, W beta, const W *beta_at, Matrix c, Matrix d,
                         Matrix bias, Matrix aux, int epilogue) {
  __shared__ W left[tile][tile + 1], right[tile][tile + 1];
  long row = blockIdx.x * (long)tile + threadIdx.x, column = blockIdx.y * (long)tile + threadIdx.y, batch = blockIdx.z;
  W sum = 0;
  for (long from = 0; from < k; from += tile) {
    long la = from + threadIdx.y, lb = from + threadIdx.x;
    left[threadIdx.y][threadIdx.x] = row < m && la < k ? load<W>(a, transa ? la : row, transa ? row : la, batch) : W(0);
    right[threadIdx.y][threadIdx.x] = column < n && lb < k ? load<W>(b, transb ? column : lb, transb ? lb : column, batch) : W(0);
    __syncthreads();
    for (int l = 0; l < tile; l++) sum += left[l][threadIdx.x] * right[threadIdx.y][l];
    __syncthreads();
  }
  if (row >= m || column >= n) return;
  W keep = beta_at ? *beta_at : beta, v = (alpha_at ? *alpha_at : alpha) * sum;
  if (keep != W(0)) v += keep * load<W>(c, row, column, batch);
  if (epilogue & CUBLASLT_EPILOGUE_BIAS) v += load<W>(bias, row, 0, batch);
  if (epilogue == CUBLASLT_EPILOGUE_DGELU) v *= gelu_slope(load<W>(aux, row, column, batch));
  if (epilogue == CUBLASLT_EPILOGUE_GELU_AUX || epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS) store(aux, row, column, batch, v);
  if (epilogue & CUBLASLT_EPILOGUE_GELU) v = gelu(v);
  if (epilogue & CUBLASLT_EPILOGUE_RELU) v = v > W(0) ? v : W(0);
  store(d, row, column, batch, v);
}

bool real_type(int type) { return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F; }

// Says whether the kernel can do what is described.
cublasStatus_t check(const Product *p, const Layout *a, const Layout *b, const Layout *c, const Layout *d) {
  if (!p || !a || !b || !c || !d) return CUBLAS_STATUS_INVALID_VALUE;
  for (const Layout *l : {a, b, c, d}) {
    if (!real_type(l->type) || l->order > CUBLASLT_ORDER_ROW) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (l->ld < (int64_t)(l->order == CUBLASLT_ORDER_ROW ? l->columns : l->rows) || l->batch != d->batch) return CUBLAS_STATUS_INVALID_VALUE;
  }
  bool wide = p->compute == CUBLAS_COMPUTE_64F || p->compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  if (p->compute == CUBLAS_COMPUTE_32I || p->compute == CUBLAS_COMPUTE_32I_PEDANTIC || p->compute == CUBLAS_COMPUTE_16F ||
      p->compute == CUBLAS_COMPUTE_16F_PEDANTIC || p->scale != (wide ? CUDA_R_64F : CUDA_R_32F) || p->pointers > CUBLASLT_POINTER_MODE_DEVICE ||
      p->transc != CUBLAS_OP_N || p->fill != CUBLAS_FILL_MODE_FULL)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  switch (p->epilogue) {
  case CUBLASLT_EPILOGUE_DEFAULT: case CUBLASLT_EPILOGUE_RELU: case CUBLASLT_EPILOGUE_BIAS: case CUBLASLT_EPILOGUE_RELU_BIAS: case CUBLASLT_EPILOGUE_GELU:
  case CUBLASLT_EPILOGUE_GELU_BIAS: break;
  case CUBLASLT_EPILOGUE_GELU_AUX: case CUBLASLT_EPILOGUE_GELU_AUX_BIAS: case CUBLASLT_EPILOGUE_DGELU:
    if (!p->aux || p->aux_ld < (int64_t)d->rows) return CUBLAS_STATUS_INVALID_VALUE;
    break;
  default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (p->epilogue & CUBLASLT_EPILOGUE_BIAS && !p->bias) return CUBLAS_STATUS_INVALID_VALUE;
  uint64_t inner = p->transa == CUBLAS_OP_N ? a->columns : a->rows;
  bool fit = (p->transa == CUBLAS_OP_N ? a->rows : a->columns) == d->rows && (p->transb == CUBLAS_OP_N ? b->columns : b->rows) == d->columns &&
             (p->transb == CUBLAS_OP_N ? b->rows : b->columns) == inner && c->rows == d->rows && c->columns == d->columns;
  return fit ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
Matrix matrix(const void *p, const Layout *l) { return {(char *)p, l->type, l->order == CUBLASLT_ORDER_ROW, (long)l->ld, (long)l->step}; }

template <typename W>
cublasStatus_t launch(const Product *p, const void *alpha, Matrix ma, Matrix mb, const void *beta, Matrix mc, Matrix md, const Layout *d, long k, cudaStream_t stream) {
  bool device = p->pointers == CUBLASLT_POINTER_MODE_DEVICE;
  Matrix bias = {(char *)p->bias, p->bias_type < 0 ? d->type : p->bias_type, 0, 0, (long)p->bias_step};
  Matrix aux = {(char *)p->aux, d->type, 0, (long)p->aux_ld, (long)p->aux_step};
  dim3 grid((unsigned)((d->rows + tile - 1) / tile), (unsigned)((d->columns + tile - 1) / tile), (unsigned)d->batch);
  multiply<W><<<grid, dim3(tile, tile), 0, stream>>>(d->rows, d->columns, k, device ? W(0) : *(const W *)alpha, device ? (const W *)alpha : nullptr, ma,
                                                     p->transa != CUBLAS_OP_N, mb, p->transb != CUBLAS_OP_N, device ? W(0) : *(const W *)beta,
                                                     device ? (const W *)beta : nullptr, mc, md, bias, aux, p->epilogue);
  return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace

extern "C" {

size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) { return make(handle); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld) {
  if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
  *(Layout *)layout = {rows, columns, ld, 0, type, CUBLASLT_ORDER_COL, 1};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld) {
  cublasStatus_t status = make(layout);
  return status ? status : cublasLtMatrixLayoutInit(*layout, type, rows, columns, ld);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void *value, size_t bytes) {
  return set(layout, field_of(layout_fields, attribute), value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, void *value, size_t bytes, size_t *written) {
  return get(layout, field_of(layout_fields, attribute), value, bytes, written);
}

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute, cudaDataType_t scale) {
  if (!desc) return CUBLAS_STATUS_INVALID_VALUE;
  *(Product *)desc = {nullptr, nullptr, 0, 0, 0, compute, scale, CUBLASLT_POINTER_MODE_HOST, CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_FILL_MODE_FULL,
                      CUBLASLT_EPILOGUE_DEFAULT, -1};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType_t scale) {
  cublasStatus_t status = make(desc);
  return status ? status : cublasLtMatmulDescInit(*desc, compute, scale);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void *value, size_t bytes) {
  return set(desc, field_of(product_fields, attribute), value, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, void *value, size_t bytes, size_t *written) {
  return get(desc, field_of(product_fields, attribute), value, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) { return make(preference); }
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
  if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = {};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t, const void *value, size_t bytes) {
  return preference && value && bytes ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t found[], int *count) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!preference || wanted < 1 || !found || !count) return CUBLAS_STATUS_INVALID_VALUE;
  *count = 0;
  cublasStatus_t status = check((Product *)desc, (Layout *)a, (Layout *)b, (Layout *)c, (Layout *)d);
  if (status) return status;
  *count = 1;
  found[0] = {};
  found[0].wavesCount = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *pa, cublasLtMatrixLayout_t a, const void *pb,
                              cublasLtMatrixLayout_t b, const void *beta, const void *pc, cublasLtMatrixLayout_t c, void *pd, cublasLtMatrixLayout_t d,
                              const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Product *p = (Product *)desc;
  const Layout *la = (Layout *)a, *ld = (Layout *)d;
  cublasStatus_t status = check(p, la, (Layout *)b, (Layout *)c, ld);
  if (status) return status;
  if (!alpha || !beta || !pa || !pb || !pd) return CUBLAS_STATUS_INVALID_VALUE;
  if (!ld->rows || !ld->columns) return CUBLAS_STATUS_SUCCESS;
  long k = p->transa == CUBLAS_OP_N ? la->columns : la->rows;
  Matrix ma = matrix(pa, la), mb = matrix(pb, (Layout *)b), mc = matrix(pc, (Layout *)c), md = matrix(pd, ld);
  return p->scale == CUDA_R_64F ? launch<double>(p, alpha, ma, mb, beta, mc, md, ld, k, stream) : launch<float>(p, alpha, ma, mb, beta, mc, md, ld, k, stream);
}

} // extern "C"
