// What cuBLAS's functions are made of: matrices as they are seen through transposition, symmetry and triangles; their product; rows times a vector;
// sums over vectors; triangular systems.
#pragma once
#include "numbers.cuh"

// ---- Vectors and matrices ----

// A vector of BLAS: with a negative step it begins at its end.
template <typename T> struct Vector {
  T *p;
  long step;
  Vector(T *x, int n, int inc) : p(inc < 0 ? x + (long)(1 - n) * inc : x), step(inc) {}
  __device__ T &operator[](long i) const { return p[i * step]; }
};

enum Shape { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR };
// A matrix in memory, seen through an operation. Of all shapes but the general one only one triangle is in memory.
template <typename T> struct Matrix {
  const T *p;
  long rows, columns; // steps to the next row and to the next column of what is seen
  bool conjugated, lower, unit;
  Shape shape;
  __device__ __forceinline__ T at(long i, long j) const {
    if (shape == GENERAL) return conjugate(p[i * rows + j * columns], conjugated);
    bool stored = i == j || (i > j) == lower;
    if (shape == TRIANGULAR) {
      if (!stored) return number<T>(0);
      return i == j && unit ? number<T>(1) : conjugate(p[i * rows + j * columns], conjugated);
    }
    T v = stored ? p[i * rows + j * columns] : p[j * rows + i * columns];
    if constexpr (is_complex<T>) {
      if (shape == HERMITIAN && i == j) v.y = 0;
      if (shape == HERMITIAN && !stored) v.y = -v.y;
    }
    return v;
  }
  __device__ long begin(long) const { return 0; }
  __device__ long end(long, long count) const { return count; }
  __device__ int reach(int count) const { return count; } // of the elements before or behind one of the diagonal, in its column
};
template <typename T> Matrix<T> general(const T *p, int ld, cublasOperation_t op) {
  bool across = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
  return {p, across ? (long)ld : 1, across ? 1 : (long)ld, op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG, false, false, GENERAL};
}
template <typename T> Matrix<T> symmetric(const T *p, int ld, cublasFillMode_t uplo, Shape shape) {
  return {p, 1, ld, false, uplo == CUBLAS_FILL_MODE_LOWER, false, shape};
}
template <typename T> Matrix<T> triangular(const T *p, int ld, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag) {
  Matrix<T> m = general(p, ld, op);
  m.lower = (uplo == CUBLAS_FILL_MODE_LOWER) != (op == CUBLAS_OP_T || op == CUBLAS_OP_C);
  m.unit = diag == CUBLAS_DIAG_UNIT, m.shape = TRIANGULAR;
  return m;
}

// A matrix of which the diagonals of a band are in memory, a row of the array to each, an element in its column.
template <typename T> struct Banded : Matrix<T> {
  long below, above; // diagonals
  __device__ __forceinline__ T at(long i, long j) const { return i - j > below || j - i > above ? number<T>(0) : Matrix<T>::at(i, j); }
  __device__ long begin(long i) const { return i > below ? i - below : 0; }
  __device__ long end(long i, long count) const { return i + above + 1 < count ? i + above + 1 : count; }
  __device__ int reach(int count) const { return min(count, (int)(below + above)); } // of a triangle, one of the two is 0
};
// How m would be seen if its array were the matrix, with so many diagonals in it.
template <typename T> Banded<T> banded(Matrix<T> m, int below, int above, bool across) {
  Banded<T> b{m, across ? above : below, across ? below : above};
  (across ? b.rows : b.columns)--;
  b.p += above;
  return b;
}
template <typename T> Banded<T> banded_triangle(const T *p, int ld, int k, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag) {
  bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  return banded(triangular(p, ld, uplo, op, diag), lower ? k : 0, lower ? 0 : k, op == CUBLAS_OP_T || op == CUBLAS_OP_C);
}
template <typename T> Banded<T> banded_symmetric(const T *p, int ld, int k, cublasFillMode_t uplo, Shape shape) {
  Banded<T> b = banded(symmetric(p, ld, uplo, shape), k, uplo == CUBLAS_FILL_MODE_LOWER ? 0 : k, false);
  b.above = k;
  return b;
}

