// Every kind of transform against sums on the host: lengths with small and large factors, dimensions, batches, layouts, in place and back.
#include <cufftXt.h>
#include "transform_kinds.h"
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>
typedef std::complex<double> C;
static unsigned state = 1;
static double draw() { return (double)((state = state * 1664525u + 1013904223u) >> 8) / (1 << 24) * 2 - 1; }

// The transform of n0 x n1 x n2 elements by its definition, one dimension after another.
static std::vector<C> reference(std::vector<C> v, int n0, int n1, int n2, int sign) {
  int n[] = {n0, n1, n2};
  for (int d = 0; d < 3; d++) {
    std::vector<C> made(v.size());
    int inner = d == 2 ? 1 : d == 1 ? n2 : n1 * n2;
    for (size_t i = 0; i < v.size(); i++) {
      int k = (int)(i / inner) % n[d];
      size_t first = i - (size_t)k * inner;
      for (int j = 0; j < n[d]; j++) made[i] += v[first + (size_t)j * inner] * std::polar(1.0, sign * 2 * M_PI * ((long)j * k % n[d]) / n[d]);
    }
    v = made;
  }
  return v;
}
template <typename T> static T *device(const std::vector<T> &v) {
  T *p;
  cudaMalloc((void **)&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
static double error(const std::vector<C> &want, const std::vector<C> &got) {
  double off = 0, size = 0;
  for (size_t i = 0; i < want.size(); i++) off += std::norm(want[i] - got[i]), size += std::norm(want[i]);
  return std::sqrt(off / size);
}

static int plan_of(cufftHandle *p, int rank, const int *n, cufftType type) {
  return rank == 1 ? cufftPlan1d(p, n[2], type, 1) : rank == 2 ? cufftPlan2d(p, n[1], n[2], type) : cufftPlan3d(p, n[0], n[1], n[2], type);
}
template <typename R> static bool right(int n0, int n1, int n2, double most) {
  typedef Kind<R> K;
  typedef typename K::Z Z;
  int n[] = {n0, n1, n2}, rank = n0 > 1 ? 3 : n1 > 1 ? 2 : 1, rows = n0 * n1, half = n2 / 2 + 1, total = rows * n2;
  std::vector<C> v(total), real(total);
  std::vector<Z> z(total);
  std::vector<R> r(total), padded(rows * 2 * half);
  for (int i = 0; i < total; i++) {
    z[i] = {(R)draw(), (R)draw()}, v[i] = C(z[i].x, z[i].y);
    r[i] = (R)draw(), real[i] = r[i], padded[i / n2 * 2 * half + i % n2] = r[i];
  }
  cufftHandle all, to, from;
  int status = plan_of(&all, rank, n, K::c2c) | plan_of(&to, rank, n, K::r2c) | plan_of(&from, rank, n, K::c2r);
  double worst = 0;
  auto complexes = [&](Z *p, int count) {
    std::vector<Z> h(count);
    cudaMemcpy(h.data(), p, count * sizeof(Z), cudaMemcpyDeviceToHost);
    std::vector<C> c;
    for (Z x : h) c.push_back(C(x.x, x.y));
    return c;
  };
  Z *a = device(z), *b = device(z);
  for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
    status |= K::all(all, a, b, sign);
    worst = std::fmax(worst, error(reference(v, n0, n1, n2, sign), complexes(b, total)));
  }
  status |= K::all(all, a, a, CUFFT_FORWARD);
  worst = std::fmax(worst, error(reference(v, n0, n1, n2, -1), complexes(a, total)));
  std::vector<C> whole = reference(real, n0, n1, n2, -1), first;
  for (int i = 0; i < total; i++)
    if (i % n2 < half) first.push_back(whole[i]);
  R *x = device(r), *y = device(padded);
  status |= K::to(to, x, b);
  worst = std::fmax(worst, error(first, complexes(b, rows * half)));
  status |= K::to(to, y, (Z *)y); // in place
  worst = std::fmax(worst, error(first, complexes((Z *)y, rows * half)));
  status |= K::from(from, b, x);
  status |= K::from(from, (Z *)y, y);
  std::vector<R> back(total), padded_back(rows * 2 * half);
  cudaMemcpy(back.data(), x, total * sizeof(R), cudaMemcpyDeviceToHost);
  cudaMemcpy(padded_back.data(), y, padded_back.size() * sizeof(R), cudaMemcpyDeviceToHost);
  std::vector<C> c, d, want;
  for (int i = 0; i < total; i++) c.push_back((double)back[i]), d.push_back((double)padded_back[i / n2 * 2 * half + i % n2]), want.push_back(real[i] * (double)total);
  worst = std::fmax(worst, std::fmax(error(want, c), error(want, d)));
  cufftDestroy(all), cufftDestroy(to), cufftDestroy(from);
  cudaFree(a), cudaFree(b), cudaFree(x), cudaFree(y);
  if (!(worst <= most) || status) printf("%d x %d x %d of %zu bytes: error %g, status %d\n", n0, n1, n2, sizeof(R), worst, status);
  return worst <= most && !status;
}

// The plan of the types of elements does what that of the kind does.
template <typename T> int same_by_types(cufftType kind, cudaDataType from, cudaDataType to, int direction) {
  int sizes[] = {6, 10}, bytes = 3 * 6 * 12 * 2 * sizeof(T);
  long long wide[] = {6, 10};
  std::vector<T> x(bytes / sizeof(T)), by_kind(x.size()), by_types(x.size());
  for (T &v : x) v = (T)draw();
  T *a = device(x), *b = device(x);
  cufftHandle plan[2];
  cufftCreate(&plan[1]);
  int status = cufftPlanMany(&plan[0], 2, sizes, nullptr, 1, 0, nullptr, 1, 0, kind, 3);
  status |= cufftXtMakePlanMany(plan[1], 2, wide, nullptr, 1, 0, from, nullptr, 1, 0, to, 3, nullptr, to) | cufftXtExec(plan[1], a, b, direction);
  cudaMemcpy(by_types.data(), b, bytes, cudaMemcpyDeviceToHost), cudaMemcpy(b, x.data(), bytes, cudaMemcpyHostToDevice);
  switch (kind) {
  case CUFFT_C2C: status |= cufftExecC2C(plan[0], (cufftComplex *)a, (cufftComplex *)b, direction); break;
  case CUFFT_R2C: status |= cufftExecR2C(plan[0], (float *)a, (cufftComplex *)b); break;
  case CUFFT_C2R: status |= cufftExecC2R(plan[0], (cufftComplex *)a, (float *)b); break;
  case CUFFT_Z2Z: status |= cufftExecZ2Z(plan[0], (cufftDoubleComplex *)a, (cufftDoubleComplex *)b, direction); break;
  case CUFFT_D2Z: status |= cufftExecD2Z(plan[0], (double *)a, (cufftDoubleComplex *)b); break;
  case CUFFT_Z2D: status |= cufftExecZ2D(plan[0], (cufftDoubleComplex *)a, (double *)b); break;
  }
  cudaMemcpy(by_kind.data(), b, bytes, cudaMemcpyDeviceToHost);
  cudaFree(a), cudaFree(b), cufftDestroy(plan[0]), cufftDestroy(plan[1]);
  return !status && by_kind == by_types && by_kind != x;
}

int main() {
  int good = 0, tried = 0;
  for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 30, 60, 64, 77, 100, 128, 169, 210, 256, 343, 509, 1000})
    tried += 2, good += right<float>(1, 1, n, 1e-6) + right<double>(1, 1, n, 1e-14);
  for (auto n : {std::pair<int, int>{4, 8}, {8, 3}, {15, 10}, {17, 16}}) tried += 2, good += right<float>(1, n.first, n.second, 1e-6) + right<double>(1, n.first, n.second, 1e-14);
  for (int n : {4, 6, 7}) tried += 2, good += right<float>(n, n + 1, 8, 1e-6) + right<double>(3, n, n + 2, 1e-14);

  // A batch of columns: element k of transform j at 5 k + j.
  std::vector<cufftComplex> z(60);
  std::vector<C> v(60);
  for (int i = 0; i < 60; i++) z[i] = {(float)draw(), (float)draw()}, v[i] = C(z[i].x, z[i].y);
  cufftComplex *a = device(z);
  cufftHandle many;
  int n = 12, embed = 12, status = cufftPlanMany(&many, 1, &n, &embed, 5, 1, &embed, 5, 1, CUFFT_C2C, 5);
  status |= cufftExecC2C(many, a, a, CUFFT_FORWARD);
  cudaMemcpy(z.data(), a, 60 * sizeof z[0], cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int j = 0; j < 5; j++) {
    std::vector<C> column(12), got(12);
    for (int k = 0; k < 12; k++) column[k] = v[5 * k + j], got[k] = C(z[5 * k + j].x, z[5 * k + j].y);
    worst = std::fmax(worst, error(reference(column, 1, 1, 12, -1), got));
  }
  printf("%d of %d transforms right, columns %s\n", good, tried, worst < 1e-6 && !status ? "right" : "wrong");
  cufftHandle wrong;
  printf("size 0: %d, no plan: %d, another kind: %d\n", cufftPlan1d(&wrong, 0, CUFFT_C2C, 1), cufftExecC2C(77, a, a, CUFFT_FORWARD),
         cufftExecR2C(many, (float *)a, a));
  int types = same_by_types<float>(CUFFT_C2C, CUDA_C_32F, CUDA_C_32F, CUFFT_INVERSE) + same_by_types<float>(CUFFT_R2C, CUDA_R_32F, CUDA_C_32F, 0);
  types += same_by_types<float>(CUFFT_C2R, CUDA_C_32F, CUDA_R_32F, 0) + same_by_types<double>(CUFFT_Z2Z, CUDA_C_64F, CUDA_C_64F, CUFFT_FORWARD);
  types += same_by_types<double>(CUFFT_D2Z, CUDA_R_64F, CUDA_C_64F, 0) + same_by_types<double>(CUFFT_Z2D, CUDA_C_64F, CUDA_R_64F, 0);
  printf("by types: %d\n", types);
}
