#include "pair.h"

// race-grid: 4 32 i=u32[128]:ramp o=u32[1]
KERNEL block_sums(const u *i, u *o) {
  if (T == 0)
    EITHER(*o += i[G], atomicAdd(o, i[G])); // A // B
}
// race-grid: 4 32 a=u32[129]:ramp o=u32[129]
KERNEL shift_in_place(u *a, u *o) {
  u v = a[G + 1]; // A
  EITHER(a, o)[G] = v * 5 + 1; // B
}
// race-grid: 4 64 c=u32[1] o=u32[256]
KERNEL ticket(u *c, u *o) {
  u t = EITHER((*c)++, atomicAdd(c, 1u)); // A // B
  o[t % 256] = EITHER(1, t); // A
}
// race-grid: 4 64 i=u32[256]:ramp part=u32[4] count=u32[1] o=u32[1]
KERNEL last_block_adds(const u *i, u *part, u *count, u *o) {
  __shared__ u last;
  if (T == 0) {
    part[blockIdx.x] = i[G] + 1; // A
    FIX(__threadfence();)
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && T == 0) {
    u sum = 0;
    for (u k = 0; k < gridDim.x; k++)
      sum += part[k]; // B
    *o = sum;
  }
}
// race-grid: 4 64 i=u32[256]:ramp part=u32[256] count=u32[1] o=u32[64]
KERNEL last_block_all_threads(const u *i, u *part, u *count, u *o) {
  __shared__ u last;
  part[G] = i[G] * 3; // A
  __threadfence();
  FIX(__syncthreads();)
  if (T == EITHER(63, 0))
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (last)
    o[T] = part[T] + part[64 + (T + 32) % 64]; // B
}
// race-grid: 4 32 l=u32[1] v=u32[1]
KERNEL lock(u *l, u *v) {
  if (T == 0) {
    while (atomicCAS(l, 0u, 1u) != 0)
      ;
    *v = *v * 2 + 1; // A // B
    FIX(__threadfence();)
    atomicExch(l, 0u);
  }
}
// race-grid: 2 32 data=u32[32] flag=u32[1] o=u32[32]
KERNEL message(u *data, volatile u *flag, u *o) {
  if (blockIdx.x == 0) {
    data[T] = T + 1; // A
    FIX(__threadfence();)
    if (T == 0)
      *flag = 1;
  } else {
    while (*flag == 0)
      ;
    o[T] = data[T]; // B
  }
}
// race-grid: 2 32 data=u32[32] flag=u32[1] o=u32[32]
KERNEL message_after_the_flag(u *data, volatile u *flag, u *o) {
  if (blockIdx.x == 0) {
    FIX(data[T] = T + 1;)
    __threadfence();
    if (T == 0)
      *flag = 1;
    BUG(data[T] = T + 1;) // A
  } else {
    while (*flag == 0)
      ;
    o[T] = data[T]; // B
  }
}
// race-grid: 2 32 data=u32[32] flag=u32[1] o=u32[32]
KERNEL fence_of_the_block_alone(u *data, volatile u *flag, u *o) {
  if (blockIdx.x == 0) {
    data[T] = T + 1; // A
    EITHER(__threadfence_block(), __threadfence());
    if (T == 0)
      *flag = 1;
  } else {
    while (*flag == 0)
      ;
    o[T] = data[T]; // B
  }
}
// race-grid: 4 32 f=u32[4] v=u32[4] i=u32[128]:ramp
KERNEL chain(volatile u *f, u *v, const u *i) {
  if (T == 0) {
    u before = 0;
    if (blockIdx.x > 0) {
      while (f[blockIdx.x - 1] == 0)
        ;
      before = v[blockIdx.x - 1]; // B
    }
    v[blockIdx.x] = before + i[G] + 1; // A
    FIX(__threadfence();)
    f[blockIdx.x] = 1;
  }
}
// race-grid: 4 32 i=u32[128]:ramp m=u32[1]
KERNEL guarded_maximum(const u *i, u *m) {
  EITHER(if (*m < i[G]) atomicMax(m, i[G]), if (*(volatile u *)m < i[G]) atomicMax(m, i[G])); // A // B
}
// race-grid: 4 32 i=u32[128]:ramp m=u32[1]
KERNEL maximum(const u *i, u *m) {
  EITHER(if (*m < i[G]) *m = i[G], atomicMax(m, i[G])); // A // B
}
// race-grid: 4 32 i=u32[128]:ramp n=u32[1] q=u32[128]
KERNEL queue(const u *i, u *n, u *q) {
  if (i[G] % 3 == 0) {
    u at = EITHER(*n, atomicAdd(n, 1u)); // A
    BUG(*n = at + 1;) // B
    q[at] = EITHER(7, i[G]); // A
  }
}
// race-grid: 4 32 i=u8[128]:ramp o=u8[16]
KERNEL bytes(const b *i, b *o) {
  o[EITHER(T % 16, G % 16)] = EITHER(i[G], 9); // A // B
}
// race-grid: 4 32 o=u32[32]
KERNEL same_element(u *o) {
  EITHER(, if (blockIdx.x == 0)) o[T] = G; // A // B
}
// race-grid: 4 32 i=f64[128]:ramp o=f64[1]
KERNEL double_sum(const double *i, double *o) {
  if (T == EITHER(0, 32))
    *o += i[G]; // A // B
}
// race-grid: 4 32 a=u32[128]:ramp s=u32[1]
KERNEL atomic_and_plain_write(u *a, u *s) {
  if (blockIdx.x == 3 && T == 0)
    EITHER(*s = 5, atomicExch(s, 5u)); // A
  else
    atomicAdd(s, a[G]); // B
}
// race-grid: 4 32 s=u32[1] o=u32[128]
KERNEL atomic_and_plain_read(u *s, u *o) {
  atomicAdd(s, 1u); // A
  o[G] = EITHER(*s, atomicAdd(s, 0u)); // B
}
// race-grid: 4 64 a=u32[256]:ramp o=u32[256]
KERNEL barrier_between_blocks(u *a, u *o) {
  a[G] = G * 7; // A
  __syncthreads();
  o[G] = a[EITHER((G + 64) % 256, G)]; // B
}
// race-grid: 4 32 c=u32[1] a=u32[128] o=u32[128]
KERNEL grid_barrier(u *c, u *a, u *o) {
  a[G] = G + 1; // A
  __syncthreads();
  if (T == 0) {
    FIX(__threadfence();)
    atomicAdd(c, 1u);
    while (atomicAdd(c, 0u) < gridDim.x)
      ;
  }
  __syncthreads();
  o[G] = a[127 - G]; // B
}
// race-grid: 2 32 p=u32[64]:ramp
KERNEL union_find(u *p) {
  u x = G, y = (G + 32) % 64;
  EITHER(p[max(x, y)] = min(x, y) + blockIdx.x, atomicMin(&p[max(x, y)], min(x, y))); // A // B
}
// race-block: 1 64 i=u32[64]:ramp a=u32[64] o=u32[64]
KERNEL global_exchange(const u *i, u *a, u *o) {
  a[T] = i[T] * 2 + 1; // A
  FIX(__syncthreads();)
  o[T] = a[63 - T]; // B
}
// race-block: 1 64 c=u32[1]
KERNEL global_counter(u *c) {
  if (T % 32 == 0)
    EITHER(*c += 1 + T, atomicAdd(c, 1 + T)); // A // B
}
// race-block: 1 64 i=u8[64]:ramp a=u8[64] o=u8[64]
KERNEL global_bytes(const b *i, b *a, b *o) {
  a[T] = i[T] + 1; // A
  FIX(__syncthreads();)
  o[T] = a[T ^ 32]; // B
}
// race-block: 1 64 f=u32[1] a=u32[32] o=u32[32]
KERNEL block_flag(volatile u *f, u *a, u *o) {
  if (T < 32) {
    a[T] = T * 9 + 1; // A
    FIX(__threadfence_block();)
    if (T == 0)
      *f = 1;
  } else {
    while (*f == 0)
      ;
    o[T - 32] = a[T - 32]; // B
  }
}
// race-grid: 8 32 d=u32[9]:fill(9) w=u32[8]:ramp
KERNEL relaxation(u *d, const u *w) {
  if (T == 0)
    EITHER(if (d[blockIdx.x] + w[blockIdx.x] < d[blockIdx.x + 1] + 9) d[blockIdx.x + 1] = d[blockIdx.x] + w[blockIdx.x], // A
           atomicMin(&d[blockIdx.x + 1], atomicMin(&d[blockIdx.x], ~0u) + w[blockIdx.x])); // A // B
}
// race-grid: 4 32 o=u64[1]
KERNEL half_of_a_double_word(unsigned long long *o) {
  if (T == 0 && blockIdx.x < 2)
    EITHER(*o = (unsigned long long)(blockIdx.x + 1) << 32, ((u *)o)[blockIdx.x] = 3); // A // B
}