// ---- The product of two matrices: C = alpha A B + beta C ----

enum Part { ALL, LOWER_PART, UPPER_PART };
// A number of the caller's: in host memory by value, in device memory by its address.
template <typename T> struct Scalar {
  T value;
  const T *p;
  __device__ __forceinline__ T get() const { return p ? *p : value; }
};
// Which matrices a block multiplies: those of one product, of several with steps between them, or of several by their addresses.
template <typename T> struct Batch {
  const T *const *a, *const *b;
  T *const *c;
  long long step_a, step_b, step_c;
};
template <typename T> struct Product {
  int m, n, k;
  Scalar<T> alpha, beta;
  Matrix<T> a, b;
  T *c;
  long ldc;
  Part part;
  bool real_diagonal; // of a Hermitian result
  Batch<T> batch;
};

// A block makes TILE x TILE elements of C, a thread SIDE x SIDE of them, DEPTH of the inner dimension at a time.
template <typename T, int TILE, int SIDE, int DEPTH> __global__ void multiply(Product<T> g) {
  const int THREADS = (TILE / SIDE) * (TILE / SIDE);
  __shared__ T as[DEPTH][TILE + 1], bs[DEPTH][TILE + 1];
  const int first_i = blockIdx.x * TILE, first_j = blockIdx.y * TILE, t = threadIdx.x;
  if ((g.part == LOWER_PART && first_i + TILE - 1 < first_j) || (g.part == UPPER_PART && first_j + TILE - 1 < first_i)) return;
  Matrix<T> a = g.a, b = g.b;
  T *c = g.c + blockIdx.z * g.batch.step_c;
  a.p += blockIdx.z * g.batch.step_a, b.p += blockIdx.z * g.batch.step_b;
  if (g.batch.c) a.p = g.batch.a[blockIdx.z], b.p = g.batch.b[blockIdx.z], c = g.batch.c[blockIdx.z];
  const T alpha = g.alpha.get(), beta = g.beta.get();
  const int x = t % (TILE / SIDE), y = t / (TILE / SIDE);
  T sum[SIDE][SIDE];
#pragma unroll
  for (int i = 0; i < SIDE; i++)
#pragma unroll
    for (int j = 0; j < SIDE; j++) sum[i][j] = number<T>(0);
  if (!is_zero(alpha))
    for (int k0 = 0; k0 < g.k; k0 += DEPTH) {
#pragma unroll
      for (int e = t; e < TILE * DEPTH; e += THREADS) {
        // Neighbouring threads take neighbouring addresses, whichever way the matrix lies.
        int i = a.rows == 1 ? e % TILE : e / DEPTH, k = a.rows == 1 ? e / TILE : e % DEPTH;
        as[k][i] = first_i + i < g.m && k0 + k < g.k ? a.at(first_i + i, k0 + k) : number<T>(0);
        int j = b.columns == 1 ? e % TILE : e / DEPTH, l = b.columns == 1 ? e / TILE : e % DEPTH;
        bs[l][j] = first_j + j < g.n && k0 + l < g.k ? b.at(k0 + l, first_j + j) : number<T>(0);
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < DEPTH; k++) {
        T column[SIDE], row[SIDE];
#pragma unroll
        for (int i = 0; i < SIDE; i++) column[i] = as[k][x + i * (TILE / SIDE)], row[i] = bs[k][y + i * (TILE / SIDE)];
#pragma unroll
        for (int i = 0; i < SIDE; i++)
#pragma unroll
          for (int j = 0; j < SIDE; j++) sum[i][j] = fused(column[i], row[j], sum[i][j]);
      }
      __syncthreads();
    }
#pragma unroll
  for (int i = 0; i < SIDE; i++)
#pragma unroll
    for (int j = 0; j < SIDE; j++) {
      int row = first_i + x + i * (TILE / SIDE), column = first_j + y + j * (TILE / SIDE);
      if (row >= g.m || column >= g.n || (g.part == LOWER_PART && row < column) || (g.part == UPPER_PART && row > column)) continue;
      T *to = c + row + column * g.ldc, v = times(alpha, sum[i][j]);
      if (!is_zero(beta)) v = plus(v, times(beta, *to));
      if constexpr (is_complex<T>)
        if (g.real_diagonal && row == column) v.y = 0;
      *to = v;
    }
}
template <typename T> void launch_product(const Product<T> &g, int count, cudaStream_t stream) {
  if (g.m <= 0 || g.n <= 0 || count <= 0) return;
  constexpr int SIDE = is_complex<T> ? 2 : 4, TILE = 16 * SIDE;
  if (g.m <= 32 && g.n <= 32) {
    multiply<T, 16, 1, 16><<<dim3((g.m + 15) / 16, (g.n + 15) / 16, count), 256, 0, stream>>>(g);
    return;
  }
  multiply<T, TILE, SIDE, 8><<<dim3((g.m + TILE - 1) / TILE, (g.n + TILE - 1) / TILE, count), 256, 0, stream>>>(g);
}

