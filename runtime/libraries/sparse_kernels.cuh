// What cuSPARSE's functions are made of. Every sparse matrix is seen as its compressed rows, after the operation asked for: what lies otherwise is
// brought into that form first. So each function has one kernel, and sums come in the same order each time.
#pragma once
#include "numbers.cuh"

// Indices of 32 or 64 bits that count from 0 or 1.
struct Index {
  const void *p;
  bool wide;
  int base;
  __device__ __forceinline__ long operator[](long i) const { return (wide ? ((const long long *)p)[i] : ((const int *)p)[i]) - base; }
};
template <typename T> struct Rows {
  long rows, columns;
  Index offsets, column;
  const T *values;
  bool conjugated;
  __device__ __forceinline__ T value(long e) const { return conjugate(values[e], conjugated); }
};
template <typename T> struct Dense {
  T *p;
  long rows, columns, down, across; // steps to the next row and to the next column
  bool conjugated;
  __device__ __forceinline__ T &at(long i, long j) const { return p[i * down + j * across]; }
  __device__ __forceinline__ T get(long i, long j) const { return conjugate(p[i * down + j * across], conjugated); }
};
// A factor of the caller's: in host memory by value, in device memory by its address.
template <typename T> struct Factor {
  T value;
  const T *p;
  __device__ __forceinline__ T get() const { return p ? *p : value; }
};

#define EACH(I, N) for (long I = blockIdx.x * (long)blockDim.x + threadIdx.x; I < (N); I += (long)gridDim.x * blockDim.x)

template <typename T> __device__ __forceinline__ T warp_sum(T v) {
  for (int d = 16; d; d /= 2) {
    if constexpr (is_complex<T>) v = plus(v, T{__shfl_xor(v.x, d), __shfl_xor(v.y, d)});
    else v += __shfl_xor(v, d);
  }
  return v;
}
template <typename T> __device__ __forceinline__ T scaled(Factor<T> alpha, T v, Factor<T> beta, const T &old) {
  T b = beta.get();
  v = times(alpha.get(), v);
  return is_zero(b) ? v : plus(v, times(b, old));
}

// A warp to a row, a row of blocks to a column of B.
template <typename T> __global__ void rows_times_columns(Rows<T> a, Factor<T> alpha, Dense<T> b, Factor<T> beta, Dense<T> c) {
  long row = (blockIdx.x * (long)blockDim.x + threadIdx.x) / 32, j = blockIdx.y;
  if (row >= a.rows) return;
  T sum = number<T>(0);
  for (long e = a.offsets[row] + threadIdx.x % 32, end = a.offsets[row + 1]; e < end; e += 32) sum = fused(a.value(e), b.get(a.column[e], j), sum);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) c.at(row, j) = scaled(alpha, sum, beta, c.at(row, j));
}
// A thread to an element, neighbours along the way that C lies.
template <typename T> __global__ void rows_times_matrix(Rows<T> a, Factor<T> alpha, Dense<T> b, Factor<T> beta, Dense<T> c) {
  EACH(t, c.rows * c.columns) {
    long row = c.across == 1 ? t / c.columns : t % c.rows, j = c.across == 1 ? t % c.columns : t / c.rows;
    T sum = number<T>(0);
    for (long e = a.offsets[row], end = a.offsets[row + 1]; e < end; e++) sum = fused(a.value(e), b.get(a.column[e], j), sum);
    c.at(row, j) = scaled(alpha, sum, beta, c.at(row, j));
  }
}
// A warp to a row of C, all its elements one after the other.
template <typename T> __global__ void sampled_product(Factor<T> alpha, Dense<T> a, Dense<T> b, Factor<T> beta, Rows<T> c, T *values) {
  long row = (blockIdx.x * (long)blockDim.x + threadIdx.x) / 32;
  if (row >= c.rows) return;
  for (long e = c.offsets[row]; e < c.offsets[row + 1]; e++) {
    long j = c.column[e];
    T sum = number<T>(0);
    for (long k = threadIdx.x % 32; k < a.columns; k += 32) sum = fused(a.get(row, k), b.get(k, j), sum);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) values[e] = scaled(alpha, sum, beta, values[e]);
  }
}

