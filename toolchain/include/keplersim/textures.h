// Texture and surface objects: reads of both and writes of surfaces, for char, short, int, long long (surfaces alone) and float, signed
// and unsigned, of 1, 2 and 4 elements.
#pragma once

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

// __ks_texel<T> says as what a texture instruction returns a T, and makes one of its components; __ks_surfel<T> does the same for
// surfaces, whose components keep their size.
template <typename _T> struct __ks_texel;
template <typename _T> struct __ks_surfel;

template <typename _E, typename _R> __KS_FN _E __ks_component(_R r) {
  if constexpr (sizeof(_E) == sizeof(_R)) return __builtin_bit_cast(_E, r);
  else return (_E)r;
}
template <typename _R, typename _E> __KS_FN _R __ks_raw(_E e) {
  if constexpr (sizeof(_E) == sizeof(_R)) return __builtin_bit_cast(_R, e);
  else return (_R)(unsigned char)e;
}

#define __KS_TEXELS(T, E, R)                                                                        \
  template <> struct __ks_texel<E> { typedef R part; __KS_FN static E of(const R (&v)[4]) { return (E)v[0]; } }; \
  template <> struct __ks_texel<T##1> { typedef R part; __KS_FN static T##1 of(const R (&v)[4]) { return make_##T##1((E)v[0]); } }; \
  template <> struct __ks_texel<T##2> { typedef R part; __KS_FN static T##2 of(const R (&v)[4]) { return make_##T##2((E)v[0], (E)v[1]); } }; \
  template <> struct __ks_texel<T##4> { typedef R part; __KS_FN static T##4 of(const R (&v)[4]) { return make_##T##4((E)v[0], (E)v[1], (E)v[2], (E)v[3]); } };
__KS_TEXELS(char, signed char, int)
__KS_TEXELS(uchar, unsigned char, unsigned int)
__KS_TEXELS(short, short, int)
__KS_TEXELS(ushort, unsigned short, unsigned int)
__KS_TEXELS(int, int, int)
__KS_TEXELS(uint, unsigned int, unsigned int)
__KS_TEXELS(float, float, float)
template <> struct __ks_texel<char> { typedef int part; __KS_FN static char of(const int (&v)[4]) { return (char)v[0]; } };
#undef __KS_TEXELS

#define __KS_SURFEL(T, E, R, N, OF, INTO)                                                           \
  template <> struct __ks_surfel<T> {                                                               \
    typedef R part;                                                                                 \
    enum { parts = N };                                                                             \
    __KS_FN static T of(const R (&v)[N]) { OF }                                                     \
    __KS_FN static void into(R (&v)[N], T t) { INTO }                                               \
  };
