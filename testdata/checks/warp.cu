#include "pair.h"

// race-warp: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL two_paths(const u *i, u *o) {
  __shared__ u s[32];
  s[T] = i[T];
  __syncthreads();
  if (i[T] % 2)
    s[EITHER(T - 1, T)] = i[T] * 7 + 5; // A
  else
    o[T] = s[T] * 3; // B
  __syncthreads();
  if (i[T] % 2)
    o[T] = s[T];
}
// race-warp: 1 32 i=u32[32]:ramp a=u32[32] o=u32[32]
KERNEL two_paths_global(const u *i, u *a, u *o) {
  a[T] = i[T] + 7;
  __syncthreads();
  if (i[T] % 2)
    a[EITHER(T - 1, T)] = i[T] * 7 + 5; // A
  else
    o[T] = a[T] * 3; // B
  __syncthreads();
  if (i[T] % 2)
    o[T] = a[T];
}
// race-lanes: 1 32 o=u32[1]
KERNEL one_address(u *o) {
  EITHER(*o = T, if (T == 31) *o = T); // A // B
}
// race-lanes: 1 32 i=u32[32]:ramp o=u32[1]
KERNEL any_of_several(const u *i, u *o) {
  EITHER(*o = i[T], *(volatile u *)o = i[T]); // A // B
}
// race-lanes: 1 32 i=u32[32]:ramp o=u32[8]
KERNEL scatter(const u *i, u *o) {
  o[i[T] % EITHER(7, 8)] = EITHER(i[T], i[T] % 8); // A // B
}
// race-lanes: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL one_address_in_shared(const u *i, u *o) {
  __shared__ u s;
  EITHER(s = i[T], if (T == 9) s = i[T]); // A // B
  __syncthreads();
  o[T] = s;
}
// race-lanes: 1 32 i=u8[32]:ramp o=u8[4]
KERNEL one_byte(const b *i, b *o) {
  EITHER(o[T % 4] = i[T], if (T < 4) o[T] = i[T]); // A // B
}
// race-lanes: 1 32 i=u32[32]:ramp o=u32[16]
KERNEL counters(const u *i, u *o) {
  EITHER(o[i[T] / 2] += i[T], atomicAdd(&o[i[T] / 2], i[T])); // A // B
}
// warp-synchronous: 1 32 i=u32[32]:ramp o=u32[1]
KERNEL reduction_without_syncwarp(const u *i, u *o) {
  __shared__ volatile u s[64];
  s[T] = i[T]; // A
  s[T + 32] = 0; // A
  FIX(__syncwarp();)
  for (u k = 16; k > 0; k >>= 1) {
    u v = s[T + k]; // B
    FIX(__syncwarp();)
    s[T] = s[T] + v; // A // B
    FIX(__syncwarp();)
  }
  if (T == 0)
    *o = s[0]; // B
}
// warp-synchronous: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL exchange_without_syncwarp(const u *i, u *o) {
  __shared__ volatile u s[32];
  s[T] = i[T]; // A
  FIX(__syncwarp();)
  o[T] = s[31 - T]; // B
}
// warp-synchronous: 1 32 i=u32[32]:ramp a=u32[32] o=u32[32]
KERNEL global_without_syncwarp(const u *i, volatile u *a, u *o) {
  a[T] = i[T]; // A
  FIX(__syncwarp();)
  o[T] = a[(T + 1) % 32]; // B
}
// warp-synchronous: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL leader_writes(const u *i, u *o) {
  __shared__ volatile u s;
  if (T == 0)
    s = i[5]; // A
  FIX(__syncwarp();)
  o[T] = s; // B
}
// race-warp: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL volatile_on_one_side(const u *i, u *o) {
  __shared__ u s[32];
  s[T] = i[T];
  __syncthreads();
  if (i[T] % 2)
    *EITHER(&s[T - 1], (volatile u *)&s[T - 1]) = i[T] * 7 + 5; // A
  else
    o[T] = *(volatile u *)&s[T] * 3; // B
  __syncthreads();
  if (i[T] % 2)
    o[T] = s[T];
}
// warp-synchronous: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL word_rewritten(const u *i, u *o) {
  __shared__ volatile u s[32];
  s[T] = i[T];
  __syncthreads();
  u v = s[T ^ 1]; // A
  FIX(__syncwarp();)
  s[T] = v; // B
  o[T] = s[T];
}
