#include "pair.h"

// unset-memory: 1 64 o=u32[64]
KERNEL shared_never_written(u *o) {
  __shared__ u s[64];
  FIX(s[T] = T;)
  BUG(if (o[0] == 77) s[T] = 1;)
  o[T] = s[T]; // A
}
// unset-memory: 1 64 i=u32[64]:ramp o=u32[64]
KERNEL shared_tail(const u *i, u *o) {
  __shared__ u s[64];
  if (T < EITHER(60, 64))
    s[T] = i[T];
  __syncthreads();
  o[T] = s[63 - T]; // A
}
// unset-memory: 1 64 shared=512 i=u32[64]:ramp o=u32[64]
KERNEL dynamic_shared(const u *i, u *o) {
  extern __shared__ u d[];
  d[T] = i[T];
  FIX(d[64 + T] = 0;)
  __syncthreads();
  o[T] = d[63 - T] + d[64 + T]; // A
}
// unset-memory: 1 32 i=u8[32]:ramp o=u32[8]
KERNEL shared_byte(const b *i, u *o) {
  __shared__ __align__(4) b s[32];
  if (EITHER(T != 13, true))
    s[T] = i[T];
  __syncthreads();
  if (T < 8)
    o[T] = *(u *)&s[4 * T]; // A
}
// unset-memory: 1 32 o=u32[1]
KERNEL shared_atomic(u *o) {
  __shared__ u s;
  FIX(if (T == 0) s = 0; __syncthreads();)
  atomicAdd(&s, 1u); // A
  __syncthreads();
  if (T == 0)
    *o = s;
}
// unset-memory: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL local_array(const u *i, u *o) {
  u a[24];
  for (u k = 0; k < EITHER(23, 24); k++)
    a[k] = i[k];
  o[T] = a[23 - i[T] % 24]; // A
}
// unset-memory: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL local_on_a_path(const u *i, u *o) {
  u a[16];
  if (EITHER(i[T] != 3, true))
    for (u k = 0; k < 16; k++)
      a[k] = i[k];
  o[T] = a[i[T] % 16]; // A
}
// unset-memory: 1 32 o=u32[32]
KERNEL heap(u *o) {
  u *p = (u *)malloc(64);
  HIDE(p);
  for (u k = 0; k < EITHER(15, 16); k++)
    p[k] = T;
  o[T] = p[T % 16]; // A
  free(p);
}
// unset-memory: 1 32 o=u32[32]
KERNEL heap_again(u *o) {
  for (u k = 0; k < 2; k++) {
    u *p = (u *)malloc(16);
    HIDE(p);
    if (EITHER(k == 0, true))
      *p = T;
    o[T] += *p; // A
    free(p);
  }
}
// unset-memory: 1 32 g=u32[32]:unset o=u32[32]
KERNEL global_memory(u *g, u *o) {
  FIX(g[T] = 1;)
  o[T] = g[T]; // A
}
// unset-memory: 2 32 g=u32[64]:unset o=u32[64]
KERNEL global_half(u *g, u *o) {
  if (EITHER(blockIdx.x == 0, true))
    g[G] = G;
  o[G] = g[G]; // A
}
// unset-memory: 1 32 g=u8[32]:unset o=u8[32]
KERNEL global_byte(b *g, b *o) {
  if (EITHER(T != 30, true))
    g[T] = T;
  o[T] = g[T]; // A
}
// unset-memory: 1 32 g=u32[32]:unset
KERNEL global_atomic(u *g) {
  FIX(g[T] = 0;)
  atomicAdd(&g[T], 1u); // A
}
// unset-memory: 1 32 g=u32[32]:unset o=u32[32]
KERNEL global_read_modify(u *g, u *o) {
  EITHER(g[T] += 2, g[T] = 2); // A
  o[T] = g[T];
}
// unset-memory: 1 32 g=u64[16]:unset o=u64[16]
KERNEL global_upper_half(unsigned long long *g, unsigned long long *o) {
  if (T < 16) {
    ((u *)g)[2 * T] = T;
    FIX(((u *)g)[2 * T + 1] = 0;)
    o[T] = ((volatile unsigned long long *)g)[T]; // A
  }
}
// unset-register: 1 32 o=u32[32]
KERNEL value_register(u *o) {
  u v;
  asm volatile("{\n.reg .u32 t;\n" FIX("mov.u32 t, 5;\n") "add.u32 %0, t, 1;\n}" : "=r"(v)); // A
  o[T] = v;
}
// What stands in the branch keeps it one: a few instructions alone would become predicated.
#define BRANCH "\nld.volatile.global.u32 r, [%0];\nmembar.gl;\n"
// unset-register: 1 32 i=u32[32]:ramp o=u32[32]
KERNEL register_on_a_path(const u *i, u *o) {
  asm volatile("{\n.reg .u32 r, t;\n.reg .pred p;\nsetp.ge.u32 p, %1, " EITHER("16", "64") ";\n@p bra skip;" BRANCH "add.u32 t, %1, 7;\nskip:\nadd.u32 r, t, 1;\nst.global.u32 [%0], r;\n}" ::"l"(o + T), "r"(i[T]) : "memory"); // A
}
// unset-register: 1 32 i=u32[32]:ramp o=u32[33]
KERNEL address_register(const u *i, u *o) {
  asm volatile("{\n.reg .u32 r;\n.reg .u64 t;\n.reg .pred p;\nsetp.ge.u32 p, %1, " EITHER("16", "64") ";\n@p bra skip;" BRANCH "add.u64 t, %0, 4;\nskip:\ncvt.u32.u64 r, t;\nadd.u32 r, r, %1;\nst.global.u32 [%0], r;\n}" ::"l"(o + T), "r"(i[T]) : "memory"); // A
}
// unset-register: 1 32 o=u32[32]
KERNEL wide_register(u *o) {
  u v;
  asm volatile("{\n.reg .f64 d, e;\n" FIX("mov.f64 d, 0d3FF0000000000000;\n") "add.f64 e, d, d;\ncvt.rzi.u32.f64 %0, e;\n}" : "=r"(v)); // A
  o[T] = v;
}