// ---- Sums over a block ----

template <typename T> __device__ T block_sum(T v) {
  __shared__ T all[256];
  all[threadIdx.x] = v;
  __syncthreads();
  for (int half = 128; half; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] = plus(all[threadIdx.x], all[threadIdx.x + half]);
    __syncthreads();
  }
  return all[0];
}

// y = alpha A x + beta y, a block of 256 threads to a row, for matrices that lie row by row.
template <typename T> __global__ void rows_by_blocks(int n, Scalar<T> alpha, Matrix<T> a, Vector<const T> x, Scalar<T> beta, Vector<T> y) {
  T sum = number<T>(0), factor = alpha.get(), keep = beta.get();
  if (!is_zero(factor))
    for (int j = threadIdx.x; j < n; j += blockDim.x) sum = fused(a.at(blockIdx.x, j), x[j], sum);
  sum = block_sum(sum);
  if (threadIdx.x) return;
  T v = times(factor, sum);
  y[blockIdx.x] = is_zero(keep) ? v : plus(v, times(keep, y[blockIdx.x]));
}
// The same, a thread to a row, for all others: neighbouring threads read neighbouring rows.
template <typename T, typename M> __global__ void rows_by_threads(int m, int n, Scalar<T> alpha, M a, Vector<const T> x, Scalar<T> beta, Vector<T> y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  T sum = number<T>(0), factor = alpha.get(), keep = beta.get();
  if (!is_zero(factor))
    for (int j = a.begin(i), end = a.end(i, n); j < end; j++) sum = fused(a.at(i, j), x[j], sum);
  T v = times(factor, sum);
  y[i] = is_zero(keep) ? v : plus(v, times(keep, y[i]));
}
template <typename T>
void launch_rows(int m, int n, Scalar<T> alpha, Banded<T> a, Vector<const T> x, Scalar<T> beta, Vector<T> y, cudaStream_t stream) {
  if (m > 0) rows_by_threads<<<(m + 127) / 128, 128, 0, stream>>>(m, n, alpha, a, x, beta, y);
}
template <typename T>
void launch_rows(int m, int n, Scalar<T> alpha, Matrix<T> a, Vector<const T> x, Scalar<T> beta, Vector<T> y, cudaStream_t stream) {
  if (m <= 0) return;
  if (a.columns == 1 && a.rows != 1) rows_by_blocks<<<m, 256, 0, stream>>>(n, alpha, a, x, beta, y);
  else rows_by_threads<<<(m + 127) / 128, 128, 0, stream>>>(m, n, alpha, a, x, beta, y);
}

// A += alpha x y^T, or of its conjugate, and of x and y in each other's place where asked; the part of A that is meant.
template <typename T> struct RankOne {
  int m, n;
  Scalar<T> alpha;
  Vector<const T> x, y;
  T *a;
  long lda;
  Part part;
  bool conjugated, both;
};
template <typename T> __global__ void add_outer(RankOne<T> r) {
  int i = blockIdx.x * 16 + threadIdx.x % 16, j = blockIdx.y * 16 + threadIdx.x / 16;
  if (i >= r.m || j >= r.n || (r.part == LOWER_PART && i < j) || (r.part == UPPER_PART && i > j)) return;
  T *to = r.a + i + j * r.lda, alpha = r.alpha.get();
  T v = fused(alpha, times(r.x[i], conjugate(r.y[j], r.conjugated)), *to);
  if (r.both) v = fused(conjugate(alpha, r.conjugated), times(r.y[i], conjugate(r.x[j], r.conjugated)), v);
  if constexpr (is_complex<T>)
    if (r.conjugated && r.part != ALL && i == j) v.y = 0;
  *to = v;
}

