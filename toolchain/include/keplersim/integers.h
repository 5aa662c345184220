// Integer intrinsics: bit counting, wide products, shifts across two words, minima and maxima.
#pragma once

__KS_FN int __popc(unsigned int x) { return __builtin_popcount(x); }
__KS_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__KS_FN int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
__KS_FN int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
__KS_FN int __ffs(int x) { return __builtin_ffs(x); }
__KS_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
__KS_FN unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__KS_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

__KS_FN int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__KS_FN unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__KS_FN int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
__KS_FN unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a * b) >> 32); }
__KS_FN long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
__KS_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
__KS_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__KS_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__KS_FN unsigned int __uhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b) >> 1); }
__KS_FN unsigned int __urhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b + 1) >> 1); }

// The PTX instruction adds |a - b| to c in one step.
__KS_FN unsigned int __sad(int a, int b, unsigned int c) { return __nvvm_sad_i(a, b, c); }
__KS_FN unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return __nvvm_sad_ui(a, b, c); }
// Picks four bytes of the eight in (b, a) by the four nibbles of s.
__KS_FN unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s) { return __nvvm_prmt(a, b, s & 0x7777u); }
// Funnel shifts of the 64-bit word hi:lo; the count wraps at 32, or with _c is clamped to it.
__KS_FN unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n) {
  return n & 31 ? hi << (n & 31) | lo >> (32 - (n & 31)) : hi;
}
__KS_FN unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n) {
  return n & 31 ? hi << (32 - (n & 31)) | lo >> (n & 31) : lo;
}
__KS_FN unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int n) {
  return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
__KS_FN unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int n) {
  return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}

#define __KS_MINMAX(T)                                                                              \
  __KS_BOTH_FN T min(T a, T b) { return b < a ? b : a; }                                                 \
  __KS_BOTH_FN T max(T a, T b) { return a < b ? b : a; }
__KS_MINMAX(int)
__KS_MINMAX(unsigned int)
__KS_MINMAX(long)
__KS_MINMAX(unsigned long)
__KS_MINMAX(long long)
__KS_MINMAX(unsigned long long)
#undef __KS_MINMAX
// As in CUDA, a signed and an unsigned operand compare as unsigned.
__KS_BOTH_FN unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
__KS_BOTH_FN unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
__KS_BOTH_FN unsigned int max(int a, unsigned int b) { return max((unsigned int)a, b); }
__KS_BOTH_FN unsigned int max(unsigned int a, int b) { return max(a, (unsigned int)b); }
__KS_FN unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
__KS_FN unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
__KS_FN long long llmin(long long a, long long b) { return min(a, b); }
__KS_FN long long llmax(long long a, long long b) { return max(a, b); }
__KS_FN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
__KS_FN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

__KS_FN int abs(int x) { return x < 0 ? -x : x; }
__KS_FN long abs(long x) { return x < 0 ? -x : x; }
__KS_FN long long abs(long long x) { return x < 0 ? -x : x; }
__KS_FN long labs(long x) { return abs(x); }
__KS_FN long long llabs(long long x) { return abs(x); }
