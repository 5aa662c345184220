// cuFFT on the simulated device. Data come into complex arrays of their own, each dimension is transformed there by Stockham's passes, one for
// each factor of its length, and the result goes to where the caller wants it. A real transform is a complex one of twice the work.
#include <cufftXt.h>
#include <stdlib.h>
#include <string.h>

namespace {

template <typename T> struct RealOf;
template <> struct RealOf<cufftComplex> { typedef float type; };
template <> struct RealOf<cufftDoubleComplex> { typedef double type; };
template <typename T> using Real = typename RealOf<T>::type;

template <typename T> __device__ __forceinline__ T times(T a, T b) { return T{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
template <typename T> __device__ __forceinline__ T turned(const T *roots, int i, bool inverse) {
  T w = roots[i];
  if (inverse) w.y = -w.y;
  return w;
}

// One dimension of an array [outer][n][inner]. roots has exp(-2 pi i k / n). done is the product of the factors of earlier passes.
template <typename T> struct Pass {
  const T *from, *roots;
  T *to;
  int n, done;
  long inner, work; // work: how many threads have something to do
  bool inverse;
};
// A pass of a small factor R: a thread transforms R elements.
template <typename T, int R> __global__ void small_factor(Pass<T> p) {
  long t = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= p.work) return;
  int part = p.n / R;
  long in = t % p.inner, rest = t / p.inner, outer = rest / part;
  int i = (int)(rest % part), k = i % p.done;
  const T *from = p.from + outer * p.n * p.inner + in;
  T *to = p.to + outer * p.n * p.inner + in;
  T v[R], sum[R];
#pragma unroll
  for (int q = 0; q < R; q++) {
    v[q] = from[(long)(i + q * part) * p.inner];
    if (q) v[q] = times(v[q], turned(p.roots, q * k * (p.n / (p.done * R)), p.inverse));
  }
#pragma unroll
  for (int q = 0; q < R; q++) {
    sum[q] = v[0];
#pragma unroll
    for (int e = 1; e < R; e++) {
      T x = q * e % R ? times(v[e], turned(p.roots, q * e % R * part, p.inverse)) : v[e];
      sum[q].x += x.x, sum[q].y += x.y;
    }
  }
  int j = (i - k) * R + k;
#pragma unroll
  for (int q = 0; q < R; q++) to[(long)(j + q * p.done) * p.inner] = sum[q];
}
// A pass of any factor r: a thread makes one element.
template <typename T> __global__ void any_factor(Pass<T> p, int r) {
  long t = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= p.work) return;
  int part = p.n / r;
  long in = t % p.inner, rest = t / p.inner, outer = rest / p.n;
  int place = (int)(rest % p.n), q = place / part, i = place % part, k = i % p.done;
  const T *from = p.from + outer * p.n * p.inner + in;
  T sum = {0, 0};
  for (int e = 0; e < r; e++) {
    long turn = (long)e * k * (p.n / (p.done * r)) + (long)q * e % r * part;
    T x = times(from[(long)(i + e * part) * p.inner], turned(p.roots, (int)(turn % p.n), p.inverse));
    sum.x += x.x, sum.y += x.y;
  }
  p.to[outer * p.n * p.inner + in + (long)((i - k) * r + k + q * p.done) * p.inner] = sum;
}

// How a caller's array lies: steps of the three dimensions and from one transform of a batch to the next, in elements.
struct Layout { long step[3], next; };
struct Box { int n[3]; };

// Brings data in: complex ones, real ones, or the first half of what a real transform made, whose other half is its mirror's conjugate.
template <typename T> __global__ void bring(Box b, long all, Layout l, const T *complex, const Real<T> *real, bool half, T *to) {
  long t = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= all) return;
  int z = (int)(t % b.n[2]), y = (int)(t / b.n[2] % b.n[1]), x = (int)(t / b.n[2] / b.n[1] % b.n[0]);
  long batch = t / b.n[2] / b.n[1] / b.n[0];
  bool mirrored = half && z > b.n[2] / 2;
  if (mirrored) x = (b.n[0] - x) % b.n[0], y = (b.n[1] - y) % b.n[1], z = b.n[2] - z;
  long at = batch * l.next + x * l.step[0] + y * l.step[1] + z * l.step[2];
  T v = real ? T{real[at], 0} : complex[at];
  if (mirrored) v.y = -v.y;
  if (half && z == 0 && x == 0 && y == 0) v.y = 0; // which a Hermitian array has there
  to[t] = v;
}
template <typename T> __global__ void take(Box b, long all, Layout l, const T *from, T *complex, Real<T> *real, bool half) {
  long t = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= all) return;
  int z = (int)(t % b.n[2]), y = (int)(t / b.n[2] % b.n[1]), x = (int)(t / b.n[2] / b.n[1] % b.n[0]);
  if (half && z > b.n[2] / 2) return;
  long at = t / b.n[2] / b.n[1] / b.n[0] * l.next + x * l.step[0] + y * l.step[1] + z * l.step[2];
  if (real) real[at] = from[t].x;
  else complex[at] = from[t];
}

