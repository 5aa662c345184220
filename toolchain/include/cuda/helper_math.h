// The arithmetic on vector types that NVIDIA's samples bring along in helper_math.h: operators member by member, and what geometry needs.
#pragma once
#include "cuda_runtime.h"
#ifndef __CUDA__
#include <math.h>
__KS_BOTH_FN int min(int a, int b) { return a < b ? a : b; }
__KS_BOTH_FN int max(int a, int b) { return a > b ? a : b; }
__KS_BOTH_FN unsigned int min(unsigned int a, unsigned int b) { return a < b ? a : b; }
__KS_BOTH_FN unsigned int max(unsigned int a, unsigned int b) { return a > b ? a : b; }
__KS_BOTH_FN float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#endif

// __KS_OPERATOR(operator, type's name, members, element): vector and vector, vector and number, number and vector, and the assigning ones.
#define __KS_OPERATOR(O, T, N, E)                                                                   \
  __KS_BOTH_FN T##N operator O(T##N a, T##N b) { return __ks_zip(a, b, [](E p, E q) -> E { return p O q; }); } \
  __KS_BOTH_FN T##N operator O(T##N a, E b) { return __ks_zip(a, make_##T##N(b), [](E p, E q) -> E { return p O q; }); } \
  __KS_BOTH_FN T##N operator O(E a, T##N b) { return __ks_zip(make_##T##N(a), b, [](E p, E q) -> E { return p O q; }); } \
  __KS_BOTH_FN void operator O##=(T##N &a, T##N b) { a = a O b; }                                        \
  __KS_BOTH_FN void operator O##=(T##N &a, E b) { a = a O b; }

#define __KS_ZIP(T, E)                                                                              \
  template <typename _F> __KS_BOTH_FN T##2 __ks_zip(T##2 a, T##2 b, _F f) { return make_##T##2(f(a.x, b.x), f(a.y, b.y)); } \
  template <typename _F> __KS_BOTH_FN T##3 __ks_zip(T##3 a, T##3 b, _F f) { return make_##T##3(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); } \
  template <typename _F> __KS_BOTH_FN T##4 __ks_zip(T##4 a, T##4 b, _F f) { return make_##T##4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)); }

// Vectors of a number, of a shorter or longer vector, and of the other types.
#define __KS_MAKE(T, E)                                                                             \
  __KS_BOTH_FN T##2 make_##T##2(E s) { return make_##T##2(s, s); }                                       \
  __KS_BOTH_FN T##3 make_##T##3(E s) { return make_##T##3(s, s, s); }                                    \
  __KS_BOTH_FN T##4 make_##T##4(E s) { return make_##T##4(s, s, s, s); }                                 \
  __KS_BOTH_FN T##2 make_##T##2(T##3 a) { return make_##T##2(a.x, a.y); }                                \
  __KS_BOTH_FN T##2 make_##T##2(T##4 a) { return make_##T##2(a.x, a.y); }                                \
  __KS_BOTH_FN T##3 make_##T##3(T##2 a) { return make_##T##3(a.x, a.y, 0); }                             \
  __KS_BOTH_FN T##3 make_##T##3(T##2 a, E s) { return make_##T##3(a.x, a.y, s); }                        \
  __KS_BOTH_FN T##3 make_##T##3(T##4 a) { return make_##T##3(a.x, a.y, a.z); }                           \
  __KS_BOTH_FN T##4 make_##T##4(T##3 a) { return make_##T##4(a.x, a.y, a.z, 0); }                        \
  __KS_BOTH_FN T##4 make_##T##4(T##3 a, E s) { return make_##T##4(a.x, a.y, a.z, s); }
#define __KS_CONVERT(T, E, FROM)                                                                    \
  __KS_BOTH_FN T##2 make_##T##2(FROM##2 a) { return make_##T##2((E)a.x, (E)a.y); }                       \
  __KS_BOTH_FN T##3 make_##T##3(FROM##3 a) { return make_##T##3((E)a.x, (E)a.y, (E)a.z); }               \
  __KS_BOTH_FN T##4 make_##T##4(FROM##4 a) { return make_##T##4((E)a.x, (E)a.y, (E)a.z, (E)a.w); }
#define __KS_ARITHMETIC(T, N, E)                                                                    \
  __KS_OPERATOR(+, T, N, E)                                                                         \
  __KS_OPERATOR(-, T, N, E)                                                                         \
  __KS_OPERATOR(*, T, N, E)                                                                         \
  __KS_OPERATOR(/, T, N, E)