#define __KS_SURFELS_2(T, E, R)                                                                     \
  __KS_SURFEL(E, E, R, 1, return __ks_component<E>(v[0]);, v[0] = __ks_raw<R>(t);)                  \
  __KS_SURFEL(T##1, E, R, 1, return make_##T##1(__ks_component<E>(v[0]));, v[0] = __ks_raw<R>(t.x);) \
  __KS_SURFEL(T##2, E, R, 2, return make_##T##2(__ks_component<E>(v[0]), __ks_component<E>(v[1]));, v[0] = __ks_raw<R>(t.x); v[1] = __ks_raw<R>(t.y);)
#define __KS_SURFELS(T, E, R)                                                                       \
  __KS_SURFELS_2(T, E, R)                                                                           \
  __KS_SURFEL(T##4, E, R, 4,                                                                        \
    return make_##T##4(__ks_component<E>(v[0]), __ks_component<E>(v[1]), __ks_component<E>(v[2]), __ks_component<E>(v[3]));, \
    v[0] = __ks_raw<R>(t.x); v[1] = __ks_raw<R>(t.y); v[2] = __ks_raw<R>(t.z); v[3] = __ks_raw<R>(t.w);)
// Bytes travel in 16-bit registers, as PTX has none of 8 bits for asm; __ks_byte tells them from shorts.
struct __ks_byte { unsigned short bits; };
template <> __KS_FN __ks_byte __ks_raw<__ks_byte>(signed char e) { return {(unsigned char)e}; }
template <> __KS_FN __ks_byte __ks_raw<__ks_byte>(unsigned char e) { return {e}; }
template <> __KS_FN __ks_byte __ks_raw<__ks_byte>(char e) { return {(unsigned char)e}; }
template <> __KS_FN signed char __ks_component<signed char>(__ks_byte r) { return (signed char)r.bits; }
template <> __KS_FN unsigned char __ks_component<unsigned char>(__ks_byte r) { return (unsigned char)r.bits; }
template <> __KS_FN char __ks_component<char>(__ks_byte r) { return (char)r.bits; }
__KS_SURFELS(char, signed char, __ks_byte)
__KS_SURFELS(uchar, unsigned char, __ks_byte)
__KS_SURFELS(short, short, unsigned short)
__KS_SURFELS(ushort, unsigned short, unsigned short)
__KS_SURFELS(int, int, unsigned int)
__KS_SURFELS(uint, unsigned int, unsigned int)
__KS_SURFELS(float, float, unsigned int)
__KS_SURFELS_2(longlong, long long, unsigned long long)
__KS_SURFELS_2(ulonglong, unsigned long long, unsigned long long)
__KS_SURFEL(char, char, __ks_byte, 1, return __ks_component<char>(v[0]);, v[0] = __ks_raw<__ks_byte>(t);)
#undef __KS_SURFELS
#undef __KS_SURFELS_2
#undef __KS_SURFEL

#define __KS_P(...) __VA_ARGS__
// __KS_TEX(function, PTX form around the type, coordinates in PTX, parameters, asm inputs, arguments)
#define __KS_TEX_AS(NAME, HEAD, TAIL, WHERE, R, TYPE, CLASS, PARAMS, ...)                           \
  __KS_FN void __ks_##NAME(R (&v)[4], cudaTextureObject_t t, PARAMS) {                              \
    asm(HEAD TYPE TAIL " {%0, %1, %2, %3}, [%4, " WHERE ";"                                         \
        : "=" CLASS(v[0]), "=" CLASS(v[1]), "=" CLASS(v[2]), "=" CLASS(v[3]) : "l"(t), __VA_ARGS__); \
  }
#define __KS_TEX(NAME, HEAD, TAIL, WHERE, PARAMS, ARGS, ...)                                        \
  __KS_TEX_AS(NAME, HEAD, TAIL, WHERE, float, "f32", "f", __KS_P(PARAMS), __VA_ARGS__)           \
  __KS_TEX_AS(NAME, HEAD, TAIL, WHERE, int, "s32", "r", __KS_P(PARAMS), __VA_ARGS__)             \
  __KS_TEX_AS(NAME, HEAD, TAIL, WHERE, unsigned int, "u32", "r", __KS_P(PARAMS), __VA_ARGS__)    \
  template <typename _T> __KS_FN _T NAME(cudaTextureObject_t t, PARAMS) {                           \
    typename __ks_texel<_T>::part v[4];                                                             \
    __ks_##NAME(v, t, ARGS);                                                                        \
    return __ks_texel<_T>::of(v);                                                                   \
  }                                                                                                 \
  template <typename _T> __KS_FN void NAME(_T *to, cudaTextureObject_t t, PARAMS) { *to = NAME<_T>(t, ARGS); }

__KS_TEX(tex1Dfetch, "tex.1d.v4.", ".s32", "{%5}]", int x, x, "r"(x))
__KS_TEX(tex1D, "tex.1d.v4.", ".f32", "{%5}]", float x, x, "f"(x))
__KS_TEX(tex2D, "tex.2d.v4.", ".f32", "{%5, %6}]", __KS_P(float x, float y), __KS_P(x, y), "f"(x), "f"(y))
__KS_TEX(tex3D, "tex.3d.v4.", ".f32", "{%5, %6, %7, %7}]", __KS_P(float x, float y, float z), __KS_P(x, y, z), "f"(x), "f"(y), "f"(z))
__KS_TEX(tex1DLayered, "tex.a1d.v4.", ".f32", "{%5, %6}]", __KS_P(float x, int layer), __KS_P(x, layer), "r"(layer), "f"(x))
__KS_TEX(tex2DLayered, "tex.a2d.v4.", ".f32", "{%5, %6, %7, %7}]", __KS_P(float x, float y, int layer), __KS_P(x, y, layer), "r"(layer), "f"(x), "f"(y))
__KS_TEX(texCubemap, "tex.cube.v4.", ".f32", "{%5, %6, %7, %7}]", __KS_P(float x, float y, float z), __KS_P(x, y, z), "f"(x), "f"(y), "f"(z))
__KS_TEX(texCubemapLayered, "tex.acube.v4.", ".f32", "{%5, %6, %7, %8}]", __KS_P(float x, float y, float z, int layer), __KS_P(x, y, z, layer), "r"(layer),
         "f"(x), "f"(y), "f"(z))
__KS_TEX(tex1DLod, "tex.level.1d.v4.", ".f32", "{%5}], %6", __KS_P(float x, float level), __KS_P(x, level), "f"(x), "f"(level))
__KS_TEX(tex2DLod, "tex.level.2d.v4.", ".f32", "{%5, %6}], %7", __KS_P(float x, float y, float level), __KS_P(x, y, level), "f"(x), "f"(y), "f"(level))
__KS_TEX(tex3DLod, "tex.level.3d.v4.", ".f32", "{%5, %6, %7, %7}], %8", __KS_P(float x, float y, float z, float level), __KS_P(x, y, z, level), "f"(x), "f"(y),
         "f"(z), "f"(level))
__KS_TEX(__ks_gather0, "tld4.r.2d.v4.", ".f32", "{%5, %6}]", __KS_P(float x, float y), __KS_P(x, y), "f"(x), "f"(y))
__KS_TEX(__ks_gather1, "tld4.g.2d.v4.", ".f32", "{%5, %6}]", __KS_P(float x, float y), __KS_P(x, y), "f"(x), "f"(y))
__KS_TEX(__ks_gather2, "tld4.b.2d.v4.", ".f32", "{%5, %6}]", __KS_P(float x, float y), __KS_P(x, y), "f"(x), "f"(y))
__KS_TEX(__ks_gather3, "tld4.a.2d.v4.", ".f32", "{%5, %6}]", __KS_P(float x, float y), __KS_P(x, y), "f"(x), "f"(y))
#undef __KS_TEX
#undef __KS_TEX_AS
// What names a level of detail or how coordinates change from lane to lane reads the only level that there is.
#define __KS_ONE_LEVEL(DO)                                                                          \
  DO(tex1DGrad, tex1D, cudaTextureType1D, __KS_P(float x, float, float), x)                         \
  DO(tex2DGrad, tex2D, cudaTextureType2D, __KS_P(float x, float y, float2, float2), __KS_P(x, y))   \
  DO(tex3DGrad, tex3D, cudaTextureType3D, __KS_P(float x, float y, float z, float4, float4), __KS_P(x, y, z)) \
  DO(tex1DLayeredLod, tex1DLayered, cudaTextureType1DLayered, __KS_P(float x, int layer, float), __KS_P(x, layer)) \
  DO(tex1DLayeredGrad, tex1DLayered, cudaTextureType1DLayered, __KS_P(float x, int layer, float, float), __KS_P(x, layer)) \
  DO(tex2DLayeredLod, tex2DLayered, cudaTextureType2DLayered, __KS_P(float x, float y, int layer, float), __KS_P(x, y, layer)) \
  DO(tex2DLayeredGrad, tex2DLayered, cudaTextureType2DLayered, __KS_P(float x, float y, int layer, float2, float2), __KS_P(x, y, layer)) \
  DO(texCubemapLod, texCubemap, cudaTextureTypeCubemap, __KS_P(float x, float y, float z, float), __KS_P(x, y, z)) \
  DO(texCubemapGrad, texCubemap, cudaTextureTypeCubemap, __KS_P(float x, float y, float z, float4, float4), __KS_P(x, y, z)) \
  DO(texCubemapLayeredLod, texCubemapLayered, cudaTextureTypeCubemapLayered, __KS_P(float x, float y, float z, int layer, float), \
     __KS_P(x, y, z, layer))                                                                        \
  DO(texCubemapLayeredGrad, texCubemapLayered, cudaTextureTypeCubemapLayered, __KS_P(float x, float y, float z, int layer, float4, float4), \
     __KS_P(x, y, z, layer))
#define __KS_TEX_LEVEL(NAME, PLAIN, TYPE, PARAMS, ARGS)                                             \
  template <typename _T> __KS_FN _T NAME(cudaTextureObject_t t, PARAMS) { return PLAIN<_T>(t, ARGS); } \
  template <typename _T> __KS_FN void NAME(_T *to, cudaTextureObject_t t, PARAMS) { *to = PLAIN<_T>(t, ARGS); }
__KS_ONE_LEVEL(__KS_TEX_LEVEL)
#undef __KS_TEX_LEVEL
template <typename _T> __KS_FN _T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) {
  switch (component) {
  case 1: return __ks_gather1<_T>(t, x, y);
  case 2: return __ks_gather2<_T>(t, x, y);
  case 3: return __ks_gather3<_T>(t, x, y);
  default: return __ks_gather0<_T>(t, x, y);
  }
}