// ---- The product of two sparse matrices, a warp to a row, with a row of B's width to add up in: `where` says which row was added up last ----

template <typename T> struct Sums {
  T *sum;
  int *where;
};
template <typename T> __global__ void sparse_product(Rows<T> a, Rows<T> b, Factor<T> alpha, Sums<T> s, int *offsets, int *columns, T *values, int base) {
  const int lane = threadIdx.x;
  T *sum = s.sum + blockIdx.x * b.columns;
  int *where = s.where + blockIdx.x * b.columns;
  for (long j = lane; j < b.columns; j += 32) where[j] = -1;
  for (long row = blockIdx.x; row < a.rows; row += gridDim.x) {
    for (long e = a.offsets[row]; e < a.offsets[row + 1]; e++) {
      long k = a.column[e];
      T factor = a.value(e);
      for (long f = b.offsets[k] + lane; f < b.offsets[k + 1]; f += 32) {
        long j = b.column[f];
        T was = where[j] == (int)row ? sum[j] : number<T>(0);
        sum[j] = fused(factor, b.value(f), was), where[j] = (int)row;
      }
      __threadfence_block();
    }
    int made = columns ? offsets[row] - base : 0;
    for (long j0 = 0; j0 < b.columns; j0 += 32) {
      bool there = j0 + lane < b.columns && where[j0 + lane] == (int)row;
      unsigned int all = __ballot(there);
      int at = made + __popc(all & ((1u << lane) - 1));
      if (there && columns) columns[at] = (int)(j0 + lane) + base, values[at] = times(alpha.get(), sum[j0 + lane]);
      made += __popc(all);
    }
    if (!columns && lane == 0) offsets[row] = made;
  }
}

// ---- Offsets from counts, and entries in the order of their rows and columns ----

// Block-wide sums from the left, in place: element n is the total.
__global__ void counts_to_offsets(int *counts, long n, int base) {
  __shared__ int part[256];
  int before = base;
  for (long i0 = 0; i0 <= n; i0 += 256) {
    long i = i0 + threadIdx.x;
    int own = i < n ? counts[i] : 0;
    part[threadIdx.x] = own;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
      int left = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
      __syncthreads();
      part[threadIdx.x] += left;
      __syncthreads();
    }
    if (i <= n) counts[i] = before + part[threadIdx.x] - own;
    before += part[255];
    __syncthreads();
  }
}
__global__ void clear(int *p, long n) { EACH(i, n) p[i] = 0; }
__global__ void count(Index row, long nnz, int *counts) { EACH(e, nnz) atomicAdd(&counts[row[e]], 1); }
__global__ void identity(int *p, long n) { EACH(i, n) p[i] = (int)i; }
// The row of each entry, from the rows' offsets.
__global__ void spread(Index offsets, long rows, int base, int *row) {
  EACH(i, rows) for (long e = offsets[i]; e < offsets[i + 1]; e++) row[e] = (int)i + base;
}
// Where each entry goes: to its row, in whatever order.
__global__ void deal(Index row, long nnz, const int *offsets, int *dealt, int *from) {
  EACH(e, nnz) from[offsets[row[e]] + atomicAdd(&dealt[row[e]], 1)] = (int)e;
}
// Then in each row by column, and of one column by their old places. Heaps need no room of their own.
__global__ void order_rows(Index column, const int *offsets, long rows, int base, int *from) {
  EACH(i, rows) {
    int *p = from + offsets[i] - base;
    int n = offsets[i + 1] - offsets[i];
    auto before = [&](int a, int b) { return column[a] != column[b] ? column[a] < column[b] : a < b; };
    auto sink = [&](int at, int end) {
      for (int child; (child = 2 * at + 1) < end; at = child) {
        if (child + 1 < end && before(p[child], p[child + 1])) child++;
        if (!before(p[at], p[child])) return;
        int v = p[at];
        p[at] = p[child], p[child] = v;
      }
    };
    for (int at = n / 2 - 1; at >= 0; at--) sink(at, n);
    for (int end = n - 1; end > 0; end--) {
      int v = p[0];
      p[0] = p[end], p[end] = v;
      sink(0, end);
    }
  }
}
template <typename T> __global__ void take(const int *from, long nnz, const T *values, T *to) { EACH(e, nnz) to[e] = values[from[e]]; }
__global__ void take_index(const int *from, long nnz, Index column, int base, int *to) { EACH(e, nnz) to[e] = (int)column[from[e]] + base; }

