// Two 16-bit or four 8-bit numbers in a word. Kepler does these in one instruction: PTX's SIMD video instructions.
#pragma once

#define __KS_VIDEO(NAME, OP)                                                                        \
  __KS_FN unsigned int NAME(unsigned int a, unsigned int b) {                                       \
    unsigned int d;                                                                                 \
    asm(OP " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0));                                  \
    return d;                                                                                       \
  }
// vset leaves 1 in each part where the comparison holds; the comparisons of CUDA leave all its bits.
#define __KS_VIDEO_COMPARE(NAME, N, BITS, TYPES, OP)                                                \
  __KS_VIDEO(__vset##NAME##N, "vset" #N "." TYPES "." #OP)                                          \
  __KS_FN unsigned int __vcmp##NAME##N(unsigned int a, unsigned int b) { return __vset##NAME##N(a, b) * BITS; }

#define __KS_VIDEO_ALL(N, BITS)                                                                     \
  __KS_VIDEO(__vadd##N, "vadd" #N ".u32.u32.u32")                                                   \
  __KS_VIDEO(__vaddss##N, "vadd" #N ".s32.s32.s32.sat")                                             \
  __KS_VIDEO(__vaddus##N, "vadd" #N ".u32.u32.u32.sat")                                             \
  __KS_VIDEO(__vsub##N, "vsub" #N ".u32.u32.u32")                                                   \
  __KS_VIDEO(__vsubss##N, "vsub" #N ".s32.s32.s32.sat")                                             \
  __KS_VIDEO(__vsubus##N, "vsub" #N ".u32.u32.u32.sat")                                             \
  __KS_VIDEO(__vavgs##N, "vavrg" #N ".s32.s32.s32")                                                 \
  __KS_VIDEO(__vavgu##N, "vavrg" #N ".u32.u32.u32")                                                 \
  __KS_VIDEO(__vabsdiffs##N, "vabsdiff" #N ".s32.s32.s32")                                          \
  __KS_VIDEO(__vabsdiffu##N, "vabsdiff" #N ".u32.u32.u32")                                          \
  __KS_VIDEO(__vsads##N, "vabsdiff" #N ".u32.s32.s32.add")                                          \
  __KS_VIDEO(__vsadu##N, "vabsdiff" #N ".u32.u32.u32.add")                                          \
  __KS_VIDEO(__vmaxs##N, "vmax" #N ".s32.s32.s32")                                                  \
  __KS_VIDEO(__vmaxu##N, "vmax" #N ".u32.u32.u32")                                                  \
  __KS_VIDEO(__vmins##N, "vmin" #N ".s32.s32.s32")                                                  \
  __KS_VIDEO(__vminu##N, "vmin" #N ".u32.u32.u32")                                                  \
  __KS_VIDEO(__ks_vabsss##N, "vabsdiff" #N ".s32.s32.s32.sat")                                      \
  __KS_FN unsigned int __vabs##N(unsigned int a) { return __vabsdiffs##N(a, 0); }                   \
  __KS_FN unsigned int __vabsss##N(unsigned int a) { return __ks_vabsss##N(a, 0); }                 \
  __KS_FN unsigned int __vneg##N(unsigned int a) { return __vsub##N(0, a); }                        \
  __KS_FN unsigned int __vnegss##N(unsigned int a) { return __vsubss##N(0, a); }                    \
  __KS_VIDEO_COMPARE(eq, N, BITS, "u32.u32", eq)                                                    \
  __KS_VIDEO_COMPARE(ne, N, BITS, "u32.u32", ne)                                                    \
  __KS_VIDEO_COMPARE(gts, N, BITS, "s32.s32", gt)                                                   \
  __KS_VIDEO_COMPARE(ges, N, BITS, "s32.s32", ge)                                                   \
  __KS_VIDEO_COMPARE(lts, N, BITS, "s32.s32", lt)                                                   \
  __KS_VIDEO_COMPARE(les, N, BITS, "s32.s32", le)                                                   \
  __KS_VIDEO_COMPARE(gtu, N, BITS, "u32.u32", gt)                                                   \
  __KS_VIDEO_COMPARE(geu, N, BITS, "u32.u32", ge)                                                   \
  __KS_VIDEO_COMPARE(ltu, N, BITS, "u32.u32", lt)                                                   \
  __KS_VIDEO_COMPARE(leu, N, BITS, "u32.u32", le)
__KS_VIDEO_ALL(2, 0xffffu)
__KS_VIDEO_ALL(4, 0xffu)
#undef __KS_VIDEO_ALL
#undef __KS_VIDEO_COMPARE
#undef __KS_VIDEO

// The average that rounds down: what both have, and half of what one has.
__KS_FN unsigned int __vhaddu2(unsigned int a, unsigned int b) { return (a & b) + ((a ^ b) >> 1 & 0x7fff7fffu); }
__KS_FN unsigned int __vhaddu4(unsigned int a, unsigned int b) { return (a & b) + ((a ^ b) >> 1 & 0x7f7f7f7fu); }
