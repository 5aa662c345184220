// What the debugger's tests look at: each kind of variable, and where it may lie.
namespace shapes {
struct Named {
  int id;
};
} // namespace shapes

struct Point : shapes::Named {
  float x;
  double y;
  unsigned low : 3;
  int high : 5;
  char name[8];
  Point *next;
};

enum Colour { red, green = 5, blue };

__constant__ float scale[4] = {1, 2.5f, 4, 8};
__device__ int total = 3;

__device__ __forceinline__ int triple(int v) {
  int w = v * 3;
  return w + 1; // in triple
}

__device__ __noinline__ int down(int depth, const int &step) {
  int here = depth * step;
  if (depth == 0)
    return here; // deepest
  return here + down(depth - 1, step);
}

extern "C" __global__ void walk(const int *in, int *out, int n, float start) {
  __shared__ int tile[64];
  extern __shared__ short more[];
  int t = threadIdx.x;
  tile[t] = in[t];
  more[t] = -t;
  __syncthreads();
  Point p;
  p.id = t;
  p.x = start * t;
  p.y = p.x / 3.0;
  p.low = t & 7;
  p.high = t % 32 - 16;
  p.name[0] = 'a' + t % 26;
  p.name[1] = 0;
  p.next = &p;
  Colour colour = t % 2 ? green : blue;
  long long sum = 0;
  bool even = false;
  for (int i = 0; i < n; i++) {
    int k = triple(tile[(t + i) & 63]);
    sum += (long long)k << 33;
    even = sum % 2 == 0; // in the loop
  }
  if (t % 4 == 1) {
    unsigned char odd = t + 200;
    out[t] = odd; // one lane of four
  }
  int step = t + 1;
  out[t] += down(2, step);
  p.x *= scale[1];
  total = n;
  out[t] += p.x + even + colour + (int)(sum >> 33) + more[t]; // at the end
}