// ---- Dense to sparse and back ----

template <typename T> __global__ void count_dense(Dense<T> a, bool by_rows, int *counts) {
  EACH(i, by_rows ? a.rows : a.columns) {
    int n = 0;
    for (long j = 0; j < (by_rows ? a.columns : a.rows); j++) n += !is_zero(by_rows ? a.at(i, j) : a.at(j, i));
    counts[i] = n;
  }
}
// The entries of a dense matrix in the order of its rows, or of its columns; `major` has a number for each where there are no offsets (COO).
template <typename T> __global__ void pick_dense(Dense<T> a, bool by_rows, const int *offsets, int base, void *major, void *minor, bool wide, T *values) {
  EACH(i, by_rows ? a.rows : a.columns) {
    long e = offsets[i];
    for (long j = 0; j < (by_rows ? a.columns : a.rows); j++) {
      T v = by_rows ? a.at(i, j) : a.at(j, i);
      if (is_zero(v)) continue;
      if (wide) ((long long *)minor)[e] = j + base;
      else ((int *)minor)[e] = (int)j + base;
      if (major && wide) ((long long *)major)[e] = i + base;
      else if (major) ((int *)major)[e] = (int)i + base;
      values[e++] = v;
    }
  }
}
__global__ void store_offsets(const int *from, long n, int base, void *to, bool wide) {
  EACH(i, n) {
    if (wide) ((long long *)to)[i] = from[i] + base;
    else ((int *)to)[i] = from[i] + base;
  }
}
template <typename T> __global__ void fill_dense(Dense<T> a) { EACH(t, a.rows * a.columns) a.at(t % a.rows, t / a.rows) = number<T>(0); }
template <typename T> __global__ void place(Rows<T> s, Dense<T> a) {
  EACH(i, s.rows) for (long e = s.offsets[i]; e < s.offsets[i + 1]; e++) a.at(i, s.column[e]) = s.value(e);
}

// ---- Vectors ----