// Surfaces: one asm statement for each geometry, boundary mode, size and number of parts. The modes are types, so that they choose an overload.
struct __ks_zero {};
struct __ks_clamp {};
struct __ks_trap {};

#define __KS_SURF_N(N, V, LIST, OUT, IN, NAME, GEOM, WHERE, MODE, R, B, PARAMS, ...)                \
  __KS_FN void __ks_read_##NAME(R (&v)[N], __ks_##MODE, cudaSurfaceObject_t s, PARAMS) {            \
    asm volatile("suld.b." GEOM V B "." #MODE " " LIST ", [%[s], " WHERE "];" : OUT : [s] "l"(s), __VA_ARGS__ : "memory"); \
  }                                                                                                 \
  __KS_FN void __ks_write_##NAME(const R (&v)[N], __ks_##MODE, cudaSurfaceObject_t s, PARAMS) {     \
    asm volatile("sust.b." GEOM V B "." #MODE " [%[s], " WHERE "], " LIST ";" : : IN, [s] "l"(s), __VA_ARGS__ : "memory"); \
  }
#define __KS_SURF_2(R, B, C, F, NAME, GEOM, WHERE, MODE, PARAMS, ...)                               \
  __KS_SURF_N(1, "", "%[a]", [a] "=" C(v[0] F), [a] C(v[0] F), NAME, GEOM, WHERE, MODE, R, B, __KS_P(PARAMS), __VA_ARGS__) \
  __KS_SURF_N(2, ".v2", "{%[a], %[b]}", __KS_P([a] "=" C(v[0] F), [b] "=" C(v[1] F)), __KS_P([a] C(v[0] F), [b] C(v[1] F)), NAME, GEOM, WHERE, MODE, R, B, __KS_P(PARAMS), __VA_ARGS__)
