#include "pair.h"

// divergent-barrier: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL barrier_in_a_branch(const u *i, u *o) {
  __shared__ u s[64];
  s[T] = i[T];
  if (EITHER(i[T] < 16, true))
    __syncthreads(); // A
  o[T] = s[T];
}
// divergent-barrier: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL barrier_in_a_loop(const u *i, u *o) {
  u sum = 0;
  for (u k = 0; k < EITHER(i[T] % 3 + 1, 3); k++) {
    sum += k;
    __syncthreads(); // A
  }
  o[T] = sum;
}
// divergent-barrier: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL barrier_in_both_branches(const u *i, u *o) {
  if (EITHER(i[T] % 2, blockIdx.x == 0)) {
    o[T] = 1;
    __syncthreads(); // A
  } else {
    o[T] = 2;
    __syncthreads(); // A
  }
}
// divergent-barrier: 1 64 i=u32[64]:ramp o=u32[1]
KERNEL reduction_barrier_inside(const u *i, u *o) {
  __shared__ u s[64];
  s[T] = i[T];
  __syncthreads();
  for (u k = 16; k > 0; k >>= 1) {
    if (T < k) {
      atomicAdd(&s[T], atomicAdd(&s[T + k], 0u));
      BUG(__syncthreads();) // A
    }
    FIX(__syncthreads();)
  }
  if (T == 0)
    *o = atomicAdd(&s[0], 0u);
}
// divergent-barrier: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL named_barrier_divergent(const u *i, u *o) {
  if (EITHER(i[T] > 5, i[T] < 99))
    asm volatile("bar.sync 3, 32;" ::: "memory"); // A
  o[T] = i[T];
}
// divergent-barrier: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL counting_barrier_divergent(const u *i, u *o) {
  u n = 0;
  if (EITHER(i[T] > 5, i[T] < 99))
    n = __syncthreads_count(i[T] % 2); // A
  o[T] = n;
}
// barrier-exited: 1 64 i=u32[64]:ramp o=u32[64] 40
KERNEL early_return(const u *i, u *o, u n) {
  BUG(if (T >= n) return;)
  __syncthreads(); // A
  FIX(if (T < n))
  o[T] = i[T];
}
// barrier-exited: 1 96 i=u32[96]:ramp o=u32[96]
KERNEL warp_returns_early(const u *i, u *o) {
  BUG(if (T >= 64) return;)
  o[T] = i[T];
  __syncthreads(); // A
  o[T] += 1;
}
// barrier-stuck: 1 64 o=u32[64]
KERNEL count_too_high(u *o) {
  asm volatile(EITHER("bar.sync 1, 96;", "bar.sync 1, 64;") ::: "memory"); // A
  o[T] = T;
}
// barrier-stuck: 1 64 o=u32[64]
KERNEL nobody_arrives(u *o) {
  if (T < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory"); // A
  else
    asm volatile(EITHER("bar.sync 2, 64;", "bar.arrive 1, 64;") ::: "memory"); // A
  o[T] = T;
}
// barrier-count: 1 64 o=u32[64]
KERNEL counts_differ(u *o) {
  if (T < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory"); // A
  else
    asm volatile(EITHER("bar.sync 1, 32;", "bar.sync 1, 64;") ::: "memory"); // B
  o[T] = T;
}
// mixed-barriers: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL barriers_of_two_statements(const u *i, u *o) {
  if (T < 32) {
    o[T] = i[T] + 1;
    BUG(__syncthreads();) // A
  } else {
    o[T] = i[T] * 3;
    BUG(__syncthreads();) // B
  }
  FIX(__syncthreads();)
  o[T] += 2;
}
// warp-mask: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL shuffle_in_a_branch(const u *i, u *o) {
  u v = i[T];
  if (v < 16)
    v = __shfl_down_sync(EITHER(0xffffffffu, 0xffffu), v, 1); // A
  o[T] = v;
}
// warp-mask: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL ballot_in_a_branch(const u *i, u *o) {
  u v = 0;
  if (i[T] % 2)
    v = __ballot_sync(EITHER(0xffffffffu, 0xaaaaaaaau), i[T] > 7); // A
  o[T] = v;
}
// warp-mask: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL thread_not_in_mask(const u *i, u *o) {
  o[T] = __any_sync(EITHER(0x7fffffffu, 0xffffffffu), i[T] == 4); // A
}
// warp-mask: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL syncwarp_in_a_branch(const u *i, u *o) {
  if (i[T] < 8)
    __syncwarp(EITHER(0xffffffffu, 0xffu)); // A
  o[T] = i[T];
}
// warp-mask: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL mask_differs(const u *i, u *o) {
  o[T] = __all_sync(EITHER(T < 16 ? 0xffffffffu : 0xffff0000u, 0xffffffffu), i[T] < 40); // A
}