struct Plan {
  bool made, given; // given: the layouts are the caller's
  Box box;
  int rank, batch;
  cufftType type;
  Layout in, out;
  void *work, *roots[3];
  cudaStream_t stream;
};
const int PLANS = 1024;
Plan *plans[PLANS];

Plan *plan_of(cufftHandle h) { return h >= 0 && h < PLANS ? plans[h] : nullptr; }
bool is_double(cufftType t) { return t == CUFFT_D2Z || t == CUFFT_Z2D || t == CUFFT_Z2Z; }
bool is_type(cufftType t) { return t == CUFFT_R2C || t == CUFFT_C2R || t == CUFFT_C2C || is_double(t); }
size_t element(cufftType t) { return is_double(t) ? sizeof(cufftDoubleComplex) : sizeof(cufftComplex); }
long elements(const Plan *p) { return (long)p->box.n[0] * p->box.n[1] * p->box.n[2] * p->batch; }
dim3 blocks(long n) { return dim3((unsigned)((n + 127) / 128)); }

// The layout of arrays whose last dimension has `last` elements in memory.
Layout dense(const Box &b, long last) {
  Layout l = {{(long)b.n[1] * last, last, 1}, (long)b.n[0] * b.n[1] * last};
  return l;
}

template <typename T> void *roots_of(int n) {
  T *host = (T *)malloc(n * sizeof(T));
  for (int k = 0; k < n; k++) {
    double angle = 2 * 3.14159265358979323846 * k / n;
    host[k].x = (Real<T>)__builtin_cos(angle), host[k].y = (Real<T>)-__builtin_sin(angle);
    if (4l * k % n == 0) { // quarters of the circle are exact
      int quarter = (int)(4l * k / n);
      host[k].x = quarter == 0 ? 1 : quarter == 2 ? -1 : 0, host[k].y = quarter == 1 ? -1 : quarter == 3 ? 1 : 0;
    }
  }
  void *device = nullptr;
  if (cudaMalloc(&device, n * sizeof(T)) == cudaSuccess) cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice);
  free(host);
  return device;
}

int factor_of(int n) {
  for (int r : {8, 4, 2, 3, 5, 7})
    if (n % r == 0) return r;
  for (int r = 11; (long)r * r <= n; r += 2)
    if (n % r == 0) return r;
  return n;
}
// Transforms one dimension; a and b take turns, and the one with the result is returned.
template <typename T> T *transform(const Plan *p, int d, T *a, T *b, bool inverse) {
  int n = p->box.n[d];
  long inner = 1;
  for (int i = d + 1; i < 3; i++) inner *= p->box.n[i];
  for (int done = 1, r; done < n; done *= r) {
    r = factor_of(n / done);
    Pass<T> pass = {a, (const T *)p->roots[d], b, n, done, inner, elements(p) / r, inverse};
    dim3 grid = blocks(pass.work);
    switch (r) {
    case 2: small_factor<T, 2><<<grid, 128, 0, p->stream>>>(pass); break;
    case 3: small_factor<T, 3><<<grid, 128, 0, p->stream>>>(pass); break;
    case 4: small_factor<T, 4><<<grid, 128, 0, p->stream>>>(pass); break;
    case 5: small_factor<T, 5><<<grid, 128, 0, p->stream>>>(pass); break;
    case 7: small_factor<T, 7><<<grid, 128, 0, p->stream>>>(pass); break;
    case 8: small_factor<T, 8><<<grid, 128, 0, p->stream>>>(pass); break;
    default:
      pass.work = elements(p);
      any_factor<<<blocks(pass.work), 128, 0, p->stream>>>(pass, r);
    }
    T *t = a;
    a = b, b = t;
  }
  return a;
}