// ---- Vectors: element by element, and sums ----

template <typename T> __global__ void axpy(int n, Scalar<T> alpha, Vector<const T> x, Vector<T> y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = fused(alpha.get(), x[i], y[i]);
}
template <typename T, typename S> __global__ void scale(int n, Scalar<S> alpha, Vector<T> x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if constexpr (sizeof(T) == sizeof(S)) x[i] = times(alpha.get(), x[i]);
    else x[i] = T{alpha.get() * x[i].x, alpha.get() * x[i].y};
  }
}
template <typename T> __global__ void copy_vector(int n, Vector<const T> x, Vector<T> y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i];
}
template <typename T> __global__ void swap_vectors(int n, Vector<T> x, Vector<T> y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    T v = x[i];
    x[i] = y[i], y[i] = v;
  }
}
template <typename T> __global__ void rotate(int n, Vector<T> x, Vector<T> y, Scalar<T> c, Scalar<T> s) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    T a = x[i], b = y[i];
    x[i] = c.get() * a + s.get() * b, y[i] = c.get() * b - s.get() * a;
  }
}

// Sums are one block's, in double precision for the two that square and add up.
template <typename T> __global__ void dot(int n, Vector<const T> x, Vector<const T> y, bool conjugated, T *result) {
  T sum = number<T>(0);
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum = fused(conjugate(x[i], conjugated), y[i], sum);
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}
template <typename T> __global__ void sum_magnitudes(int n, Vector<const T> x, Real<T> *result) {
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += magnitude(x[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = (Real<T>)sum;
}
template <typename T> __global__ void norm(int n, Vector<const T> x, Real<T> *result) {
  __shared__ double scales[256];
  double largest = 0, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) largest = fmax(largest, (double)magnitude(x[i]));
  scales[threadIdx.x] = largest;
  __syncthreads();
  for (int half = 128; half; half /= 2) {
    if (threadIdx.x < half) scales[threadIdx.x] = fmax(scales[threadIdx.x], scales[threadIdx.x + half]);
    __syncthreads();
  }
  largest = scales[0];
  if (largest > 0 && largest < INFINITY)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      T v = x[i];
      if constexpr (is_complex<T>) sum += v.x / largest * (v.x / largest) + v.y / largest * (v.y / largest);
      else sum += v / largest * (v / largest);
    }
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = (Real<T>)(largest * sqrt(largest < INFINITY ? sum : 1));
}
// The first place, counted from 1, of the largest or smallest magnitude.
template <typename T> __global__ void extreme(int n, Vector<const T> x, bool largest, int *result) {
  __shared__ Real<T> values[256];
  __shared__ int places[256];
  Real<T> best = 0;
  int place = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    Real<T> v = magnitude(x[i]);
    if (!place || (largest ? v > best : v < best)) best = v, place = i + 1;
  }
  values[threadIdx.x] = best, places[threadIdx.x] = place;
  __syncthreads();
  if (threadIdx.x) return;
  for (int t = 1; t < 256 && t < n; t++) {
    bool better = largest ? values[t] > best : values[t] < best;
    if (better || (values[t] == best && places[t] < place)) best = values[t], place = places[t];
  }
  *result = place;
}

// ---- Triangular systems: op(A) X = alpha B in the place of B, a block to a right side ----

