// Kernels as people write them first, without a host program: what keplersim run makes up for them is tested. first.ptx is what clang 19
// makes of them.

#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define Z (blockIdx.z * blockDim.z + threadIdx.z)

// One dimension, n a count.
__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = X;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void gridStride(float a, const float *x, float *y, int n) {
  for (int i = X; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

__global__ void sizeT(const double *x, double *y, size_t n) {
  size_t i = X;
  if (i < n) y[i] = 2.0 * x[i];
}

__global__ void noBound(float *x) { x[X] = 2.0f * x[X]; }

__global__ void stencil1d(const float *in, float *out, int n) {
  int i = X;
  if (i > 0 && i < n - 1) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

__global__ void unguarded(const float *in, float *out) {
  int i = X;
  out[i] = in[i - 1] + in[i] + in[i + 1];
}

__global__ void convolution1d(const float *in, const float *weights, float *out, int n, int k) {
  int i = X;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < k; j++) sum += in[i + j] * weights[j];
  out[i] = sum;
}

__global__ void vectors4(const float4 *in, float4 *out, int n) {
  int i = X;
  if (i < n) { float4 v = in[i]; v.x += v.w; out[i] = v; }
}

// Two dimensions.
__global__ void matrixAdd(const float *a, const float *b, float *c, int width, int height) {
  int x = X, y = Y;
  if (x < width && y < height) c[y * width + x] = a[y * width + x] + b[y * width + x];
}

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  int row = Y, col = X;
  if (row >= n || col >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

__global__ void matmulSizes(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = Y, col = X;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

#define TILE 16
__global__ void matmulTiled(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / TILE; t++) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t * TILE + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// A tile of 32, which needs a block of 32 x 32.
__global__ void matmulTiled32(const float *a, const float *b, float *c, int n) {
  __shared__ float as[32][32], bs[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / 32; t++) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t * 32 + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * 32 + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 32; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void transpose(const float *in, float *out, int width, int height) {
  int x = X, y = Y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// As in NVIDIA's examples: a tile of 32 x 32 by blocks of 32 x 8.
__global__ void transposeTiled(const float *in, float *out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void jacobi2d(const float *in, float *out, int n) {
  int x = X, y = Y;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

__global__ void flat2d(float *data, int n) { // n is a count although there are two dimensions
  int i = Y * gridDim.x * blockDim.x + X;
  if (i < n) data[i] += 1.0f;
}

__global__ void stencil3d(const float *in, float *out, int nx, int ny, int nz) {
  int x = X, y = Y, z = Z;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    int i = (z * ny + y) * nx + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6.0f * in[i];
  }
}

// One dimension, n a side.
__global__ void matmulFlat(const float *a, const float *b, float *c, int n) {
  int i = X, row = i / n, col = i % n;
  if (row >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[i] = sum;
}

__global__ void rowSums(const float *in, float *out, int rows, int cols) {
  int row = X;
  if (row >= rows) return;
  float sum = 0;
  for (int j = 0; j < cols; j++) sum += in[row * cols + j];
  out[row] = sum;
}

__global__ void matrixVector(const float *a, const float *x, float *y, int n) {
  int row = X;
  if (row >= n) return;
  float sum = 0;
  for (int j = 0; j < n; j++) sum += a[row * n + j] * x[j];
  y[row] = sum;
}

__global__ void nbody(const float4 *bodies, float4 *forces, int n) {
  int i = X;
  if (i >= n) return;
  float4 me = bodies[i], f = make_float4(0, 0, 0, 0);
  for (int j = 0; j < n; j++) {
    float4 o = bodies[j];
    float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    f.x += o.w * dx * r * r * r; f.y += o.w * dy * r * r * r; f.z += o.w * dz * r * r * r;
  }
  forces[i] = f;
}

__global__ void columnOfGrid(const float *in, float *out, int width) { // a grid of two dimensions, a block of one
  int row = blockIdx.y, col = X;
  if (col < width) out[row * width + col] = in[row * width + col] * row;
}

// Images.
__global__ void grayscale(const unsigned char *rgb, unsigned char *gray, int width, int height) {
  int x = X, y = Y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  gray[i] = (unsigned char)(0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2]);
}

__global__ void boxBlur(const unsigned char *in, unsigned char *out, int width, int height, int radius) {
  int x = X, y = Y;
  if (x >= width || y >= height) return;
  int sum = 0, count = 0;
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++) {
      int u = x + dx, v = y + dy;
      if (u >= 0 && u < width && v >= 0 && v < height) { sum += in[v * width + u]; count++; }
    }
  out[y * width + x] = (unsigned char)(sum / count);
}

__global__ void brighten(float *image, size_t pitch, int width, int height, float by) { // the pitch counts bytes
  int x = X, y = Y;
  if (x >= width || y >= height) return;
  float *row = (float *)((char *)image + y * pitch);
  row[x] += by;
}

__global__ void threshold(const unsigned char *in, unsigned char *out, int n, unsigned char level) {
  int i = X;
  if (i < n) out[i] = in[i] > level ? 255 : 0;
}

// Structs by value.
struct Matrix { int width, height; float *elements; };

__global__ void matmulStruct(Matrix a, Matrix b, Matrix c) {
  int row = Y, col = X;
  if (row >= c.height || col >= c.width) return;
  float sum = 0;
  for (int k = 0; k < a.width; k++) sum += a.elements[row * a.width + k] * b.elements[k * b.width + col];
  c.elements[row * c.width + col] = sum;
}

struct Settings { float scale, offset; int n; };

__global__ void applySettings(float *data, Settings s) {
  int i = X;
  if (i < s.n) data[i] = data[i] * s.scale + s.offset;
}

struct Particles { float *x, *y, *v; unsigned int count; double dt; };

__global__ void advance(Particles p) {
  unsigned i = X;
  if (i < p.count) { p.x[i] += p.v[i] * (float)p.dt; p.y[i] -= p.v[i] * (float)p.dt; }
}

// Reductions, histograms, sums.
__global__ void reduce(const float *in, float *out, int n) {
  __shared__ float sums[256];
  int i = X;
  sums[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void reduce128(const int *in, int *out, int n) { // needs a block of 128
  __shared__ int sums[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  sums[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void reduceDynamic(const float *in, float *out, int n) {
  extern __shared__ float shared[];
  int i = X;
  shared[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}

__global__ void sumAtomic(const float *in, float *sum, int n) {
  int i = X;
  if (i < n) atomicAdd(sum, in[i]);
}

__global__ void dot(const float *a, const float *b, float *partial, int n) {
  __shared__ float cache[256];
  float sum = 0;
  for (int i = X; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
  cache[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s; s /= 2) {
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

__global__ void histogram(const unsigned char *data, unsigned int *bins, int n) {
  int i = X;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

__global__ void histogramShared(const int *data, int *bins, int n) { // 64 bins of values below 256
  __shared__ int local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  int i = X;
  if (i < n) atomicAdd(&local[data[i] / 4], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void prefixSum(const int *in, int *out, int n) { // of each block
  extern __shared__ int both[];
  int t = threadIdx.x, i = X, from = 0, to = blockDim.x;
  both[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    both[to + t] = t >= d ? both[from + t] + both[from + t - d] : both[from + t];
    int was = from; from = to; to = was;
    __syncthreads();
  }
  if (i < n) out[i] = both[from + t];
}

// Indices and orders.
__global__ void gather(const float *in, const int *index, float *out, int n) {
  int i = X;
  if (i < n) out[i] = in[index[i]];
}

__global__ void spmv(const int *rowStart, const int *column, const float *value, const float *x, float *y, int rows) {
  int row = X;
  if (row >= rows) return;
  float sum = 0;
  for (int j = rowStart[row]; j < rowStart[row + 1]; j++) sum += value[j] * x[column[j]];
  y[row] = sum;
}

__global__ void bitonicStep(int *data, int j, int k) {
  unsigned i = X, other = i ^ j;
  if (other > i) {
    int a = data[i], b = data[other];
    if ((i & k) == 0 ? a > b : a < b) { data[i] = b; data[other] = a; }
  }
}

__global__ void powerOfTwo(float *data, int logn) {
  int i = X;
  if (i < (1 << logn)) data[i] = sqrtf(data[i]);
}

__global__ void withFlag(const float *in, float *out, int n, bool square) {
  int i = X;
  if (i < n) out[i] = square ? in[i] * in[i] : in[i];
}

__global__ void rowsOfPointers(float **rows, float *out, int n) {
  int x = X, y = Y;
  if (x < n && y < n) out[y * n + x] = rows[y][x];
}