#define __KS_VECTORS(T, E)                                                                          \
  __KS_MAKE(T, E)                                                                                   \
  __KS_ZIP(T, E)                                                                                    \
  __KS_ARITHMETIC(T, 2, E)                                                                          \
  __KS_ARITHMETIC(T, 3, E)                                                                          \
  __KS_ARITHMETIC(T, 4, E)
__KS_VECTORS(float, float)
__KS_VECTORS(int, int)
__KS_VECTORS(uint, unsigned int)
__KS_CONVERT(float, float, int)
__KS_CONVERT(float, float, uint)
__KS_CONVERT(int, int, float)
__KS_CONVERT(int, int, uint)
__KS_CONVERT(uint, unsigned int, int)
__KS_CONVERT(uint, unsigned int, float)

// Negation, least, greatest, and bounds, for each width.
#define __KS_BOUNDS(T, N, E, LEAST, GREATEST)                                                       \
  __KS_BOTH_FN T##N LEAST(T##N a, T##N b) { return __ks_zip(a, b, [](E p, E q) { return p < q ? p : q; }); } \
  __KS_BOTH_FN T##N GREATEST(T##N a, T##N b) { return __ks_zip(a, b, [](E p, E q) { return p < q ? q : p; }); } \
  __KS_BOTH_FN T##N clamp(T##N v, T##N a, T##N b) { return GREATEST(a, LEAST(v, b)); }                   \
  __KS_BOTH_FN T##N clamp(T##N v, E a, E b) { return clamp(v, make_##T##N(a), make_##T##N(b)); }
#define __KS_NEGATE(T, N, E) __KS_BOTH_FN T##N operator-(T##N a) { return __ks_zip(a, a, [](E p, E) { return -p; }); }
#define __KS_SIGNED(N)                                                                              \
  __KS_NEGATE(float, N, float)                                                                      \
  __KS_NEGATE(int, N, int)                                                                          \
  __KS_BOUNDS(float, N, float, fminf, fmaxf)                                                        \
  __KS_BOUNDS(int, N, int, min, max)                                                                \
  __KS_BOUNDS(uint, N, unsigned int, min, max)
__KS_SIGNED(2)
__KS_SIGNED(3)
__KS_SIGNED(4)
__KS_BOTH_FN float clamp(float v, float a, float b) { return fmaxf(a, fminf(v, b)); }
__KS_BOTH_FN int clamp(int v, int a, int b) { return max(a, min(v, b)); }
__KS_BOTH_FN unsigned int clamp(unsigned int v, unsigned int a, unsigned int b) { return max(a, min(v, b)); }

#define __KS_DOT(T, E)                                                                              \
  __KS_BOTH_FN E dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                                   \
  __KS_BOTH_FN E dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                       \
  __KS_BOTH_FN E dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__KS_DOT(float, float)
__KS_DOT(int, int)
__KS_DOT(uint, unsigned int)

__KS_BOTH_FN float lerp(float a, float b, float t) { return a + t * (b - a); }
__KS_BOTH_FN float fracf(float v) { return v - floorf(v); }
__KS_BOTH_FN float smoothstep(float a, float b, float x) { float y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y); }
#define __KS_GEOMETRY(T)                                                                            \
  __KS_BOTH_FN float length(T v) { return sqrtf(dot(v, v)); }                                            \
  __KS_BOTH_FN T normalize(T v) { return v * rsqrtf(dot(v, v)); }                                        \
  __KS_BOTH_FN T lerp(T a, T b, float t) { return a + t * (b - a); }                                     \
  __KS_BOTH_FN T floorf(T v) { return __ks_zip(v, v, [](float p, float) { return floorf(p); }); }        \
  __KS_BOTH_FN T fabs(T v) { return __ks_zip(v, v, [](float p, float) { return fabsf(p); }); }           \
  __KS_BOTH_FN T fracf(T v) { return v - floorf(v); }                                                    \
  __KS_BOTH_FN T fmodf(T a, T b) { return __ks_zip(a, b, [](float p, float q) { return fmodf(p, q); }); }
__KS_GEOMETRY(float2)
__KS_GEOMETRY(float3)
__KS_GEOMETRY(float4)
__KS_BOTH_FN float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__KS_BOTH_FN float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }

#undef __KS_OPERATOR
#undef __KS_ZIP
#undef __KS_MAKE
#undef __KS_CONVERT
#undef __KS_ARITHMETIC
#undef __KS_VECTORS
#undef __KS_BOUNDS
#undef __KS_NEGATE
#undef __KS_SIGNED
#undef __KS_DOT
#undef __KS_GEOMETRY
