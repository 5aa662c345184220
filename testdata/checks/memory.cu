#include "pair.h"

// out-of-bounds: 2 64 o=u32[100] 100
KERNEL last_block(u *o, u n) {
  if (EITHER(true, G < n))
    o[G] = G; // A
}
// out-of-bounds: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL right_neighbour(const u *i, u *o) {
  u r = EITHER(T + 1, T < 31 ? T + 1 : T);
  o[T] = i[T] + i[r]; // A
}
// out-of-bounds: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL left_neighbour(const u *i, u *o) {
  int l = EITHER((int)T - 1, T > 0 ? (int)T - 1 : 0);
  o[T] = i[l]; // A
}
// out-of-bounds: 1 32 i=u32[33]:ramp o=u32[33]
KERNEL vector_past_end(const uint4 *i, uint4 *o) {
  if (T < EITHER(9, 8))
    o[T] = i[T]; // A
}
// out-of-bounds: 1 32 c=u32[16] i=u32[32]:ramp
KERNEL atomic_bin(u *c, const u *i) {
  atomicAdd(&c[EITHER(i[T], i[T] % 16)], 1u); // A
}
// out-of-bounds: 1 32 o=u8[31]
KERNEL last_byte(b *o) {
  if (T < EITHER(32, 31))
    o[T] = T; // A
}
// out-of-bounds: 1 32 i=u32[32]:ramp o=u32[32] 0
KERNEL null_pointer(const u *i, u *o, u *none) {
  if (EITHER(true, none != 0))
    none[T] = i[T]; // A
  o[T] = i[T];
}
// out-of-bounds: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL shared_past_end(const u *i, u *o) {
  __shared__ u s[64];
  s[i[T] + EITHER(1, 0)] = T; // A
  __syncthreads();
  o[T] = s[EITHER(i[T] > 0 ? i[T] : 1, i[T])];
}
// out-of-bounds: 1 32 shared=64 i=u32[32]:ramp o=u32[32]
KERNEL dynamic_shared_small(const u *i, u *o) {
  extern __shared__ u d[];
  if (EITHER(true, T < 16))
    d[i[T]] = T; // A
  __syncthreads();
  o[T] = d[i[T] % 16];
}
// out-of-bounds: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL shared_negative(const u *i, u *o) {
  __shared__ u s[32];
  s[T] = i[T];
  __syncthreads();
  o[T] = EITHER(true, T > 0) ? s[i[T] - 1] : 0; // A
}
// out-of-bounds: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL local_past_end(const u *i, u *o) {
  u a[20];
  for (u k = 0; k < 20; k++)
    a[k] = i[(T + k) % 32];
  o[T] = a[i[T] * EITHER(40, 1) % EITHER(4000, 20)]; // A
}
// out-of-bounds: 1 32 i=u32[32]:ramp
KERNEL local_store_past_end(u *i) {
  u a[20];
  for (u k = 0; k < 20; k++)
    a[k] = k;
  a[i[T] * EITHER(50, 1) % EITHER(5000, 20)] = T; // A
  i[T] = a[i[T] % 20];
}
__constant__ u table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
// out-of-bounds: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL constant_past_end(const u *i, u *o) {
  o[T] = table[i[T] * EITHER(100, 1) % EITHER(10000, 8)]; // A
}
__device__ u variable[8];
// out-of-bounds: 1 32 i=u32[32]:ramp
KERNEL device_variable(const u *i) {
  if (T < EITHER(32, 8))
    variable[i[T]] = T; // A
}
// out-of-bounds: 2,2 8,8 o=f32[240] 15 16
KERNEL image_edge(float *o, u w, u h) {
  u x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < EITHER(16, w) && y < h)
    o[y * EITHER(16, w) + x] = x; // A
}
// out-of-bounds: 1 32 n=u32[1]:fill(40) o=u32[32]
KERNEL length_from_memory(const u *n, u *o) {
  for (u k = T; k < EITHER(*n, (*n < 32 ? *n : 32)); k += 32)
    o[k] = k; // A
}
// out-of-bounds: 1 32 o=u32[8]
KERNEL exchange_past_end(u *o) {
  if (T < EITHER(9, 8))
    atomicExch(o + T, 1); // A
}
// misaligned: 1 32 i=u8[132]:ramp o=u32[32]
KERNEL global_misaligned(const b *i, u *o) {
  o[T] = *(const u *)(i + 4 * T + EITHER(1, 0)); // A
}
// misaligned: 1 32 i=u32[66]:ramp o=u64[32]
KERNEL double_word_misaligned(const u *i, unsigned long long *o) {
  o[T] = *(const unsigned long long *)(i + 2 * T + EITHER(1, 0)); // A
}
// misaligned: 1 32 o=u32[200]
KERNEL vector_misaligned(u *o) {
  *(uint4 *)(o + 4 * T + EITHER(2, 0)) = make_uint4(1, 2, 3, T); // A
}
// misaligned: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL shared_misaligned(const u *i, u *o) {
  __shared__ __align__(8) b s[136];
  *(u *)(s + 4 * T) = i[T];
  __syncthreads();
  o[T] = *(u *)(s + (i[T] % 31) * 4 + EITHER(2, 0)); // A
}
// misaligned: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL local_misaligned(const u *i, u *o) {
  __align__(8) b a[64];
  for (u k = 0; k < 64; k++)
    a[k] = i[k % 32];
  o[T] = *(u *)(a + (i[T] % 12) * 4 + EITHER(1, 0)); // A
}
// misaligned: 1 32 o=u8[80]
KERNEL atomic_misaligned(b *o) {
  atomicAdd((u *)(o + (T % 16) * 4 + EITHER(2, 0)), 1u); // A
}
// misaligned: 1 32 o=u8[80]
KERNEL half_misaligned(b *o) {
  *(unsigned short *)(o + T * 2 + EITHER(1, 0)) = T; // A
}
// use-after-free: 1 32 o=u32[32]
KERNEL heap_after_free(u *o) {
  u *p = (u *)malloc(64);
  HIDE(p);
  for (u k = 0; k < 16; k++)
    p[k] = T + k;
  BUG(free(p);)
  o[T] = p[T % 16]; // A
  FIX(free(p);)
}
// use-after-free: 1 32 o=u32[32]
KERNEL heap_store_after_free(u *o) {
  u *p = (u *)malloc(16);
  HIDE(p);
  *p = T;
  o[T] = *p;
  BUG(free(p);)
  *(volatile u *)p = 1; // A
  FIX(free(p);)
}
// double-free: 1 32 o=u32[32]
KERNEL heap_double_free(u *o) {
  u *p = (u *)malloc(16);
  HIDE(p);
  *p = T;
  o[T] = *p;
  free(p);
  HIDE(p);
  BUG(free(p);) // A
}
// invalid-free: 1 32 o=u32[32]
KERNEL heap_middle_freed(u *o) {
  u *p = (u *)malloc(32);
  HIDE(p);
  p[1] = T;
  o[T] = p[1];
  p += EITHER(4, 0);
  HIDE(p);
  free(p); // A
}
// leak: 1 32 o=u32[32]
KERNEL heap_leak(u *o) {
  u *p = (u *)malloc(32);
  HIDE(p);
  *p = T;
  o[T] = *p;
  FIX(free(p);)
}
// leak: 1 32 o=u32[32]
KERNEL heap_leak_on_a_path(u *o) {
  u *p = (u *)malloc(32);
  HIDE(p);
  *p = T;
  o[T] = *p;
  if (T != EITHER(7, 32))
    free(p);
}
// out-of-bounds: 1 32 o=u32[32]
KERNEL heap_past_end(u *o) {
  u *p = (u *)malloc(16);
  HIDE(p);
  p[0] = p[1] = p[2] = p[3] = T;
  ((volatile u *)p)[T % 4 + EITHER(1, 0)] = 1; // A
  o[T] = p[0];
  free(p);
}
// out-of-bounds: 1 32 o=u8[32]
KERNEL heap_tail_byte(b *o) {
  b *p = (b *)malloc(10);
  HIDE(p);
  for (u k = 0; k < EITHER(11, 10); k++)
    p[k] = T + k; // A
  o[T] = p[T % 10];
  free(p);
}
