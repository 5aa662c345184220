// Cooperative groups as far as Kepler goes: blocks, tiles of a warp, and the lanes that run together.
#pragma once
#ifdef __CUDA__ // a file of plain C++ sees nothing of it, as with CUDA

namespace cuda {
// A number of bytes of which the address and the size are multiples of N.
template <size_t _N> struct aligned_size_t {
  static constexpr size_t align = _N;
  size_t value;
  __device__ __forceinline__ aligned_size_t(size_t n) : value(n) {}
  __device__ __forceinline__ operator size_t() const { return value; }
};
} // namespace cuda

namespace cooperative_groups {

// A group whose kind is known when it runs: a block, a tile of a warp, or the lanes of a mask.
class thread_group {
 protected:
  unsigned int lanes_; // how many threads
  unsigned int mask_;  // of the warp; 0 for a block
 public:
  __device__ __forceinline__ explicit thread_group(unsigned int lanes, unsigned int mask = 0) : lanes_(lanes), mask_(mask) {}
  __device__ __forceinline__ unsigned int size() const { return lanes_; }
  __device__ __forceinline__ unsigned int num_threads() const { return lanes_; }
  __device__ __forceinline__ unsigned int thread_rank() const {
    if (mask_) return __popc(mask_ & ((1u << __ks_lane()) - 1));
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  __device__ __forceinline__ void sync() const {
    if (mask_) __syncwarp();
    else __syncthreads();
  }
};

class thread_block : public thread_group {
 public:
  __device__ __forceinline__ thread_block() : thread_group(blockDim.x * blockDim.y * blockDim.z) {}
  __device__ __forceinline__ static void sync() { __syncthreads(); }
  __device__ __forceinline__ static unsigned int thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  __device__ __forceinline__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ __forceinline__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ __forceinline__ static dim3 group_dim() { return blockDim; }
  __device__ __forceinline__ static dim3 dim_threads() { return blockDim; }
};
__device__ __forceinline__ thread_block this_thread_block() { return thread_block(); }

class grid_group : public thread_group {
 public:
  __device__ __forceinline__ grid_group() : thread_group(gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z) {}
  __device__ __forceinline__ static unsigned long long thread_rank() {
    return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + thread_block::thread_rank();
  }
  __device__ __forceinline__ static dim3 group_dim() { return gridDim; }
  __device__ __forceinline__ static dim3 dim_blocks() { return gridDim; }
  __device__ __forceinline__ static dim3 block_index() { return thread_block::group_index(); }
  __device__ __forceinline__ static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  __device__ __forceinline__ static unsigned long long block_rank() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __device__ static bool is_valid() { return false; }
  // A barrier of the whole grid came with compute capability 6.0: here no cooperative launch succeeds (cudaErrorNotSupported), and in an
  // ordinary one the barrier is an error on every device.
  __device__ __forceinline__ static void sync() { __trap(); }
};
__device__ __forceinline__ grid_group this_grid() { return grid_group(); }

// What moves a value between lanes moves vectors and structs word by word.
template <bool Several> struct __ks_by_words {
  template <typename _T, typename Move> __device__ __forceinline__ static _T of(_T v, Move move) { return move(v); }
};
template <> struct __ks_by_words<true> {
  template <typename _T, typename Move> __device__ __forceinline__ static _T of(_T v, Move move) {
    unsigned int words[(sizeof(_T) + 3) / 4] = {};
    __builtin_memcpy(words, &v, sizeof(_T));
#pragma unroll
    for (unsigned int i = 0; i < (sizeof(_T) + 3) / 4; i++) words[i] = move(words[i]);
    __builtin_memcpy(&v, words, sizeof(_T));
    return v;
  }
};

// N threads of a warp, N a power of two to 32, from a multiple of _N on. A tile of any parent converts to the tile of none, which programs
// name as a parameter.
template <unsigned int _N, typename Parent = void> class thread_block_tile : public thread_group {
  static_assert(_N && _N <= 32 && (_N & (_N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  __device__ __forceinline__ static unsigned int first() { return __ks_lane() & ~(_N - 1); }
  __device__ __forceinline__ static unsigned int mask() { return _N == 32 ? ~0u : ((1u << (_N & 31)) - 1) << first(); }

 public:
  __device__ __forceinline__ thread_block_tile(unsigned int rank, unsigned int count) : thread_group(_N, mask()), rank_(rank), count_(count) {}
  template <typename Other>
  __device__ __forceinline__ thread_block_tile(const thread_block_tile<_N, Other> &t) : thread_block_tile(t.meta_group_rank(), t.meta_group_size()) {}
  __device__ __forceinline__ static constexpr unsigned int size() { return _N; }
  __device__ __forceinline__ static constexpr unsigned int num_threads() { return _N; }
  __device__ __forceinline__ static unsigned int thread_rank() { return __ks_lane() & (_N - 1); }
  __device__ __forceinline__ unsigned int meta_group_rank() const { return rank_; }
  __device__ __forceinline__ unsigned int meta_group_size() const { return count_; }
  __device__ __forceinline__ static void sync() { __syncwarp(); }
#define __KS_TILE_SHUFFLE(NAME, TYPE)                                                               \
  template <typename _T> __device__ __forceinline__ _T NAME(_T v, TYPE n) const {                   \
    return __ks_by_words<__is_class(_T)>::of(v, [n](auto w) __attribute__((device)) { return __##NAME(w, (int)n, _N); }); \
  }
  __KS_TILE_SHUFFLE(shfl, int)
  __KS_TILE_SHUFFLE(shfl_up, unsigned int)
  __KS_TILE_SHUFFLE(shfl_down, unsigned int)
  __KS_TILE_SHUFFLE(shfl_xor, unsigned int)
#undef __KS_TILE_SHUFFLE
  __device__ __forceinline__ unsigned int ballot(int p) const { return (__ballot(p) & mask()) >> first(); }
  __device__ __forceinline__ int any(int p) const { return (__ballot(p) & mask()) != 0; }
  __device__ __forceinline__ int all(int p) const { return (__ballot(!p) & mask()) == 0; }
  __device__ __forceinline__ static unsigned int lanes() { return mask(); }

 private:
  unsigned int rank_, count_; // of this tile among its parent's
};
template <unsigned int _N, typename Parent> __device__ __forceinline__ thread_block_tile<_N, Parent> tiled_partition(const Parent &parent) {
  return thread_block_tile<_N, Parent>(parent.thread_rank() / _N, (parent.size() + _N - 1) / _N);
}

// Tiles whose size is known when they are made: 1 to 32 threads, a power of two.
__device__ __forceinline__ thread_group tiled_partition(const thread_group &, unsigned int n) {
  return thread_group(n, n >= 32 ? ~0u : ((1u << n) - 1) << (__ks_lane() & ~(n - 1)));
}

// Lanes of a warp that are together, by their places among them.
class coalesced_group : public thread_group {
  unsigned int rank_, groups_; // among the parts of the group that it was a part of
  __device__ __forceinline__ static unsigned int before() { return (1u << __ks_lane()) - 1; }
  __device__ __forceinline__ int lane_of(unsigned int rank) const {
    unsigned int m = mask_;
    for (unsigned int i = 0; i < rank; i++) m &= m - 1;
    return __ffs(m) - 1;
  }
  template <typename _T> __device__ __forceinline__ static _T from(_T v, int lane) {
    return __ks_by_words<__is_class(_T)>::of(v, [lane](auto w) __attribute__((device)) { return __shfl(w, lane); });
  }

 public:
  __device__ __forceinline__ explicit coalesced_group(unsigned int mask, unsigned int rank = 0, unsigned int groups = 1)
      : thread_group(__popc(mask), mask), rank_(rank), groups_(groups) {}
  template <unsigned int _N, typename Parent>
  __device__ __forceinline__ coalesced_group(const thread_block_tile<_N, Parent> &tile)
      : coalesced_group(tile.lanes(), tile.meta_group_rank(), tile.meta_group_size()) {}
  __device__ __forceinline__ unsigned int thread_rank() const { return __popc(mask_ & before()); }
  __device__ __forceinline__ unsigned int meta_group_rank() const { return rank_; }
  __device__ __forceinline__ unsigned int meta_group_size() const { return groups_; }
  __device__ __forceinline__ static void sync() { __syncwarp(); }
  template <typename _T> __device__ __forceinline__ _T shfl(_T v, unsigned int rank) const { return from(v, lane_of(rank % lanes_)); }
  template <typename _T> __device__ __forceinline__ _T shfl_up(_T v, unsigned int n) const {
    unsigned int rank = thread_rank();
    return from(v, lane_of(rank >= n ? rank - n : rank));
  }
  template <typename _T> __device__ __forceinline__ _T shfl_down(_T v, unsigned int n) const {
    unsigned int rank = thread_rank();
    return from(v, lane_of(rank + n < lanes_ ? rank + n : rank));
  }
  __device__ __forceinline__ unsigned int ballot(int p) const {
    unsigned int votes = __ballot(p), packed = 0;
    unsigned int rank = 0;
    for (unsigned int m = mask_; m; m &= m - 1) packed |= (votes >> (__ffs(m) - 1) & 1) << rank++;
    return packed;
  }
  __device__ __forceinline__ int any(int p) const { return (__ballot(p) & mask_) != 0; }
  __device__ __forceinline__ int all(int p) const { return (__ballot(!p) & mask_) == 0; }
  __device__ __forceinline__ unsigned int lanes() const { return mask_; }
};
__device__ __forceinline__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// The threads of a group that say the same.
__device__ __forceinline__ coalesced_group binary_partition(const coalesced_group &group, bool says) {
  unsigned int yes = __ballot(says) & group.lanes();
  return coalesced_group(says ? yes : group.lanes() & ~yes, says, 2);
}
template <unsigned int _N, typename Parent>
__device__ __forceinline__ coalesced_group binary_partition(const thread_block_tile<_N, Parent> &tile, bool says) {
  return binary_partition(coalesced_group(tile), says);
}

template <typename Group> __device__ __forceinline__ void sync(const Group &g) { g.sync(); }

// Reductions over a tile: every thread gets the result.
template <typename _T> struct plus { __device__ __forceinline__ _T operator()(_T a, _T b) const { return a + b; } };
template <typename _T> struct less { __device__ __forceinline__ _T operator()(_T a, _T b) const { return b < a ? b : a; } };
template <typename _T> struct greater { __device__ __forceinline__ _T operator()(_T a, _T b) const { return a < b ? b : a; } };
template <typename _T> struct bit_and { __device__ __forceinline__ _T operator()(_T a, _T b) const { return a & b; } };
template <typename _T> struct bit_or { __device__ __forceinline__ _T operator()(_T a, _T b) const { return a | b; } };
template <typename _T> struct bit_xor { __device__ __forceinline__ _T operator()(_T a, _T b) const { return a ^ b; } };
template <unsigned int _N, typename Parent, typename _T, typename Operation>
__device__ __forceinline__ _T reduce(const thread_block_tile<_N, Parent> &tile, _T v, Operation combine) {
  for (unsigned int n = _N / 2; n > 0; n /= 2) v = combine(v, tile.shfl_xor(v, n));
  return v;
}
// Scans of a tile or of coalesced lanes, in steps that double; a reduction of such lanes is what the last of them gets.
template <typename Group, typename _T, typename Operation> __device__ __forceinline__ _T inclusive_scan(const Group &group, _T v, Operation combine) {
  for (unsigned int n = 1; n < group.num_threads(); n *= 2) {
    _T before = group.shfl_up(v, n);
    if (group.thread_rank() >= n) v = combine(before, v);
  }
  return v;
}
template <typename Group, typename _T> __device__ __forceinline__ _T inclusive_scan(const Group &group, _T v) {
  return inclusive_scan(group, v, plus<_T>());
}
template <typename Group, typename _T, typename Operation> __device__ __forceinline__ _T exclusive_scan(const Group &group, _T v, Operation combine) {
  v = group.shfl_up(inclusive_scan(group, v, combine), 1);
  return group.thread_rank() ? v : _T();
}
template <typename Group, typename _T> __device__ __forceinline__ _T exclusive_scan(const Group &group, _T v) {
  return exclusive_scan(group, v, plus<_T>());
}
template <typename _T, typename Operation> __device__ __forceinline__ _T reduce(const coalesced_group &group, _T v, Operation combine) {
  return group.shfl(inclusive_scan(group, v, combine), group.num_threads() - 1);
}

// Copies by a group, which are done when they return: Kepler has no others.
template <typename Group> __device__ __forceinline__ void memcpy_async(const Group &group, void *to, const void *from, size_t bytes) {
  bool words = (((size_t)to | (size_t)from | bytes) & 3) == 0;
  size_t size = words ? 4 : 1;
  for (size_t i = group.thread_rank() * size; i < bytes; i += group.size() * size) {
    if (words) *(unsigned int *)((char *)to + i) = *(const unsigned int *)((const char *)from + i);
    else ((char *)to)[i] = ((const char *)from)[i];
  }
}
template <typename Group, typename _T> __device__ __forceinline__ void memcpy_async(const Group &group, _T *to, size_t room, const _T *from, size_t count) {
  memcpy_async(group, (void *)to, (const void *)from, (room < count ? room : count) * sizeof(_T));
}
template <typename Group> __device__ __forceinline__ void wait(const Group &group) { group.sync(); }
template <unsigned int _N, typename Group> __device__ __forceinline__ void wait_prior(const Group &group) { group.sync(); }

} // namespace cooperative_groups
#endif
