// cuSPARSE on the simulated device: arguments and descriptions, and which kernels of sparse_kernels.cuh do the work.
#include "cusparse.h"
#include "sparse_kernels.cuh"
#include <stdlib.h>
#include <string.h>

struct cusparseContext {
  cudaStream_t stream;
  cusparsePointerMode_t mode;
};
struct cusparseMatDescr {
  cusparseMatrixType_t type;
  cusparseFillMode_t fill;
  cusparseDiagType_t diag;
  cusparseIndexBase_t base;
};
struct cusparseSpVecDescr {
  int64_t size, nnz;
  void *indices, *values;
  bool wide;
  int base;
  cudaDataType t;
};
struct cusparseDnVecDescr {
  int64_t size;
  void *values;
  cudaDataType t;
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  int64_t rows, cols, nnz;
  void *first, *second, *values; // CSR: offsets of rows, columns; CSC: offsets of columns, rows; COO: rows, columns
  bool wide_first, wide_second;
  cusparseIndexBase_t base;
  cudaDataType t;
  cusparseFillMode_t fill;
  cusparseDiagType_t diag;
  int count; // of a batch, with steps between its matrices
  int64_t first_step, values_step;
};
struct cusparseDnMatDescr {
  int64_t rows, cols, ld;
  void *values;
  cudaDataType t;
  cusparseOrder_t order;
  int count;
  int64_t step;
};
struct cusparseSpGEMMDescr { int *offsets; };
struct cusparseSpSVDescr { int nothing; };
struct cusparseSpSMDescr { int nothing; };
struct csrsv2Info { int position; };
struct csrilu02Info { int position; };
struct csric02Info { int position; };

