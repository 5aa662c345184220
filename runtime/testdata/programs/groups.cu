// Cooperative groups, and loads and stores with a cache operator: integers, so that every device prints the same.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

struct Pair {
  int low;
  long long high;
};

template <class Group> __device__ void ask(const Group &g, int v, int *out) {
  out[0] = g.thread_rank(), out[1] = g.num_threads(), out[2] = g.meta_group_rank(), out[3] = g.meta_group_size();
  out[4] = g.shfl(v, 1 % g.size()), out[5] = g.shfl_up(v, 1), out[6] = g.shfl_down(v, 2);
  out[7] = g.any(v > 900), out[8] = g.all(v > 50), out[9] = g.ballot(v & 1);
  out[10] = cg::reduce(g, v, cg::plus<int>()), out[11] = cg::reduce(g, v, cg::less<int>()), out[12] = cg::reduce(g, v, cg::bit_xor<int>());
  out[13] = cg::inclusive_scan(g, v), out[14] = cg::exclusive_scan(g, v), out[15] = cg::inclusive_scan(g, v, cg::greater<int>());
  Pair p = g.shfl(Pair{v, (long long)v << 33}, g.size() - 1);
  out[16] = p.low, out[17] = (int)(p.high >> 32);
}

__global__ void groups(const int *in, int *out, int which) {
  cg::thread_block block = cg::this_thread_block();
  int v = in[block.thread_rank()];
  out += (blockIdx.x * block.size() + block.thread_rank()) * 18;
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  switch (which) {
  case 0: ask(warp, v, out); break;
  case 1: ask(cg::tiled_partition<8>(block), v, out); break;
  case 2: ask(cg::tiled_partition<4>(warp), v, out); break;
  case 3:
    if (v % 3) ask(cg::coalesced_threads(), v, out);
    break;
  case 4: ask(cg::binary_partition(warp, v % 5 == 0), v, out); break;
  case 5:
    if (v & 2) ask(cg::binary_partition(cg::coalesced_threads(), v % 7 > 2), v, out);
    break;
  case 6:
    cg::grid_group grid = cg::this_grid();
    out[0] = (int)grid.thread_rank(), out[1] = (int)grid.num_threads(), out[2] = (int)grid.block_rank(), out[3] = (int)grid.num_blocks();
    out[4] = block.group_index().x, out[5] = block.dim_threads().y, out[6] = grid.dim_blocks().x;
  }
}

__global__ void copies(const int *in, int *out) {
  __shared__ __align__(16) int room[256];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, room, in, sizeof room);
  cg::wait(block);
  out[block.thread_rank()] = room[255 - block.thread_rank()];
}

template <class T> __device__ void through(const int *in, int *out) {
  const T *from = (const T *)in;
  T *to = (T *)out;
  to += threadIdx.x * 8, from += threadIdx.x * 8;
  __stwb(to, __ldca(from)), __stcg(to + 1, __ldcg(from + 1)), __stcs(to + 2, __ldcs(from + 2)), __stwt(to + 3, __ldcv(from + 3));
  to[4] = __ldg(from + 4);
}
__global__ void accesses(const int *in, int *out) {
  switch (blockIdx.x) {
#define OF(N, T) case N: through<T>(in, out + N * 1024); break;
    OF(0, char) OF(1, unsigned char) OF(2, short) OF(3, unsigned short) OF(4, int) OF(5, unsigned) OF(6, long) OF(7, unsigned long long) OF(8, float) OF(9, double)
    OF(10, char2) OF(11, char4) OF(12, uchar2) OF(13, uchar4) OF(14, short2) OF(15, short4) OF(16, ushort2) OF(17, ushort4) OF(18, int2) OF(19, int4)
    OF(20, uint2) OF(21, uint4) OF(22, longlong2) OF(23, ulonglong2) OF(24, float2) OF(25, float4) OF(26, double2) OF(27, __half) OF(28, __half2)
  }
}

const int most = 64 * 1024;
int host[most], *in, *out;
void print(const char *name, int n) {
  cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  unsigned hash = 2166136261u;
  for (int i = 0; i < n; i++) hash = (hash ^ (unsigned)host[i]) * 16777619u;
  printf("%s %s %08x\n", name, cudaGetErrorName(e), hash);
  cudaMemset(out, 0, sizeof host);
}
int main() {
  cudaMalloc(&in, sizeof host), cudaMalloc(&out, sizeof host), cudaMemset(out, 0, sizeof host);
  unsigned r = 1;
  for (int &h : host) h = (int)((r = r * 1664525u + 1013904223u) >> 22);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  const char *names[] = {"warp", "tile of 8", "tile of 4 of a warp", "coalesced", "parts of a warp", "parts of coalesced", "grid"};
  for (int i = 0; i < 7; i++) groups<<<3, dim3(48, 2), 0>>>(in, out, i), print(names[i], 3 * 96 * 18);
  copies<<<1, 256>>>(in, out), print("copies", 256);
  accesses<<<29, 8>>>(in, out), print("accesses", 29 * 1024);
}
