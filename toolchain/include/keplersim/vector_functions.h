// make_TYPE(...) of CUDA's vector types. In plain C and C++ they come with cuda_runtime.h, not with the headers that have the types alone:
// programs of the driver API define their own.
#pragma once
#include "keplersim/vectors.h"
#define __KS_MAKE_VECTORS(N, T, A2, A4)                                                             \
  __KS_BOTH_FN N##1 make_##N##1(T x) { N##1 v = {x}; return v; }                                         \
  __KS_BOTH_FN N##2 make_##N##2(T x, T y) { N##2 v = {x, y}; return v; }                                 \
  __KS_BOTH_FN N##3 make_##N##3(T x, T y, T z) { N##3 v = {x, y, z}; return v; }                         \
  __KS_BOTH_FN N##4 make_##N##4(T x, T y, T z, T w) { N##4 v = {x, y, z, w}; return v; }
__KS_EACH_VECTOR(__KS_MAKE_VECTORS)
#undef __KS_MAKE_VECTORS