namespace {

#define CHECK(OK) do { if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED; if (!(OK)) return CUSPARSE_STATUS_INVALID_VALUE; } while (0)
#define NEED(OK) do { if (!(OK)) return CUSPARSE_STATUS_INVALID_VALUE; } while (0)

cusparseStatus_t launched() { return cudaPeekAtLastError() == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED; }
unsigned int blocks(int64_t threads) { return threads > 256 * 4096 ? 4096 : threads < 1 ? 1 : (unsigned int)((threads + 255) / 256); }
template <typename T> Factor<T> factor(cusparseHandle_t h, const void *p) {
  if (h->mode == CUSPARSE_POINTER_MODE_DEVICE) return {T{}, (const T *)p};
  return {*(const T *)p, nullptr};
}
template <typename T> struct TypeOf;
template <> struct TypeOf<float> { static const cudaDataType value = CUDA_R_32F; };
template <> struct TypeOf<double> { static const cudaDataType value = CUDA_R_64F; };
template <> struct TypeOf<cuComplex> { static const cudaDataType value = CUDA_C_32F; };
template <> struct TypeOf<cuDoubleComplex> { static const cudaDataType value = CUDA_C_64F; };

// Calls do with a number of the type, or says that there is none.
template <typename Do> cusparseStatus_t with(cudaDataType t, Do run) {
  switch (t) {
  case CUDA_R_32F: return run(float{});
  case CUDA_R_64F: return run(double{});
  case CUDA_C_32F: return run(cuComplex{});
  case CUDA_C_64F: return run(cuDoubleComplex{});
  default: return CUSPARSE_STATUS_NOT_SUPPORTED;
  }
}

// Memory that is there as long as the call; freeing it waits for the kernels that use it.
template <typename T> struct Room {
  T *p = nullptr;
  bool take(int64_t n) { return cudaMalloc((void **)&p, (n > 0 ? n : 1) * sizeof(T)) == cudaSuccess; }
  ~Room() { cudaFree(p); }
};

// Entries with a row and a column each, brought into the order of rows and columns. `from` is where each entry was.
struct Sorted {
  Room<int> offsets, columns, from;
  bool sort(cudaStream_t s, Index row, Index column, int64_t rows, int64_t nnz) {
    Room<int> dealt;
    if (!offsets.take(rows + 1) || !columns.take(nnz) || !from.take(nnz) || !dealt.take(rows)) return false;
    clear<<<blocks(rows + 1), 256, 0, s>>>(offsets.p, rows + 1);
    clear<<<blocks(rows), 256, 0, s>>>(dealt.p, rows);
    count<<<blocks(nnz), 256, 0, s>>>(row, nnz, offsets.p);
    counts_to_offsets<<<1, 256, 0, s>>>(offsets.p, rows, 0);
    deal<<<blocks(nnz), 256, 0, s>>>(row, nnz, offsets.p, dealt.p, from.p);
    order_rows<<<blocks(rows), 256, 0, s>>>(column, offsets.p, rows, 0, from.p);
    take_index<<<blocks(nnz), 256, 0, s>>>(from.p, nnz, column, 0, columns.p);
    return launched() == CUSPARSE_STATUS_SUCCESS;
  }
};
// A sparse matrix after an operation, as compressed rows.
template <typename T> struct Seen {
  Rows<T> rows;
  Sorted sorted;
  Room<T> values;
  Room<int> spread_rows;
  bool see(cudaStream_t s, const cusparseSpMatDescr *m, cusparseOperation_t op, int batch = 0) {
    bool across = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    const char *first = (const char *)m->first + batch * m->first_step * (m->wide_first ? 8 : 4);
    const char *second = (const char *)m->second + batch * m->values_step * (m->wide_second ? 8 : 4);
    Index one = {first, m->wide_first, m->base}, two = {second, m->wide_second, m->base};
    const T *own = (const T *)m->values + batch * m->values_step;
    rows = {across ? m->cols : m->rows, across ? m->rows : m->cols, one, two, own, op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
    if (m->format == CUSPARSE_FORMAT_CSR && !across || m->format == CUSPARSE_FORMAT_CSC && across) return true;
    Index row = one, column = two; // of each entry, before the operation
    if (m->format != CUSPARSE_FORMAT_COO) {
      int64_t n = m->format == CUSPARSE_FORMAT_CSR ? m->rows : m->cols;
      if (!spread_rows.take(m->nnz)) return false;
      spread<<<blocks(n), 256, 0, s>>>(one, n, 0, spread_rows.p);
      row = {spread_rows.p, false, 0};
      if (m->format == CUSPARSE_FORMAT_CSC) column = row, row = two;
    }
    if (!sorted.sort(s, across ? column : row, across ? row : column, rows.rows, m->nnz) || !values.take(m->nnz)) return false;
    take<<<blocks(m->nnz), 256, 0, s>>>(sorted.from.p, m->nnz, own, values.p);
    rows.offsets = {sorted.offsets.p, false, 0}, rows.column = {sorted.columns.p, false, 0}, rows.values = values.p;
    return true;
  }
};
template <typename T> Dense<T> dense(const cusparseDnMatDescr *m, cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE, int batch = 0) {
  bool by_rows = m->order == CUSPARSE_ORDER_ROW, across = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
  Dense<T> d = {(T *)m->values + batch * m->step, m->rows, m->cols, by_rows ? m->ld : 1, by_rows ? 1 : m->ld, op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
  if (across) d.rows = m->cols, d.columns = m->rows, d.down = by_rows ? 1 : m->ld, d.across = by_rows ? m->ld : 1;
  return d;
}
template <typename T> Dense<T> column(void *p, int64_t n) { return {(T *)p, n, 1, 1, n, false}; }

template <typename T>
cusparseStatus_t multiply(cusparseHandle_t h, const cusparseSpMatDescr *a, cusparseOperation_t op, const void *alpha, Dense<T> b, const void *beta, Dense<T> c, int batch = 0) {
  Seen<T> seen;
  if (!seen.see(h->stream, a, op, batch)) return CUSPARSE_STATUS_ALLOC_FAILED;
  if (seen.rows.rows != c.rows || seen.rows.columns != b.rows || b.columns != c.columns) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!c.rows || !c.columns) return CUSPARSE_STATUS_SUCCESS;
  Factor<T> f = factor<T>(h, alpha), g = factor<T>(h, beta);
  if (c.columns < 4) rows_times_columns<<<dim3((unsigned int)((c.rows + 7) / 8), (unsigned int)c.columns), 256, 0, h->stream>>>(seen.rows, f, b, g, c);
  else rows_times_matrix<<<blocks(c.rows * c.columns), 256, 0, h->stream>>>(seen.rows, f, b, g, c);
  return launched();
}
template <typename T>
cusparseStatus_t solve(cusparseHandle_t h, const cusparseSpMatDescr *a, cusparseOperation_t op, const void *alpha, Dense<T> b, Dense<T> x) {
  Seen<T> seen;
  if (!seen.see(h->stream, a, op)) return CUSPARSE_STATUS_ALLOC_FAILED;
  bool lower = (a->fill == CUSPARSE_FILL_MODE_LOWER) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
  if (x.rows && x.columns)
    solve_triangle<<<(unsigned int)x.columns, 32, 0, h->stream>>>(seen.rows, lower, a->diag == CUSPARSE_DIAG_TYPE_UNIT, factor<T>(h, alpha), b, x);
  return launched();
}
// A matrix as the older functions name it.
template <typename T> cusparseSpMatDescr csr(const cusparseMatDescr_t d, int m, int n, int nnz, const T *values, const int *offsets, const int *columns) {
  return {CUSPARSE_FORMAT_CSR, m, n, nnz, (void *)offsets, (void *)columns, (void *)values, false, false, d->base, TypeOf<T>::value, d->fill, d->diag, 1, 0, 0};
}
template <typename T> cusparseStatus_t transpose(cusparseHandle_t h, int m, int n, int nnz, const T *values, const int *offsets, const int *columns, T *values_t,
                                                 int *offsets_t, int *rows_t, bool numeric, cusparseIndexBase_t base) {
  cusparseMatDescr d = {CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT, base};
  cusparseSpMatDescr a = csr(&d, m, n, nnz, values, offsets, columns);
  Room<int> row;
  Sorted s;
  if (!row.take(nnz)) return CUSPARSE_STATUS_ALLOC_FAILED;
  spread<<<blocks(m), 256, 0, h->stream>>>(Index{a.first, false, base}, m, 0, row.p);
  if (!s.sort(h->stream, Index{columns, false, base}, Index{row.p, false, 0}, n, nnz)) return CUSPARSE_STATUS_ALLOC_FAILED;
  store_offsets<<<blocks(n + 1), 256, 0, h->stream>>>(s.offsets.p, n + 1, base, offsets_t, false);
  store_offsets<<<blocks(nnz), 256, 0, h->stream>>>(s.columns.p, nnz, base, rows_t, false);
  if (numeric && nnz) take<<<blocks(nnz), 256, 0, h->stream>>>(s.from.p, nnz, values, values_t);
  return launched();
}
// Sorts triplets where they lie, and a permutation along with them where there is one.
cusparseStatus_t sort_entries(cusparseHandle_t h, int m, int nnz, Index row, int base, int *rows, int *columns, int *p) {
  Sorted s;
  Room<int> old;
  if (!s.sort(h->stream, row, Index{columns, false, base}, m, nnz) || !old.take(nnz)) return CUSPARSE_STATUS_ALLOC_FAILED;
  if (nnz == 0) return CUSPARSE_STATUS_SUCCESS;
  if (rows) spread<<<blocks(m), 256, 0, h->stream>>>(Index{s.offsets.p, false, 0}, m, base, rows);
  store_offsets<<<blocks(nnz), 256, 0, h->stream>>>(s.columns.p, nnz, base, columns, false);
  if (p) {
    cudaMemcpyAsync(old.p, p, nnz * sizeof(int), cudaMemcpyDeviceToDevice, h->stream);
    take<<<blocks(nnz), 256, 0, h->stream>>>(s.from.p, nnz, old.p, p);
  }
  return launched();
}
template <typename T> cusparseStatus_t zero_pivot(cusparseHandle_t h, const cusparseSpMatDescr &a, int *position) {
  Room<int> found;
  Seen<T> seen;
  if (!found.take(1) || !seen.see(h->stream, &a, CUSPARSE_OPERATION_NON_TRANSPOSE)) return CUSPARSE_STATUS_ALLOC_FAILED;
  first_zero<<<1, 32, 0, h->stream>>>(seen.rows, found.p);
  cudaMemcpyAsync(position, found.p, sizeof(int), cudaMemcpyDeviceToHost, h->stream);
  cudaStreamSynchronize(h->stream);
  return launched();
}
// A result of the library's for the caller, wherever the caller's is.
cusparseStatus_t tell(cusparseHandle_t h, const void *from, void *to, size_t bytes) {
  bool device = h->mode == CUSPARSE_POINTER_MODE_DEVICE;
  cudaMemcpyAsync(to, from, bytes, device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost, h->stream);
  if (!device) cudaStreamSynchronize(h->stream);
  return launched();
}
cusparseStatus_t tell_position(cusparseHandle_t h, int position, int *to) {
  if (h->mode == CUSPARSE_POINTER_MODE_DEVICE) cudaMemcpy(to, &position, sizeof(int), cudaMemcpyHostToDevice);
  else *to = position;
  return position < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}
template <typename T> cusparseStatus_t make(T **to, T value) {
  if (!to) return CUSPARSE_STATUS_INVALID_VALUE;
  *to = (T *)malloc(sizeof(T));
  if (!*to) return CUSPARSE_STATUS_ALLOC_FAILED;
  **to = value;
  return CUSPARSE_STATUS_SUCCESS;
}
template <typename T> cusparseStatus_t unmake(T *p) {
  free(p);
  return CUSPARSE_STATUS_SUCCESS;
}
template <typename T> void put(T *to, T value) {
  if (to) *to = value;
}
bool wide(cusparseIndexType_t t) { return t == CUSPARSE_INDEX_64I; }
// No function needs room of the caller's, who may not allocate none.
cusparseStatus_t little(size_t *bytes) {
  NEED(bytes);
  *bytes = 16;
  return CUSPARSE_STATUS_SUCCESS;
}
const struct { cusparseStatus_t status; const char *name, *text; } statuses[] = {
  {CUSPARSE_STATUS_SUCCESS, "CUSPARSE_STATUS_SUCCESS", "success"},
  {CUSPARSE_STATUS_NOT_INITIALIZED, "CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
  {CUSPARSE_STATUS_ALLOC_FAILED, "CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
  {CUSPARSE_STATUS_INVALID_VALUE, "CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
  {CUSPARSE_STATUS_ARCH_MISMATCH, "CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
  {CUSPARSE_STATUS_MAPPING_ERROR, "CUSPARSE_STATUS_MAPPING_ERROR", "texture mapping error"},
  {CUSPARSE_STATUS_EXECUTION_FAILED, "CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
  {CUSPARSE_STATUS_INTERNAL_ERROR, "CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
  {CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
  {CUSPARSE_STATUS_ZERO_PIVOT, "CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
  {CUSPARSE_STATUS_NOT_SUPPORTED, "CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
  {CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

} // namespace

extern "C" {
#define S cusparseStatus_t

S cusparseCreate(cusparseHandle_t *h) { return make(h, cusparseContext{nullptr, CUSPARSE_POINTER_MODE_HOST}); }
S cusparseDestroy(cusparseHandle_t h) { return h ? unmake(h) : CUSPARSE_STATUS_NOT_INITIALIZED; }
S cusparseGetVersion(cusparseHandle_t, int *version) { return put(version, CUSPARSE_VERSION), CUSPARSE_STATUS_SUCCESS; }
#define SETTING(SET, GET, TYPE, FIELD)                                    \
  S SET(cusparseHandle_t h, TYPE v) { CHECK(true); h->FIELD = v; return CUSPARSE_STATUS_SUCCESS; } \
  S GET(cusparseHandle_t h, TYPE *v) { CHECK(v); *v = h->FIELD; return CUSPARSE_STATUS_SUCCESS; }
SETTING(cusparseSetStream, cusparseGetStream, cudaStream_t, stream)
SETTING(cusparseSetPointerMode, cusparseGetPointerMode, cusparsePointerMode_t, mode)
const char *cusparseGetErrorName(S status) {
  for (auto &s : statuses) if (s.status == status) return s.name;
  return "unrecognized error code";
}
const char *cusparseGetErrorString(S status) {
  for (auto &s : statuses) if (s.status == status) return s.text;
  return "unrecognized error code";
}
S cusparseCreateMatDescr(cusparseMatDescr_t *d) { return make(d, cusparseMatDescr{}); }
S cusparseDestroyMatDescr(cusparseMatDescr_t d) { return unmake(d); }
#define FIELD(NAME, TYPE, WHICH)                                                                          \
  S cusparseSetMat##NAME(cusparseMatDescr_t d, TYPE v) { NEED(d); d->WHICH = v; return CUSPARSE_STATUS_SUCCESS; } \
  TYPE cusparseGetMat##NAME(const cusparseMatDescr_t d) { return d->WHICH; }
FIELD(Type, cusparseMatrixType_t, type)
FIELD(FillMode, cusparseFillMode_t, fill)
FIELD(DiagType, cusparseDiagType_t, diag)
FIELD(IndexBase, cusparseIndexBase_t, base)

S cusparseCreateSpVec(cusparseSpVecDescr_t *v, int64_t size, int64_t nnz, void *indices, void *values, cusparseIndexType_t type, cusparseIndexBase_t base, cudaDataType t) {
  return make(v, cusparseSpVecDescr{size, nnz, indices, values, wide(type), base, t});
}
S cusparseDestroySpVec(cusparseSpVecDescr_t v) { return unmake(v); }
S cusparseSpVecGetValues(cusparseSpVecDescr_t v, void **values) { return put(values, v->values), CUSPARSE_STATUS_SUCCESS; }
S cusparseSpVecSetValues(cusparseSpVecDescr_t v, void *values) { return v->values = values, CUSPARSE_STATUS_SUCCESS; }
S cusparseCreateDnVec(cusparseDnVecDescr_t *v, int64_t size, void *values, cudaDataType t) { return make(v, cusparseDnVecDescr{size, values, t}); }
S cusparseDestroyDnVec(cusparseDnVecDescr_t v) { return unmake(v); }
S cusparseDnVecGet(cusparseDnVecDescr_t v, int64_t *size, void **values, cudaDataType *t) {
  return put(size, v->size), put(values, v->values), put(t, v->t), CUSPARSE_STATUS_SUCCESS;
}
S cusparseDnVecGetValues(cusparseDnVecDescr_t v, void **values) { return put(values, v->values), CUSPARSE_STATUS_SUCCESS; }
S cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values) { return v->values = values, CUSPARSE_STATUS_SUCCESS; }

S cusparseCreateCsr(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *offsets, void *columns, void *values, cusparseIndexType_t offsets_type,
                    cusparseIndexType_t columns_type, cusparseIndexBase_t base, cudaDataType t) {
  return make(m, cusparseSpMatDescr{CUSPARSE_FORMAT_CSR, rows, cols, nnz, offsets, columns, values, wide(offsets_type), wide(columns_type), base, t, {}, {}, 1, 0, 0});
}
S cusparseCreateCsc(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *offsets, void *rows_of, void *values, cusparseIndexType_t offsets_type,
                    cusparseIndexType_t rows_type, cusparseIndexBase_t base, cudaDataType t) {
  return make(m, cusparseSpMatDescr{CUSPARSE_FORMAT_CSC, rows, cols, nnz, offsets, rows_of, values, wide(offsets_type), wide(rows_type), base, t, {}, {}, 1, 0, 0});
}
S cusparseCreateCoo(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *rows_of, void *columns, void *values, cusparseIndexType_t type,
                    cusparseIndexBase_t base, cudaDataType t) {
  return make(m, cusparseSpMatDescr{CUSPARSE_FORMAT_COO, rows, cols, nnz, rows_of, columns, values, wide(type), wide(type), base, t, {}, {}, 1, 0, 0});
}
S cusparseDestroySpMat(cusparseSpMatDescr_t m) { return unmake(m); }
S cusparseCsrGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets, void **columns, void **values, cusparseIndexType_t *offsets_type,
                 cusparseIndexType_t *columns_type, cusparseIndexBase_t *base, cudaDataType *t) {
  put(rows, m->rows), put(cols, m->cols), put(nnz, m->nnz), put(offsets, m->first), put(columns, m->second), put(values, m->values), put(base, m->base), put(t, m->t);
  put(offsets_type, m->wide_first ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I), put(columns_type, m->wide_second ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I);
  return CUSPARSE_STATUS_SUCCESS;
}
#define POINTERS(NAME) \
  S NAME(cusparseSpMatDescr_t m, void *first, void *second, void *values) { return m->first = first, m->second = second, m->values = values, CUSPARSE_STATUS_SUCCESS; }
POINTERS(cusparseCsrSetPointers) POINTERS(cusparseCscSetPointers) POINTERS(cusparseCooSetPointers)
S cusparseSpMatGetSize(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz) {
  return put(rows, m->rows), put(cols, m->cols), put(nnz, m->nnz), CUSPARSE_STATUS_SUCCESS;
}
S cusparseSpMatGetFormat(cusparseSpMatDescr_t m, cusparseFormat_t *format) { return put(format, m->format), CUSPARSE_STATUS_SUCCESS; }
S cusparseSpMatGetIndexBase(cusparseSpMatDescr_t m, cusparseIndexBase_t *base) { return put(base, m->base), CUSPARSE_STATUS_SUCCESS; }
S cusparseSpMatGetValues(cusparseSpMatDescr_t m, void **values) { return put(values, m->values), CUSPARSE_STATUS_SUCCESS; }
S cusparseSpMatSetValues(cusparseSpMatDescr_t m, void *values) { return m->values = values, CUSPARSE_STATUS_SUCCESS; }
S cusparseSpMatGetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t which, void *data, size_t bytes) {
  NEED(data && bytes == sizeof(int));
  memcpy(data, which == CUSPARSE_SPMAT_FILL_MODE ? (void *)&m->fill : (void *)&m->diag, bytes);
  return CUSPARSE_STATUS_SUCCESS;
}
S cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t which, void *data, size_t bytes) {
  NEED(data && bytes == sizeof(int));
  memcpy(which == CUSPARSE_SPMAT_FILL_MODE ? (void *)&m->fill : (void *)&m->diag, data, bytes);
  return CUSPARSE_STATUS_SUCCESS;
}
S cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets_step, int64_t values_step) {
  return m->count = count, m->first_step = offsets_step, m->values_step = values_step, CUSPARSE_STATUS_SUCCESS;
}
S cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t step) {
  return m->count = count, m->first_step = m->values_step = step, CUSPARSE_STATUS_SUCCESS;
}
S cusparseCreateDnMat(cusparseDnMatDescr_t *m, int64_t rows, int64_t cols, int64_t ld, void *values, cudaDataType t, cusparseOrder_t order) {
  NEED(ld >= (order == CUSPARSE_ORDER_ROW ? cols : rows));
  return make(m, cusparseDnMatDescr{rows, cols, ld, values, t, order, 1, 0});
}
S cusparseDestroyDnMat(cusparseDnMatDescr_t m) { return unmake(m); }
S cusparseDnMatGet(cusparseDnMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *ld, void **values, cudaDataType *t, cusparseOrder_t *order) {
  put(rows, m->rows), put(cols, m->cols), put(ld, m->ld), put(values, m->values), put(t, m->t), put(order, m->order);
  return CUSPARSE_STATUS_SUCCESS;
}
S cusparseDnMatGetValues(cusparseDnMatDescr_t m, void **values) { return put(values, m->values), CUSPARSE_STATUS_SUCCESS; }
S cusparseDnMatSetValues(cusparseDnMatDescr_t m, void *values) { return m->values = values, CUSPARSE_STATUS_SUCCESS; }
S cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t step) { return m->count = count, m->step = step, CUSPARSE_STATUS_SUCCESS; }

S cusparseAxpby(cusparseHandle_t h, const void *alpha, cusparseSpVecDescr_t x, const void *beta, cusparseDnVecDescr_t y) {
  CHECK(x && y && x->t == y->t);
  return with(x->t, [&](auto zero) {
    typedef decltype(zero) T;
    scale_all<<<blocks(y->size), 256, 0, h->stream>>>(factor<T>(h, beta), y->size, (T *)y->values);
    add_entries<<<blocks(x->nnz), 256, 0, h->stream>>>(factor<T>(h, alpha), Index{x->indices, x->wide, x->base}, x->nnz, (const T *)x->values, (T *)y->values);
    return launched();
  });
}
S cusparseGather(cusparseHandle_t h, cusparseDnVecDescr_t y, cusparseSpVecDescr_t x) {
  CHECK(x && y && x->t == y->t);
  return with(x->t, [&](auto zero) {
    gather<<<blocks(x->nnz), 256, 0, h->stream>>>(Index{x->indices, x->wide, x->base}, x->nnz, (decltype(zero) *)y->values, (decltype(zero) *)x->values);
    return launched();
  });
}
S cusparseScatter(cusparseHandle_t h, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y) {
  CHECK(x && y && x->t == y->t);
  return with(x->t, [&](auto zero) {
    scatter<<<blocks(x->nnz), 256, 0, h->stream>>>(Index{x->indices, x->wide, x->base}, x->nnz, (decltype(zero) *)x->values, (decltype(zero) *)y->values);
    return launched();
  });
}
S cusparseSpVV_bufferSize(cusparseHandle_t h, cusparseOperation_t, cusparseSpVecDescr_t, cusparseDnVecDescr_t, const void *, cudaDataType, size_t *bytes) {
  CHECK(true);
  return little(bytes);
}
S cusparseSpVV(cusparseHandle_t h, cusparseOperation_t op, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y, void *result, cudaDataType t, void *) {
  CHECK(x && y && x->t == t && y->t == t);
  return with(t, [&](auto zero) {
    typedef decltype(zero) T;
    Room<T> sum;
    if (!sum.take(1)) return CUSPARSE_STATUS_ALLOC_FAILED;
    dot_entries<<<1, 32, 0, h->stream>>>(Index{x->indices, x->wide, x->base}, x->nnz, (const T *)x->values, op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
                                         (const T *)y->values, sum.p);
    return tell(h, sum.p, result, sizeof(T));
  });
}
#define SPMV cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseSpMatDescr_t a, cusparseDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, \
             cudaDataType t, cusparseSpMVAlg_t
S cusparseSpMV_bufferSize(SPMV, size_t *bytes) {
  CHECK(a && x && y && alpha && beta);
  return little(bytes);
}
S cusparseSpMV(SPMV, void *) {
  CHECK(a && x && y && alpha && beta);
  if (a->t != t || x->t != t || y->t != t) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with(t, [&](auto zero) {
    typedef decltype(zero) T;
    return multiply<T>(h, a, op, alpha, column<T>(x->values, x->size), beta, column<T>(y->values, y->size));
  });
}
S cusparseSpMM_bufferSize(__KS_SPMM, size_t *bytes) {
  CHECK(a && b && c && alpha && beta);
  return little(bytes);
}
S cusparseSpMM_preprocess(__KS_SPMM, void *) {
  CHECK(a && b && c);
  return CUSPARSE_STATUS_SUCCESS;
}
S cusparseSpMM(__KS_SPMM, void *) {
  CHECK(a && b && c && alpha && beta);
  if (a->t != t || b->t != t || c->t != t) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with(t, [&](auto zero) {
    typedef decltype(zero) T;
    S status = CUSPARSE_STATUS_SUCCESS;
    for (int i = 0; i < c->count && status == CUSPARSE_STATUS_SUCCESS; i++)
      status = multiply<T>(h, a, opa, alpha, dense<T>(b, opb, i), beta, dense<T>(c, CUSPARSE_OPERATION_NON_TRANSPOSE, i), i);
    return status;
  });
}
S cusparseSDDMM_bufferSize(__KS_SDDMM, size_t *bytes) {
  CHECK(a && b && c && alpha && beta);
  return little(bytes);
}
S cusparseSDDMM_preprocess(__KS_SDDMM, void *) {
  CHECK(a && b && c);
  return CUSPARSE_STATUS_SUCCESS;
}
S cusparseSDDMM(__KS_SDDMM, void *) {
  CHECK(a && b && c && alpha && beta);
  if (a->t != t || b->t != t || c->t != t || c->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with(t, [&](auto zero) {
    typedef decltype(zero) T;
    for (int i = 0; i < c->count; i++) {
      Seen<T> seen;
      seen.see(h->stream, c, CUSPARSE_OPERATION_NON_TRANSPOSE, i); // as it is
      sampled_product<<<(unsigned int)((c->rows + 7) / 8), 256, 0, h->stream>>>(factor<T>(h, alpha), dense<T>(a, opa, i), dense<T>(b, opb, i), factor<T>(h, beta),
                                                                               seen.rows, (T *)seen.rows.values);
    }
    return launched();
  });
}
S cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *d) { return make(d, cusparseSpGEMMDescr{}); }
S cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t d) {
  if (d) cudaFree(d->offsets);
  return unmake(d);
}
S cusparseSpGEMM_workEstimation(__KS_SPGEMM, size_t *bytes, void *) {
  CHECK(a && b && c && d);
  return little(bytes);
}
} // extern "C"
namespace {
const int PRODUCTS = 64; // blocks, each with a row to add up in
// Counts the elements of each row where columns is null, or makes them.
template <typename T> S sparse_times_sparse(cusparseHandle_t h, const void *alpha, const cusparseSpMatDescr *a, const cusparseSpMatDescr *b, int *offsets, int *columns,
                                            T *values, int base) {
  Seen<T> one, two;
  Room<T> sums;
  Room<int> where;
  if (!one.see(h->stream, a, CUSPARSE_OPERATION_NON_TRANSPOSE) || !two.see(h->stream, b, CUSPARSE_OPERATION_NON_TRANSPOSE) ||
      !sums.take(PRODUCTS * b->cols) || !where.take(PRODUCTS * b->cols))
    return CUSPARSE_STATUS_ALLOC_FAILED;
  sparse_product<<<PRODUCTS, 32, 0, h->stream>>>(one.rows, two.rows, factor<T>(h, alpha), Sums<T>{sums.p, where.p}, offsets, columns, values, base);
  return launched();
}
} // namespace
extern "C" {
S cusparseSpGEMM_compute(__KS_SPGEMM, size_t *bytes, void *room) {
  CHECK(a && b && c && d && alpha);
  if (opa || opb || a->t != t || b->t != t || c->t != t || c->wide_first) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (!room) return little(bytes);
  if (!d->offsets && cudaMalloc((void **)&d->offsets, (a->rows + 1) * sizeof(int)) != cudaSuccess) return CUSPARSE_STATUS_ALLOC_FAILED;
  return with(t, [&](auto zero) {
    S status = sparse_times_sparse<decltype(zero)>(h, alpha, a, b, d->offsets, nullptr, nullptr, 0);
    counts_to_offsets<<<1, 256, 0, h->stream>>>(d->offsets, a->rows, c->base);
    int total = 0;
    cudaMemcpyAsync(&total, d->offsets + a->rows, sizeof total, cudaMemcpyDeviceToHost, h->stream);
    cudaStreamSynchronize(h->stream);
    c->rows = a->rows, c->cols = b->cols, c->nnz = total - c->base;
    return status ? status : launched();
  });
}
S cusparseSpGEMM_copy(__KS_SPGEMM) {
  CHECK(a && b && c && d && d->offsets && alpha);
  return with(t, [&](auto zero) {
    cudaMemcpyAsync(c->first, d->offsets, (a->rows + 1) * sizeof(int), cudaMemcpyDeviceToDevice, h->stream);
    return sparse_times_sparse(h, alpha, a, b, (int *)c->first, (int *)c->second, (decltype(zero) *)c->values, c->base);
  });
}
S cusparseSpSV_createDescr(cusparseSpSVDescr_t *d) { return make(d, cusparseSpSVDescr{}); }
S cusparseSpSV_destroyDescr(cusparseSpSVDescr_t d) { return unmake(d); }
S cusparseSpSV_bufferSize(__KS_SPSV, size_t *bytes) {
  CHECK(a && x && y && d);
  return little(bytes);
}
S cusparseSpSV_analysis(__KS_SPSV, void *) {
  CHECK(a && x && y && d);
  return CUSPARSE_STATUS_SUCCESS;
}
S cusparseSpSV_solve(__KS_SPSV) {
  CHECK(a && x && y && d && alpha);
  if (a->t != t || x->t != t || y->t != t) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with(t, [&](auto zero) {
    typedef decltype(zero) T;
    return solve(h, a, op, alpha, column<T>(x->values, x->size), column<T>(y->values, y->size));
  });
}
S cusparseSpSM_createDescr(cusparseSpSMDescr_t *d) { return make(d, cusparseSpSMDescr{}); }
S cusparseSpSM_destroyDescr(cusparseSpSMDescr_t d) { return unmake(d); }
S cusparseSpSM_bufferSize(__KS_SPSM, size_t *bytes) {
  CHECK(a && b && c && d);
  return little(bytes);
}
S cusparseSpSM_analysis(__KS_SPSM, void *) {
  CHECK(a && b && c && d);
  return CUSPARSE_STATUS_SUCCESS;
}
S cusparseSpSM_solve(__KS_SPSM) {
  CHECK(a && b && c && d && alpha);
  if (a->t != t || b->t != t || c->t != t) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with(t, [&](auto zero) { return solve(h, a, opa, alpha, dense<decltype(zero)>(b, opb), dense<decltype(zero)>(c)); });
}
S cusparseSparseToDense_bufferSize(cusparseHandle_t h, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, size_t *bytes) {
  CHECK(a && b);
  return little(bytes);
}
S cusparseSparseToDense(cusparseHandle_t h, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, void *) {
  CHECK(a && b && a->t == b->t && a->rows == b->rows && a->cols == b->cols);
  return with(a->t, [&](auto zero) {
    typedef decltype(zero) T;
    Seen<T> seen;
    if (!seen.see(h->stream, a, CUSPARSE_OPERATION_NON_TRANSPOSE)) return CUSPARSE_STATUS_ALLOC_FAILED;
    fill_dense<<<blocks(b->rows * b->cols), 256, 0, h->stream>>>(dense<T>(b));
    place<<<blocks(a->rows), 256, 0, h->stream>>>(seen.rows, dense<T>(b));
    return launched();
  });
}
S cusparseDenseToSparse_bufferSize(cusparseHandle_t h, cusparseDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, size_t *bytes) {
  CHECK(a && b);
  return little(bytes);
}
} // extern "C"
namespace {
// The offsets of a dense matrix's entries, and how many there are.
template <typename T> S count_entries(cusparseHandle_t h, const cusparseDnMatDescr *a, bool by_rows, Room<int> &offsets, int64_t *nnz) {
  int64_t n = by_rows ? a->rows : a->cols;
  if (!offsets.take(n + 1)) return CUSPARSE_STATUS_ALLOC_FAILED;
  count_dense<<<blocks(n), 256, 0, h->stream>>>(dense<T>(a), by_rows, offsets.p);
  counts_to_offsets<<<1, 256, 0, h->stream>>>(offsets.p, n, 0);
  int total = 0;
  cudaMemcpyAsync(&total, offsets.p + n, sizeof total, cudaMemcpyDeviceToHost, h->stream);
  cudaStreamSynchronize(h->stream);
  *nnz = total;
  return launched();
}
} // namespace
extern "C" {
S cusparseDenseToSparse_analysis(cusparseHandle_t h, cusparseDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *) {
  CHECK(a && b && a->t == b->t);
  return with(a->t, [&](auto zero) {
    Room<int> offsets;
    bool by_rows = b->format != CUSPARSE_FORMAT_CSC;
    S status = count_entries<decltype(zero)>(h, a, by_rows, offsets, &b->nnz);
    if (b->format != CUSPARSE_FORMAT_COO && b->first)
      store_offsets<<<blocks(a->rows + 1), 256, 0, h->stream>>>(offsets.p, (by_rows ? a->rows : a->cols) + 1, b->base, b->first, b->wide_first);
    return status;
  });
}
S cusparseDenseToSparse_convert(cusparseHandle_t h, cusparseDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *) {
  CHECK(a && b && a->t == b->t);
  return with(a->t, [&](auto zero) {
    typedef decltype(zero) T;
    Room<int> offsets;
    bool by_rows = b->format != CUSPARSE_FORMAT_CSC, coo = b->format == CUSPARSE_FORMAT_COO;
    S status = count_entries<T>(h, a, by_rows, offsets, &b->nnz);
    if (status) return status;
    int64_t n = by_rows ? a->rows : a->cols;
    if (!coo) store_offsets<<<blocks(n + 1), 256, 0, h->stream>>>(offsets.p, n + 1, b->base, b->first, b->wide_first);
    pick_dense<<<blocks(n), 256, 0, h->stream>>>(dense<T>(a), by_rows, offsets.p, b->base, coo ? b->first : nullptr, b->second, b->wide_second, (T *)b->values);
    return launched();
  });
}
S cusparseCsr2cscEx2_bufferSize(cusparseHandle_t h, int, int, int, const void *, const int *, const int *, void *, int *, int *, cudaDataType, cusparseAction_t,
                                cusparseIndexBase_t, cusparseCsr2CscAlg_t, size_t *bytes) {
  CHECK(true);
  return little(bytes);
}
S cusparseCsr2cscEx2(cusparseHandle_t h, int m, int n, int nnz, const void *values, const int *offsets, const int *columns, void *values_t, int *offsets_t, int *rows_t,
                     cudaDataType t, cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void *) {
  CHECK(m >= 0 && n >= 0 && nnz >= 0);
  return with(t, [&](auto zero) {
    typedef decltype(zero) T;
    return transpose(h, m, n, nnz, (const T *)values, offsets, columns, (T *)values_t, offsets_t, rows_t, action == CUSPARSE_ACTION_NUMERIC, base);
  });
}
S cusparseXcoo2csr(cusparseHandle_t h, const int *rows, int nnz, int m, int *offsets, cusparseIndexBase_t base) {
  CHECK(nnz >= 0 && m >= 0);
  clear<<<blocks(m + 1), 256, 0, h->stream>>>(offsets, m + 1);
  count<<<blocks(nnz), 256, 0, h->stream>>>(Index{rows, false, base}, nnz, offsets);
  counts_to_offsets<<<1, 256, 0, h->stream>>>(offsets, m, base);
  return launched();
}
S cusparseXcsr2coo(cusparseHandle_t h, const int *offsets, int nnz, int m, int *rows, cusparseIndexBase_t base) {
  CHECK(nnz >= 0 && m >= 0);
  spread<<<blocks(m), 256, 0, h->stream>>>(Index{offsets, false, base}, m, base, rows);
  return launched();
}
S cusparseCreateIdentityPermutation(cusparseHandle_t h, int n, int *p) {
  CHECK(n >= 0);
  identity<<<blocks(n), 256, 0, h->stream>>>(p, n);
  return launched();
}
S cusparseXcsrsort_bufferSizeExt(cusparseHandle_t h, int, int, int, const int *, const int *, size_t *bytes) {
  CHECK(true);
  return little(bytes);
}
S cusparseXcsrsort(cusparseHandle_t h, int m, int, int nnz, const cusparseMatDescr_t d, const int *offsets, int *columns, int *p, void *) {
  CHECK(m >= 0 && nnz >= 0 && d);
  Room<int> row;
  if (!row.take(nnz)) return CUSPARSE_STATUS_ALLOC_FAILED;
  spread<<<blocks(m), 256, 0, h->stream>>>(Index{offsets, false, d->base}, m, 0, row.p);
  return sort_entries(h, m, nnz, Index{row.p, false, 0}, d->base, nullptr, columns, p);
}
S cusparseXcoosort_bufferSizeExt(cusparseHandle_t h, int, int, int, const int *, const int *, size_t *bytes) {
  CHECK(true);
  return little(bytes);
}
S cusparseXcoosortByRow(cusparseHandle_t h, int m, int, int nnz, int *rows, int *columns, int *p, void *) {
  CHECK(m >= 0 && nnz >= 0);
  return sort_entries(h, m, nnz, Index{rows, false, 0}, 0, rows, columns, p);
}

#define INFO(NAME, KIND)                                                                                      \
  S cusparseCreate##NAME##Info(KIND##Info_t *i) { return make(i, KIND##Info{-1}); }                           \
  S cusparseDestroy##NAME##Info(KIND##Info_t i) { return unmake(i); }                                         \
  S cusparseX##KIND##_zeroPivot(cusparseHandle_t h, KIND##Info_t i, int *position) {                          \
    CHECK(i && position);                                                                                     \
    return tell_position(h, i->position, position);                                                           \
  }
INFO(Csrsv2, csrsv2) INFO(Csrilu02, csrilu02) INFO(Csric02, csric02)

#define FACTOR(P, T, NAME, KERNEL)                                                                                                                            \
  S P##NAME##_bufferSize(cusparseHandle_t h, int, int, const cusparseMatDescr_t, T *, const int *, const int *, NAME##Info_t, int *bytes) {         \
    CHECK(bytes);                                                                                                                                             \
    return *bytes = 16, CUSPARSE_STATUS_SUCCESS;                                                                                                              \
  }                                                                                                                                                           \
  S P##NAME##_analysis(cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns,     \
                                 NAME##Info_t i, cusparseSolvePolicy_t, void *) {                                                                             \
    CHECK(d && i && m >= 0 && nnz >= 0);                                                                                                                      \
    return zero_pivot<T>(h, csr(d, m, m, nnz, values, offsets, columns), &i->position);                                                                       \
  }                                                                                                                                                           \
  S P##NAME(cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t d, T *values, const int *offsets, const int *columns, NAME##Info_t i,      \
                      cusparseSolvePolicy_t, void *) {                                                                                                        \
    CHECK(d && i && m >= 0 && nnz >= 0);                                                                                                                      \
    cusparseSpMatDescr a = csr(d, m, m, nnz, values, offsets, columns);                                                                                       \
    Seen<T> seen;                                                                                                                                             \
    seen.see(h->stream, &a, CUSPARSE_OPERATION_NON_TRANSPOSE);                                                                                                \
    KERNEL<<<1, 32, 0, h->stream>>>(seen.rows, values);                                                                                                       \
    return zero_pivot<T>(h, a, &i->position);                                                                                                                 \
  }
#define TYPED(P, T)                                                                                                                                           \
  S P##csrmv(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int nnz, const T *alpha, const cusparseMatDescr_t d, const T *values,        \
                       const int *offsets, const int *columns, const T *x, const T *beta, T *y) {                                                             \
    CHECK(d && m >= 0 && n >= 0 && nnz >= 0);                                                                                                                 \
    if (d->type != CUSPARSE_MATRIX_TYPE_GENERAL) return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;                                                            \
    cusparseSpMatDescr a = csr(d, m, n, nnz, values, offsets, columns);                                                                                       \
    return multiply<T>(h, &a, op, alpha, column<T>((void *)x, op ? m : n), beta, column<T>(y, op ? n : m));                                                   \
  }                                                                                                                                                           \
  S P##csrmm2(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, int m, int n, int k, int nnz, const T *alpha,                   \
                        const cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns, const T *b, int ldb, const T *beta, T *c, int ldc) { \
    CHECK(d && m >= 0 && n >= 0 && k >= 0 && nnz >= 0);                                                                                                       \
    if (d->type != CUSPARSE_MATRIX_TYPE_GENERAL) return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;                                                            \
    cusparseSpMatDescr a = csr(d, m, k, nnz, values, offsets, columns);                                                                                       \
    int inner = opa ? m : k;                                                                                                                                  \
    cusparseDnMatDescr right = {opb ? n : inner, opb ? inner : n, ldb, (void *)b, TypeOf<T>::value, CUSPARSE_ORDER_COL, 1, 0};                                \
    cusparseDnMatDescr to = {opa ? k : m, n, ldc, c, TypeOf<T>::value, CUSPARSE_ORDER_COL, 1, 0};                                                             \
    return multiply<T>(h, &a, opa, alpha, dense<T>(&right, opb), beta, dense<T>(&to));                                                                        \
  }                                                                                                                                                           \
  S P##csrmm(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int k, int nnz, const T *alpha, const cusparseMatDescr_t d, const T *values, \
                       const int *offsets, const int *columns, const T *b, int ldb, const T *beta, T *c, int ldc) {                                           \
    return P##csrmm2(h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, m, n, k, nnz, alpha, d, values, offsets, columns, b, ldb, beta, c, ldc);              \
  }                                                                                                                                                           \
  S P##csr2csc(cusparseHandle_t h, int m, int n, int nnz, const T *values, const int *offsets, const int *columns, T *values_t, int *rows_t,        \
                         int *offsets_t, cusparseAction_t action, cusparseIndexBase_t base) {                                                                 \
    CHECK(m >= 0 && n >= 0 && nnz >= 0);                                                                                                                      \
    return transpose(h, m, n, nnz, values, offsets, columns, values_t, offsets_t, rows_t, action == CUSPARSE_ACTION_NUMERIC, base);                           \
  }                                                                                                                                                           \
  S P##nnz(cusparseHandle_t h, cusparseDirection_t dir, int m, int n, const cusparseMatDescr_t d, const T *a, int lda, int *each, int *total) {     \
    CHECK(d && m >= 0 && n >= 0 && lda >= m);                                                                                                                 \
    cusparseDnMatDescr full = {m, n, lda, (void *)a, TypeOf<T>::value, CUSPARSE_ORDER_COL, 1, 0};                                                             \
    Room<int> offsets;                                                                                                                                        \
    int64_t all = 0;                                                                                                                                          \
    bool by_rows = dir == CUSPARSE_DIRECTION_ROW;                                                                                                             \
    count_dense<<<blocks(by_rows ? m : n), 256, 0, h->stream>>>(dense<T>(&full), by_rows, each);                                                              \
    S status = count_entries<T>(h, &full, by_rows, offsets, &all);                                                                                            \
    return status ? status : tell(h, offsets.p + (by_rows ? m : n), total, sizeof(int));                                                                      \
  }                                                                                                                                                           \
  S P##dense2csr(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t d, const T *a, int lda, const int *, T *values, int *offsets,           \
                           int *columns) {                                                                                                                    \
    CHECK(d && m >= 0 && n >= 0 && lda >= m);                                                                                                                 \
    cusparseDnMatDescr full = {m, n, lda, (void *)a, TypeOf<T>::value, CUSPARSE_ORDER_COL, 1, 0};                                                             \
    cusparseSpMatDescr to = csr(d, m, n, 0, values, offsets, columns);                                                                                        \
    return cusparseDenseToSparse_convert(h, &full, &to, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr);                                                         \
  }                                                                                                                                                           \
  S P##csr2dense(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns, T *a, int lda) { \
    CHECK(d && m >= 0 && n >= 0 && lda >= m);                                                                                                                 \
    cusparseDnMatDescr full = {m, n, lda, a, TypeOf<T>::value, CUSPARSE_ORDER_COL, 1, 0};                                                                     \
    cusparseSpMatDescr from = csr(d, m, n, 0, values, offsets, columns);                                                                                      \
    return cusparseSparseToDense(h, &from, &full, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr);                                                               \
  }                                                                                                                                                           \
  S P##gthr(cusparseHandle_t h, int nnz, const T *y, T *values, const int *indices, cusparseIndexBase_t base) {                                     \
    CHECK(nnz >= 0);                                                                                                                                          \
    gather<<<blocks(nnz), 256, 0, h->stream>>>(Index{indices, false, base}, nnz, y, values);                                                                  \
    return launched();                                                                                                                                        \
  }                                                                                                                                                           \
  S P##sctr(cusparseHandle_t h, int nnz, const T *values, const int *indices, T *y, cusparseIndexBase_t base) {                                     \
    CHECK(nnz >= 0);                                                                                                                                          \
    scatter<<<blocks(nnz), 256, 0, h->stream>>>(Index{indices, false, base}, nnz, values, y);                                                                 \
    return launched();                                                                                                                                        \
  }                                                                                                                                                           \
  S P##axpyi(cusparseHandle_t h, int nnz, const T *alpha, const T *values, const int *indices, T *y, cusparseIndexBase_t base) {                    \
    CHECK(nnz >= 0 && alpha);                                                                                                                                 \
    add_entries<<<blocks(nnz), 256, 0, h->stream>>>(factor<T>(h, alpha), Index{indices, false, base}, nnz, values, y);                                        \
    return launched();                                                                                                                                        \
  }                                                                                                                                                           \
  S P##csrsv2_bufferSize(cusparseHandle_t h, cusparseOperation_t, int, int, const cusparseMatDescr_t, T *, const int *, const int *, csrsv2Info_t,  \
                                   int *bytes) {                                                                                                              \
    CHECK(bytes);                                                                                                                                             \
    return *bytes = 16, CUSPARSE_STATUS_SUCCESS;                                                                                                              \
  }                                                                                                                                                           \
  S P##csrsv2_analysis(cusparseHandle_t h, cusparseOperation_t, int m, int nnz, const cusparseMatDescr_t d, const T *values, const int *offsets,    \
                                 const int *columns, csrsv2Info_t i, cusparseSolvePolicy_t, void *) {                                                         \
    CHECK(d && i && m >= 0 && nnz >= 0);                                                                                                                      \
    if (d->diag == CUSPARSE_DIAG_TYPE_UNIT) return CUSPARSE_STATUS_SUCCESS;                                                                                   \
    return zero_pivot<T>(h, csr(d, m, m, nnz, values, offsets, columns), &i->position);                                                                       \
  }                                                                                                                                                           \
  S P##csrsv2_solve(cusparseHandle_t h, cusparseOperation_t op, int m, int nnz, const T *alpha, const cusparseMatDescr_t d, const T *values,        \
                              const int *offsets, const int *columns, csrsv2Info_t, const T *f, T *x, cusparseSolvePolicy_t, void *) {                        \
    CHECK(d && m >= 0 && nnz >= 0 && alpha);                                                                                                                  \
    cusparseSpMatDescr a = csr(d, m, m, nnz, values, offsets, columns);                                                                                       \
    return solve(h, &a, op, alpha, column<T>((void *)f, m), column<T>(x, m));                                                                                 \
  }                                                                                                                                                           \
  FACTOR(P, T, csrilu02, factor_lu) FACTOR(P, T, csric02, factor_cholesky)
TYPED(cusparseS, float)
TYPED(cusparseD, double)
TYPED(cusparseC, cuComplex)
TYPED(cusparseZ, cuDoubleComplex)

} // extern "C"