template <typename T> __global__ void gather(Index at, long n, const T *y, T *x) { EACH(e, n) x[e] = y[at[e]]; }
template <typename T> __global__ void scatter(Index at, long n, const T *x, T *y) { EACH(e, n) y[at[e]] = x[e]; }
template <typename T> __global__ void scale_all(Factor<T> beta, long n, T *y) { EACH(i, n) y[i] = times(beta.get(), y[i]); }
template <typename T> __global__ void add_entries(Factor<T> alpha, Index at, long n, const T *x, T *y) {
  EACH(e, n) y[at[e]] = fused(alpha.get(), x[e], y[at[e]]);
}
template <typename T> __global__ void dot_entries(Index at, long n, const T *x, bool conjugated, const T *y, T *result) {
  T sum = number<T>(0);
  for (long e = threadIdx.x; e < n; e += 32) sum = fused(conjugate(x[e], conjugated), y[at[e]], sum);
  sum = warp_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

// ---- Triangular systems and factors: one row after the other ----

// Solves op(A) X = alpha B, a warp to a column.
template <typename T> __global__ void solve_triangle(Rows<T> a, bool lower, bool unit, Factor<T> alpha, Dense<T> b, Dense<T> x) {
  const int lane = threadIdx.x;
  const long j = blockIdx.x;
  for (long n = 0; n < a.rows; n++) {
    long i = lower ? n : a.rows - 1 - n;
    T sum = number<T>(0), diagonal = number<T>(0);
    for (long e = a.offsets[i] + lane; e < a.offsets[i + 1]; e += 32) {
      long k = a.column[e];
      if (k == i) diagonal = a.value(e);
      else if ((k < i) == lower) sum = fused(a.value(e), x.at(k, j), sum);
    }
    sum = warp_sum(sum), diagonal = warp_sum(diagonal);
    if (lane == 0) {
      T v = minus(times(alpha.get(), b.get(i, j)), sum);
      x.at(i, j) = unit ? v : over(v, diagonal);
    }
    __threadfence_block();
  }
}
// The entry of a row in a column, or -1. Columns of a row ascend.
template <typename T> __device__ __forceinline__ long find(const Rows<T> &a, long row, long column) {
  long from = a.offsets[row], to = a.offsets[row + 1];
  while (from < to) {
    long middle = (from + to) / 2;
    if (a.column[middle] < column) from = middle + 1;
    else to = middle;
  }
  return from < a.offsets[row + 1] && a.column[from] == column ? from : -1;
}
// The diagonal's first entry that is missing or 0, or -1. A warp.
template <typename T> __global__ void first_zero(Rows<T> a, int *position) {
  int first = 0x7fffffff;
  for (long i = threadIdx.x; i < a.rows && first == 0x7fffffff; i += 32) {
    long e = find(a, i, i);
    if (e < 0 || is_zero(a.values[e])) first = (int)i;
  }
  for (int d = 16; d; d /= 2) first = min(first, __shfl_xor(first, d));
  if (threadIdx.x == 0) *position = first == 0x7fffffff ? -1 : first + a.offsets.base;
}
// LU without filling in: L without its diagonal of ones and U in A's own places. A warp.
template <typename T> __global__ void factor_lu(Rows<T> a, T *values) {
  for (long i = 0; i < a.rows; i++)
    for (long e = a.offsets[i]; e < a.offsets[i + 1]; e++) {
      long k = a.column[e], pivot = k < i ? find(a, k, k) : -1;
      if (pivot < 0) continue;
      T factor = over(values[e], values[pivot]);
      __threadfence_block();
      if (threadIdx.x == 0) values[e] = factor;
      for (long f = pivot + 1 + threadIdx.x; f < a.offsets[k + 1]; f += 32) {
        long to = find(a, i, a.column[f]);
        if (to >= 0) values[to] = minus(values[to], times(factor, values[f]));
      }
      __threadfence_block();
    }
}
template <typename T> __device__ __forceinline__ T root(T v) {
  if constexpr (is_complex<T>) return T{sqrt(v.x), 0};
  else return sqrt(v);
}
// Cholesky's factor in the places of A's lower half. A warp.
template <typename T> __global__ void factor_cholesky(Rows<T> a, T *values) {
  for (long i = 0; i < a.rows; i++)
    for (long e = a.offsets[i]; e < a.offsets[i + 1] && a.column[e] <= i; e++) {
      long j = a.column[e];
      T sum = number<T>(0);
      for (long f = a.offsets[i] + threadIdx.x; f < e; f += 32) {
        long other = find(a, j, a.column[f]);
        if (other >= 0) sum = plus(sum, times(values[f], conjugate(values[other])));
      }
      sum = warp_sum(sum);
      if (threadIdx.x == 0) {
        T v = minus(values[e], sum);
        values[e] = j == i ? root(v) : over(v, conjugate(values[find(a, j, j)]));
      }
      __threadfence_block();
    }
}
