#include "pair.h"

// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL reverse(const u *i, u *o) {
  __shared__ u s[64];
  s[T] = i[T]; // A
  FIX(__syncthreads();)
  o[T] = s[63 - T]; // B
}
// race-block: 1 128 i=u32[128]:ramp o=u32[1]
KERNEL tree_sum(const u *i, u *o) {
  __shared__ u s[128];
  s[T] = i[T];
  __syncthreads();
  for (u k = 64; k > 0; k >>= 1) {
    if (T < k)
      s[T] += s[T + k]; // A // B
    EITHER(if (k > 64), ) __syncthreads();
  }
  if (T == 0)
    *o = s[0];
}
// race-block: 1 64 i=u32[256]:ramp o=u32[64]
KERNEL buffer_reused(const u *i, u *o) {
  __shared__ u s[64];
  u sum = 0;
  for (u k = 0; k < 4; k++) {
    s[T] = i[k * 64 + T]; // A
    __syncthreads();
    sum += s[(T + 33) % 64]; // B
    FIX(__syncthreads();)
  }
  o[T] = sum;
}
// race-block: 1 64 i=u32[64]:ramp o=u32[16]
KERNEL histogram(const u *i, u *o) {
  __shared__ u s[16];
  if (T < 16)
    s[T] = 0;
  __syncthreads();
  EITHER(s[i[T] % 16]++, atomicAdd(&s[i[T] % 16], 1u)); // A // B
  __syncthreads();
  if (T < 16)
    o[T] = s[T];
}
// race-block: 1 64 i=u32[64]:ramp o=u32[1]
KERNEL counter_set_late(const u *i, u *o) {
  __shared__ u n;
  if (T == 0)
    n = 0; // A
  FIX(__syncthreads();)
  atomicAdd(&n, i[T]); // B
  __syncthreads();
  if (T == 0)
    *o = n;
}
// race-block: 1 96 i=u32[96]:ramp o=u32[96]
KERNEL broadcast(const u *i, u *o) {
  __shared__ u s;
  if (T == 95)
    s = i[T] * 3; // A
  FIX(__syncthreads();)
  o[T] = s; // B
}
// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL scan(const u *i, u *o) {
  __shared__ u s[64];
  s[T] = i[T];
  __syncthreads();
  for (u k = 1; k < 64; k <<= 1) {
    u v = T >= k ? s[T - k] : 0; // A
    FIX(__syncthreads();)
    s[T] += v; // B
    __syncthreads();
  }
  o[T] = s[T];
}
// race-block: 1 16,16 i=u32[256]:ramp o=u32[256]
KERNEL transpose(const u *i, u *o) {
  __shared__ u s[16][17];
  s[threadIdx.y][threadIdx.x] = i[threadIdx.y * 16 + threadIdx.x]; // A
  FIX(__syncthreads();)
  o[threadIdx.y * 16 + threadIdx.x] = s[threadIdx.x][threadIdx.y]; // B
}
// race-block: 1 64 i=u32[66]:ramp o=u32[64]
KERNEL halo(const u *i, u *o) {
  __shared__ u s[66];
  s[T + 1] = i[T + 1];
  FIX(if (T == 0) { s[0] = i[0]; s[65] = i[65]; })
  __syncthreads();
  BUG(if (T == 0) { s[0] = i[0]; s[65] = i[65]; }) // A
  BUG(if (T == 1) s[0] = 0;)
  o[T] = T == 63 ? s[65] + s[64] : s[T + 1]; // B
}
// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL double_buffer_swapped(const u *i, u *o) {
  __shared__ u s[2][64];
  s[0][T] = i[T];
  __syncthreads();
  for (u k = 0; k < 3; k++) {
    s[EITHER(0, (k + 1) % 2)][T] = s[EITHER(0, k % 2)][(T + 32) % 64] + 1; // A // B
    __syncthreads();
  }
  o[T] = s[EITHER(0, 1)][T];
}
// race-block: 1 64 i=u8[64]:ramp o=u8[64]
KERNEL bytes_of_neighbours(const b *i, b *o) {
  __shared__ b s[64];
  s[T] = i[T]; // A
  FIX(__syncthreads();)
  o[T] = s[T ^ 63]; // B
}
// race-block: 1 64 i=u32[64]:ramp o=u32[32]
KERNEL halves_of_a_word(const u *i, u *o) {
  __shared__ u s[32];
  ((unsigned short *)s)[T] = i[T]; // A
  FIX(__syncthreads();)
  if (T < 32)
    o[T] = s[T]; // B
}
// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL vector_over_words(const u *i, u *o) {
  __shared__ __align__(16) u s[64];
  s[T] = i[T]; // A
  FIX(__syncthreads();)
  uint4 v = *(uint4 *)&s[T / 4 * 4 ^ 32]; // B
  o[T] = v.x + v.w;
}
// race-block: 1 64 shared=256 i=u32[64]:ramp o=u32[64]
KERNEL dynamic_memory(const u *i, u *o) {
  extern __shared__ u d[];
  d[T] = i[T]; // A
  FIX(__syncthreads();)
  o[T] = d[(T + 32) % 64]; // B
}
// race-block: 1 64 i=u32[64]:ramp o=u32[1]
KERNEL maximum(const u *i, u *o) {
  __shared__ u s;
  if (T == 0)
    s = 0;
  __syncthreads();
  EITHER(if (i[T] > s) s = i[T], atomicMax(&s, i[T])); // A // B
  __syncthreads();
  if (T == 0)
    *o = s;
}
// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL stack_push(const u *i, u *o) {
  __shared__ u top, s[64];
  if (T == 0)
    top = 0;
  __syncthreads();
  u at = EITHER(top++, atomicAdd(&top, 1u)); // A // B
  s[at % 64] = i[T]; // A
  __syncthreads();
  o[T] = s[T % (top ? top : 1)];
}
// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL atomic_and_plain_read(const u *i, u *o) {
  __shared__ u s;
  if (T == 0)
    s = 0;
  __syncthreads();
  atomicAdd(&s, i[T]); // A
  FIX(__syncthreads();)
  o[T] = s; // B
}
// race-block: 1 128 i=u32[64]:ramp o=u32[64]
KERNEL producer_consumer(const u *i, u *o) {
  __shared__ u s[64];
  if (T < 64) {
    s[T] = i[T] * 2; // A
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile(EITHER("bar.sync 2, 64;", "bar.sync 1, 128;") ::: "memory");
    o[T - 64] = s[T - 64]; // B
  }
}
// race-block: 1 128 i=u32[128]:ramp o=u32[128]
KERNEL named_barrier_of_halves(const u *i, u *o) {
  __shared__ u s[128];
  s[T] = i[T]; // A
  if (T < 64)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  o[T] = s[EITHER(127 - T, T ^ 63)]; // B
}
// race-block: 1 128 i=u32[128]:ramp o=u32[64]
KERNEL barrier_skipped_by_some_warps(const u *i, u *o) {
  __shared__ u s[128];
  s[T] = i[T]; // A
  if (EITHER(T < 64, true))
    asm volatile(EITHER("bar.sync 0, 64;", "bar.sync 0, 128;") ::: "memory");
  if (T < 64)
    o[T] = s[T + 64]; // B
}
// race-block: 1 64 i=u32[64]:ramp o=u32[128]
KERNEL odd_even_sort(const u *i, u *o) {
  __shared__ u s[128];
  s[T] = 63 - i[T];
  s[64 + T] = i[T];
  __syncthreads();
  for (u k = 0; k < 8; k++) {
    u a = 2 * T + k % 2;
    if (a + 1 < 128) {
      u x = s[a], y = s[a + 1]; // A
      s[a] = min(x, y); // A
      s[a + 1] = max(x, y); // A // B
    }
    EITHER(if (T > 64), ) __syncthreads();
  }
  __syncthreads();
  o[T] = s[T];
}
// race-block: 1 64 o=u32[64]
KERNEL write_write(u *o) {
  __shared__ u s[32];
  s[T % 32] = T + EITHER(0, (T < 32 ? 0 : -32)); // A // B
  __syncthreads();
  o[T] = s[T % 32];
}
// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL result_written_early(const u *i, u *o) {
  __shared__ u s[64], total;
  s[T] = i[T];
  __syncthreads();
  if (T == 0) {
    u sum = 0;
    for (u k = 0; k < 64; k++)
      sum += s[k];
    total = sum; // A
  }
  FIX(__syncthreads();)
  o[T] = s[T] * total; // B
}
// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL swap_columns(const u *i, u *o) {
  __shared__ u s[64];
  s[T] = i[T];
  __syncthreads();
  u v = s[63 - T]; // A
  FIX(__syncthreads();)
  s[T] = v; // B
  __syncthreads();
  o[T] = s[T];
}
// race-block: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL flag_without_volatile(const u *i, u *o) {
  __shared__ u ready, s[32];
  if (T == 0)
    ready = 0;
  __syncthreads();
  if (T < 32) {
    s[T] = i[T]; // A
    EITHER(, __threadfence_block();) if (T == 0) atomicExch(&ready, 1u);
  } else {
    while (atomicAdd(&ready, 0u) == 0)
      ;
    o[T] = s[T - 32]; // B
  }
}