#define __KS_SURF_4(R, B, C, F, NAME, GEOM, WHERE, MODE, PARAMS, ...)                               \
  __KS_SURF_2(R, B, C, F, NAME, GEOM, WHERE, MODE, __KS_P(PARAMS), __VA_ARGS__)                     \
  __KS_SURF_N(4, ".v4", "{%[a], %[b], %[c], %[d]}", __KS_P([a] "=" C(v[0] F), [b] "=" C(v[1] F), [c] "=" C(v[2] F), [d] "=" C(v[3] F)), \
              __KS_P([a] C(v[0] F), [b] C(v[1] F), [c] C(v[2] F), [d] C(v[3] F)), NAME, GEOM, WHERE, MODE, R, B, __KS_P(PARAMS), __VA_ARGS__)
#define __KS_SURF_MODE(NAME, GEOM, WHERE, MODE, PARAMS, ...)                                        \
  __KS_SURF_4(__ks_byte, ".b8", "h", .bits, NAME, GEOM, WHERE, MODE, __KS_P(PARAMS), __VA_ARGS__)   \
  __KS_SURF_4(unsigned short, ".b16", "h", , NAME, GEOM, WHERE, MODE, __KS_P(PARAMS), __VA_ARGS__)  \
  __KS_SURF_4(unsigned int, ".b32", "r", , NAME, GEOM, WHERE, MODE, __KS_P(PARAMS), __VA_ARGS__)    \
  __KS_SURF_2(unsigned long long, ".b64", "l", , NAME, GEOM, WHERE, MODE, __KS_P(PARAMS), __VA_ARGS__)