template <typename T> struct Sides {
  T *p;
  long element, next; // steps to the next element of a right side, and to the next right side
  T *const *batch;
  const T *const *matrices;
};
template <typename T, typename M> __global__ void solve(int n, M a, Scalar<T> alpha, Sides<T> b) {
  T *x = (b.batch ? b.batch[blockIdx.y] : b.p) + blockIdx.x * b.next, factor = alpha.get();
  if (b.matrices) a.p = b.matrices[blockIdx.y];
  __shared__ T solved;
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i * b.element] = is_zero(factor) ? factor : times(factor, x[i * b.element]);
  for (int step = 0; step < n; step++) {
    int k = a.lower ? step : n - 1 - step;
    __syncthreads();
    if (threadIdx.x == 0) {
      T v = x[k * b.element];
      if (!a.unit) v = over(v, a.at(k, k));
      x[k * b.element] = solved = v;
    }
    __syncthreads();
    for (int i = threadIdx.x, count = a.reach(n - 1 - step); i < count; i += blockDim.x) {
      int row = a.lower ? k + 1 + i : k - 1 - i;
      x[row * b.element] = minus(x[row * b.element], times(a.at(row, k), solved));
    }
  }
}

// ---- Sums of matrices, and products with diagonals ----

template <typename T> __global__ void add_matrices(int m, int n, Scalar<T> alpha, Matrix<T> a, Scalar<T> beta, Matrix<T> b, T *c, long ldc) {
  int i = blockIdx.x * 16 + threadIdx.x % 16, j = blockIdx.y * 16 + threadIdx.x / 16;
  if (i >= m || j >= n) return;
  T x = alpha.get(), y = beta.get(), v = number<T>(0);
  if (!is_zero(x)) v = times(x, a.at(i, j));
  if (!is_zero(y)) v = plus(v, times(y, b.at(i, j)));
  c[i + j * ldc] = v;
}
template <typename T> __global__ void times_diagonal(int m, int n, const T *a, long lda, Vector<const T> x, bool left, T *c, long ldc) {
  int i = blockIdx.x * 16 + threadIdx.x % 16, j = blockIdx.y * 16 + threadIdx.x / 16;
  if (i < m && j < n) c[i + j * ldc] = times(a[i + j * lda], x[left ? i : j]);
}

// ---- LU factors of small matrices, a block to a matrix ----

template <typename T> __global__ void factor(int n, T *const *matrices, long lda, int *pivots, int *info) {
  T *a = matrices[blockIdx.x];
  __shared__ int pivot;
  if (threadIdx.x == 0) info[blockIdx.x] = 0;
  for (int k = 0; k < n; k++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      pivot = k;
      if (pivots) {
        for (int i = k + 1; i < n; i++)
          if (squared(a[i + k * lda]) > squared(a[pivot + k * lda])) pivot = i;
        pivots[blockIdx.x * n + k] = pivot + 1;
      }
      if (is_zero(a[pivot + k * lda]) && !info[blockIdx.x]) info[blockIdx.x] = k + 1;
    }
    __syncthreads();
    for (int j = threadIdx.x; j < n && pivot != k; j += blockDim.x) {
      T v = a[k + j * lda];
      a[k + j * lda] = a[pivot + j * lda], a[pivot + j * lda] = v;
    }
    __syncthreads();
    if (is_zero(a[k + k * lda])) continue;
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) a[i + k * lda] = over(a[i + k * lda], a[k + k * lda]);
    __syncthreads();
    for (int e = threadIdx.x; e < (n - k - 1) * (n - k - 1); e += blockDim.x) {
      int i = k + 1 + e % (n - k - 1), j = k + 1 + e / (n - k - 1);
      a[i + j * lda] = minus(a[i + j * lda], times(a[i + k * lda], a[k + j * lda]));
    }
  }
}
// Swaps rows of right sides as the factors' were, forwards or back; from nothing it first makes the unit matrix.
template <typename T> __global__ void permute(int n, int columns, const int *pivots, bool back, bool unit, T *const *sides, long ldb) {
  T *b = sides[blockIdx.x];
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    if (unit)
      for (int i = 0; i < n; i++) b[i + j * ldb] = number<T>(i == j);
    for (int s = 0; s < n && pivots; s++) {
      int k = back ? n - 1 - s : s, other = pivots[blockIdx.x * n + k] - 1;
      T v = b[k + j * ldb];
      b[k + j * ldb] = b[other + j * ldb], b[other + j * ldb] = v;
    }
  }
}