template <typename T> cufftResult run(cufftHandle h, cufftType type, const void *from, void *to, int direction) {
  Plan *p = plan_of(h);
  if (!p || !p->made) return CUFFT_INVALID_PLAN;
  if (p->type != type) return CUFFT_INVALID_TYPE;
  if (!from || !to || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
  bool real_in = type == CUFFT_R2C || type == CUFFT_D2Z, real_out = type == CUFFT_C2R || type == CUFFT_Z2D;
  Layout in = p->in, out = p->out;
  if (!p->given) {
    long n = p->box.n[2], half = n / 2 + 1, real = from == to ? 2 * half : n; // in place, rows of real numbers are padded
    in = dense(p->box, real_in ? real : real_out ? half : n), out = dense(p->box, real_out ? real : real_in ? half : n);
  }
  long all = elements(p);
  T *a = (T *)p->work, *b = a + all;
  bring<T><<<blocks(all), 128, 0, p->stream>>>(p->box, all, in, real_in ? nullptr : (const T *)from, real_in ? (const Real<T> *)from : nullptr, real_out, a);
  for (int d = 2; d >= 0; d--) {
    T *made = transform(p, d, a, b, direction == CUFFT_INVERSE);
    if (made != a) b = a, a = made;
  }
  take<T><<<blocks(all), 128, 0, p->stream>>>(p->box, all, out, a, real_out ? nullptr : (T *)to, real_out ? (Real<T> *)to : nullptr, real_in);
  return cudaPeekAtLastError() == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

Layout layout(int rank, const int *embed, int stride, int dist) {
  Layout l = {{0, 0, 0}, dist};
  long step = stride;
  for (int i = rank - 1; i >= 0; i--) l.step[3 - rank + i] = step, step *= embed[i];
  return l;
}
cufftResult make(cufftHandle h, int rank, const int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type, int batch,
                 size_t *work) {
  Plan *p = plan_of(h);
  if (!p || p->made) return CUFFT_INVALID_PLAN;
  if (rank < 1 || rank > 3) return CUFFT_INVALID_VALUE;
  if (!is_type(type)) return CUFFT_INVALID_TYPE;
  if (batch < 1) return CUFFT_INVALID_SIZE;
  p->rank = rank, p->batch = batch, p->type = type;
  for (int i = 0; i < 3; i++) p->box.n[i] = i < 3 - rank ? 1 : n[i - (3 - rank)];
  for (int i = 0; i < 3; i++)
    if (p->box.n[i] < 1) return CUFFT_INVALID_SIZE;
  p->given = inembed && onembed;
  if (p->given) p->in = layout(rank, inembed, istride, idist), p->out = layout(rank, onembed, ostride, odist);
  size_t bytes = 2 * element(type) * elements(p);
  if (cudaMalloc(&p->work, bytes) != cudaSuccess) return CUFFT_ALLOC_FAILED;
  for (int i = 0; i < 3; i++) p->roots[i] = is_double(type) ? roots_of<cufftDoubleComplex>(p->box.n[i]) : roots_of<cufftComplex>(p->box.n[i]);
  p->made = true;
  if (work) *work = bytes;
  return CUFFT_SUCCESS;
}
cufftResult create_and_make(cufftHandle *h, int rank, const int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type,
                            int batch) {
  cufftResult r = cufftCreate(h);
  if (r == CUFFT_SUCCESS) r = make(*h, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
  if (r != CUFFT_SUCCESS) cufftDestroy(*h);
  return r;
}

} // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle *plan) {
  for (int i = 0; plan && i < PLANS; i++)
    if (!plans[i]) {
      plans[i] = (Plan *)calloc(1, sizeof(Plan));
      *plan = i;
      return CUFFT_SUCCESS;
    }
  return plan ? CUFFT_ALLOC_FAILED : CUFFT_INVALID_VALUE;
}
cufftResult cufftDestroy(cufftHandle plan) {
  Plan *p = plan_of(plan);
  if (!p) return CUFFT_INVALID_PLAN;
  cudaFree(p->work);
  for (void *r : p->roots) cudaFree(r);
  free(p);
  plans[plan] = nullptr;
  return CUFFT_SUCCESS;
}
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) { return create_and_make(plan, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch); }
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) {
  int n[] = {nx, ny};
  return create_and_make(plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1);
}
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type) {
  int n[] = {nx, ny, nz};
  return create_and_make(plan, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1);
}
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type,
                          int batch) {
  return create_and_make(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work) {
  return make(plan, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch, work);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work) {
  int n[] = {nx, ny};
  return make(plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work) {
  int n[] = {nx, ny, nz};
  return make(plan, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *work) {
  return make(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, long long *onembed,
                                long long ostride, long long odist, cufftType type, long long batch, size_t *work) {
  int sizes[3], in[3], out[3];
  for (int i = 0; i < rank && i < 3; i++) sizes[i] = (int)n[i], in[i] = inembed ? (int)inembed[i] : 0, out[i] = onembed ? (int)onembed[i] : 0;
  return make(plan, rank, sizes, inembed ? in : nullptr, (int)istride, (int)idist, onembed ? out : nullptr, (int)ostride, (int)odist, type, (int)batch, work);
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, cudaDataType from,
                                long long *onembed, long long ostride, long long odist, cudaDataType to, long long batch, size_t *work, cudaDataType) {
  static const struct {
    cudaDataType from, to;
    cufftType type;
  } KINDS[] = {{CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C}, {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R},
               {CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z}, {CUDA_R_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUFFT_Z2D}};
  for (auto &k : KINDS)
    if (k.from == from && k.to == to) return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, k.type, batch, work);
  return CUFFT_NOT_SUPPORTED;
}
cufftResult cufftGetSize(cufftHandle plan, size_t *work) {
  Plan *p = plan_of(plan);
  if (!p || !p->made) return CUFFT_INVALID_PLAN;
  *work = 2 * element(p->type) * elements(p);
  return CUFFT_SUCCESS;
}
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *work) { return *work = 2 * element(type) * nx * batch, CUFFT_SUCCESS; }
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *work) { return *work = 2 * element(type) * nx * ny, CUFFT_SUCCESS; }
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *work) { return *work = 2 * element(type) * nx * ny * nz, CUFFT_SUCCESS; }
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  Plan *p = plan_of(plan);
  if (!p) return CUFFT_INVALID_PLAN;
  p->stream = stream;
  return CUFFT_SUCCESS;
}
// Plans keep their own memory, whatever the program brings.
cufftResult cufftSetWorkArea(cufftHandle plan, void *) { return plan_of(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) { return plan_of(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftSetCompatibilityMode(cufftHandle plan, cufftCompatibility) { return plan_of(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftGetVersion(int *version) { return *version = CUFFT_VERSION, CUFFT_SUCCESS; }
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction) {
  return run<cufftComplex>(plan, CUFFT_C2C, from, to, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *from, cufftComplex *to) { return run<cufftComplex>(plan, CUFFT_R2C, from, to, CUFFT_FORWARD); }
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *from, cufftReal *to) { return run<cufftComplex>(plan, CUFFT_C2R, from, to, CUFFT_INVERSE); }
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleComplex *to, int direction) {
  return run<cufftDoubleComplex>(plan, CUFFT_Z2Z, from, to, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *from, cufftDoubleComplex *to) { return run<cufftDoubleComplex>(plan, CUFFT_D2Z, from, to, CUFFT_FORWARD); }
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleReal *to) { return run<cufftDoubleComplex>(plan, CUFFT_Z2D, from, to, CUFFT_INVERSE); }
cufftResult cufftXtExec(cufftHandle plan, void *from, void *to, int direction) {
  Plan *p = plan_of(plan);
  if (!p || !p->made) return CUFFT_INVALID_PLAN;
  if (p->type == CUFFT_R2C || p->type == CUFFT_D2Z) direction = CUFFT_FORWARD;
  if (p->type == CUFFT_C2R || p->type == CUFFT_Z2D) direction = CUFFT_INVERSE;
  return is_double(p->type) ? run<cufftDoubleComplex>(plan, p->type, from, to, direction) : run<cufftComplex>(plan, p->type, from, to, direction);
}

} // extern "C"