// __KS_SURF(CUDA's name, PTX geometry, coordinates in PTX, parameters, arguments, asm inputs)
#define __KS_SURF(NAME, GEOM, WHERE, PARAMS, ARGS, ...)                                             \
  __KS_SURF_MODE(NAME, GEOM, WHERE, zero, __KS_P(PARAMS), __VA_ARGS__)                              \
  __KS_SURF_MODE(NAME, GEOM, WHERE, clamp, __KS_P(PARAMS), __VA_ARGS__)                             \
  __KS_SURF_MODE(NAME, GEOM, WHERE, trap, __KS_P(PARAMS), __VA_ARGS__)                              \
  template <typename _T> __KS_FN _T NAME##read(cudaSurfaceObject_t s, PARAMS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    typename __ks_surfel<_T>::part v[__ks_surfel<_T>::parts];                                       \
    if (mode == cudaBoundaryModeZero) __ks_read_##NAME(v, __ks_zero(), s, ARGS);                    \
    else if (mode == cudaBoundaryModeClamp) __ks_read_##NAME(v, __ks_clamp(), s, ARGS);             \
    else __ks_read_##NAME(v, __ks_trap(), s, ARGS);                                                 \
    return __ks_surfel<_T>::of(v);                                                                  \
  }                                                                                                 \
  template <typename _T> __KS_FN void NAME##read(_T *to, cudaSurfaceObject_t s, PARAMS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    *to = NAME##read<_T>(s, ARGS, mode);                                                            \
  }                                                                                                 \
  template <typename _T> __KS_FN void NAME##write(_T t, cudaSurfaceObject_t s, PARAMS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    typename __ks_surfel<_T>::part v[__ks_surfel<_T>::parts];                                       \
    __ks_surfel<_T>::into(v, t);                                                                    \
    if (mode == cudaBoundaryModeZero) __ks_write_##NAME(v, __ks_zero(), s, ARGS);                   \
    else if (mode == cudaBoundaryModeClamp) __ks_write_##NAME(v, __ks_clamp(), s, ARGS);            \
    else __ks_write_##NAME(v, __ks_trap(), s, ARGS);                                                \
  }

__KS_SURF(surf1D, "1d", "{%[x]}", int x, x, [x] "r"(x))
__KS_SURF(surf2D, "2d", "{%[x], %[y]}", __KS_P(int x, int y), __KS_P(x, y), [x] "r"(x), [y] "r"(y))
__KS_SURF(surf3D, "3d", "{%[x], %[y], %[z], %[z]}", __KS_P(int x, int y, int z), __KS_P(x, y, z), [x] "r"(x), [y] "r"(y), [z] "r"(z))
__KS_SURF(surf1DLayered, "a1d", "{%[l], %[x]}", __KS_P(int x, int layer), __KS_P(x, layer), [x] "r"(x), [l] "r"(layer))
__KS_SURF(surf2DLayered, "a2d", "{%[l], %[x], %[y], %[y]}", __KS_P(int x, int y, int layer), __KS_P(x, y, layer), [x] "r"(x), [y] "r"(y), [l] "r"(layer))
__KS_SURF(surfCubemap, "a2d", "{%[l], %[x], %[y], %[y]}", __KS_P(int x, int y, int face), __KS_P(x, y, face), [x] "r"(x), [y] "r"(y), [l] "r"(face))
__KS_SURF(surfCubemapLayered, "a2d", "{%[l], %[x], %[y], %[y]}", __KS_P(int x, int y, int face_of_all), __KS_P(x, y, face_of_all), [x] "r"(x), [y] "r"(y),
          [l] "r"(face_of_all))
#undef __KS_SURF
#undef __KS_SURF_MODE
#undef __KS_SURF_4
#undef __KS_SURF_2
#undef __KS_SURF_N
#undef __KS_P
