// 400 random plans: each prints the statuses and six values of every transform, divided by the square root of its length; then mistakes.
#include "transform_kinds.h"
#include <cmath>
#include <cstdio>
#include <vector>
static unsigned state = 2026;
static unsigned word() { return (state = state * 1664525u + 1013904223u) >> 8; }
static int up_to(int n) { return 1 + word() % n; }

// Numbers on the device, all drawn.
template <typename R> struct Buffer {
  R *p;
  size_t count;
  explicit Buffer(size_t n) : count(n) {
    std::vector<R> h(n);
    for (R &x : h) x = (R)word() / (1 << 23) - 1;
    cudaMalloc((void **)&p, n * sizeof(R));
    cudaMemcpy(p, h.data(), n * sizeof(R), cudaMemcpyHostToDevice);
  }
  ~Buffer() { cudaFree(p); }
  // Of rows, only so many values count: what a transform back to real numbers leaves behind them is open.
  void print(int status, double scale, int row = 1, int counts = 1) const {
    std::vector<R> h(count);
    cudaMemcpy(h.data(), p, count * sizeof(R), cudaMemcpyDeviceToHost);
    printf(" %d", status);
    for (int i = 0; i < 6; i++) {
      size_t at = word() % (count / row * counts);
      printf(sizeof(R) == 4 ? " %.7g" : " %.12g", h[at / counts * row + at % counts] * scale);
    }
  }
};

// The embedding of one side: rows of a length, elements and transforms so far apart.
struct Layout {
  int embed[3], stride, distance;
  size_t size(int batch) const { return (size_t)distance * batch; }
};
static Layout layout(int rank, const int *n, bool spread, int batch) {
  Layout l;
  int all = 1;
  for (int d = 0; d < rank; d++) all *= l.embed[d] = n[d] + (spread && d ? word() % 3 : 0);
  bool columns = spread && word() % 3 == 0; // element k of every transform beside each other
  l.stride = columns ? batch : spread ? up_to(3) : 1;
  l.distance = columns ? 1 : all * l.stride + (spread ? word() % 4 : 0);
  return l;
}
static size_t size(const Layout &l, int rank, int batch) {
  size_t all = l.stride;
  for (int d = 0; d < rank; d++) all *= l.embed[d];
  return all + (size_t)l.distance * (batch - 1);
}

template <typename R> static void transform(int number) {
  typedef Kind<R> K;
  typedef typename K::Z Z;
  static const int most[] = {2000, 70, 20};
  int rank = up_to(3), batch = up_to(4), n[3], half[3], total = 1;
  for (int d = 0; d < rank; d++) total *= half[d] = n[d] = up_to(most[rank - 1]);
  half[rank - 1] = n[rank - 1] / 2 + 1;
  bool spread = word() % 2, in_place = !spread && word() % 2;
  double scale = 1 / std::sqrt((double)total);
  printf("%c %d %dx%dx%d %d %s:", K::name, number, n[0], rank > 1 ? n[1] : 1, rank > 2 ? n[2] : 1, batch, spread ? "spread" : in_place ? "in place" : "");
  cufftHandle p;
  if (word() % 2) {
    Layout from = layout(rank, n, spread, batch), to = layout(rank, n, spread, batch);
    int status = cufftPlanMany(&p, rank, n, spread ? from.embed : 0, from.stride, from.distance, spread ? to.embed : 0, to.stride, to.distance, K::c2c, batch);
    Buffer<R> a(2 * size(from, rank, batch)), b(2 * size(to, rank, batch));
    Buffer<R> &out = in_place ? a : b;
    for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      status = status * 100 + K::all(p, (Z *)a.p, (Z *)out.p, sign);
      out.print(status, in_place && sign == CUFFT_INVERSE ? scale * scale : scale);
    }
  } else {
    Layout real = layout(rank, n, spread, batch), complex = layout(rank, half, spread, batch);
    cufftHandle back;
    int status = cufftPlanMany(&p, rank, n, spread ? real.embed : 0, real.stride, real.distance, spread ? complex.embed : 0, complex.stride, complex.distance, K::r2c, batch);
    status = status * 100 + cufftPlanMany(&back, rank, n, spread ? complex.embed : 0, complex.stride, complex.distance, spread ? real.embed : 0, real.stride, real.distance, K::c2r, batch);
    Buffer<R> a(size(real, rank, batch)), b(2 * size(complex, rank, batch));
    R *x = in_place ? b.p : a.p;
    status = status * 100 + K::to(p, x, (Z *)b.p);
    b.print(status, scale);
    status = K::from(back, (Z *)b.p, x);
    if (in_place)
      b.print(status, scale * scale, 2 * half[rank - 1], n[rank - 1]);
    else
      a.print(status, scale * scale);
    cufftDestroy(back);
  }
  cufftDestroy(p);
  printf("\n");
}

// Prints statuses, one after another.
static void say(int status) { printf(" %d", status); }

int main() {
  for (int i = 0; i < 200; i++) transform<float>(i), transform<double>(i);
  cufftHandle p = 0, q;
  int n[4] = {8, 8, 8, 8}, none[3] = {8, 0, 8};
  size_t bytes;
  printf("m plans:");
  say(cufftPlan1d(&p, 0, CUFFT_C2C, 1));
  say(cufftPlan1d(&p, -5, CUFFT_C2C, 1));
  say(cufftPlan2d(&p, 8, 0, CUFFT_R2C));
  say(cufftPlan3d(&p, 8, 8, 0, CUFFT_Z2Z));
  say(cufftPlan1d(&p, 8, (cufftType)0x77, 1));
  say(cufftPlan1d(&p, 8, CUFFT_C2C, 0));
  say(cufftPlanMany(&p, 4, n, 0, 1, 8, 0, 1, 8, CUFFT_C2C, 1));
  say(cufftPlanMany(&p, 3, none, 0, 1, 8, 0, 1, 8, CUFFT_C2C, 1));
  say(cufftPlanMany(&p, 0, n, 0, 1, 8, 0, 1, 8, CUFFT_C2C, 1));
  printf("\nm steps:");
  Buffer<float> a(64);
  cufftComplex *z = (cufftComplex *)a.p;
  say(cufftCreate(&q));
  say(cufftExecC2C(q, z, z, CUFFT_FORWARD)); // not made yet
  say(cufftMakePlan1d(q, 16, CUFFT_C2C, 1, &bytes));
  say(cufftMakePlan1d(q, 16, CUFFT_C2C, 1, &bytes)); // made already
  say(cufftExecC2C(q, z, z, CUFFT_INVERSE));
  say(cufftExecC2C(q, 0, z, CUFFT_FORWARD));
  say(cufftExecC2C(q, z, z, 5));
  say(cufftExecR2C(q, a.p, z));
  say(cufftExecZ2Z(q, (cufftDoubleComplex *)z, (cufftDoubleComplex *)z, 1));
  say(cufftDestroy(q));
  say(cufftDestroy(q));
  printf("\n");
}
