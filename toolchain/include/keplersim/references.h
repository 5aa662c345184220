// Texture and surface references, as programs had them before there were objects: variables of texture<T, type, mode> and surface<void, type>.
// Each becomes a .texref or .surfref of its name, to which the workload file binds a buffer. What the host sets in them is not looked at.
#pragma once

enum {
  cudaTextureType1D = 0x01, cudaTextureType2D = 0x02, cudaTextureType3D = 0x03, cudaTextureTypeCubemap = 0x0c,
  cudaTextureType1DLayered = 0xf1, cudaTextureType2DLayered = 0xf2, cudaTextureTypeCubemapLayered = 0xfc,
  cudaSurfaceType1D = 0x01, cudaSurfaceType2D = 0x02, cudaSurfaceType3D = 0x03, cudaSurfaceType1DLayered = 0xf1, cudaSurfaceType2DLayered = 0xf2,
  cudaSurfaceTypeCubemap = 0x0c, cudaSurfaceTypeCubemapLayered = 0xfc
};

template <typename _T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
  texture(int normal = 0, cudaTextureFilterMode filter = cudaFilterModePoint, cudaTextureAddressMode address = cudaAddressModeClamp)
      : texture(normal, filter, address, cudaCreateChannelDesc<_T>()) {}
  texture(int normal, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc channels)
      : textureReference{normal, filter, {address, address, address}, channels, 0, 0} {}
};
template <typename _T, int type> struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
  surface() {}
};

// What is read: the elements, or floats for whole numbers of 8 and 16 bits.
template <typename _T, cudaTextureReadMode mode> struct __ks_read { typedef _T type; };
#define __KS_NORMALIZED(T, E)                                                                       \
  template <> struct __ks_read<E, cudaReadModeNormalizedFloat> { typedef float type; };             \
  template <> struct __ks_read<T##1, cudaReadModeNormalizedFloat> { typedef float1 type; };         \
  template <> struct __ks_read<T##2, cudaReadModeNormalizedFloat> { typedef float2 type; };         \
  template <> struct __ks_read<T##4, cudaReadModeNormalizedFloat> { typedef float4 type; };
__KS_NORMALIZED(char, signed char)
__KS_NORMALIZED(uchar, unsigned char)
__KS_NORMALIZED(short, short)
__KS_NORMALIZED(ushort, unsigned short)
template <> struct __ks_read<char, cudaReadModeNormalizedFloat> { typedef float type; };
#undef __KS_NORMALIZED

// Inside device code a reference is its handle; clang has no other way to say so.
#define __KS_REFERENCE_FN static __inline__ __attribute__((device, always_inline, unused))
template <typename _R> __KS_REFERENCE_FN unsigned long long __ks_handle(_R reference) {
  unsigned long long handle;
  asm("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
  return handle;
}

#define __KS_P(...) __VA_ARGS__
#define __KS_FETCH(NAME, TYPE, PARAMS, ARGS)                                                        \
  template <typename _T, cudaTextureReadMode _M>                                                    \
  __KS_REFERENCE_FN typename __ks_read<_T, _M>::type NAME(texture<_T, TYPE, _M> t, PARAMS) {        \
    return NAME<typename __ks_read<_T, _M>::type>(__ks_handle(t), ARGS);                            \
  }
__KS_FETCH(tex1Dfetch, cudaTextureType1D, int x, x)
__KS_FETCH(tex1D, cudaTextureType1D, float x, x)
__KS_FETCH(tex2D, cudaTextureType2D, __KS_P(float x, float y), __KS_P(x, y))
__KS_FETCH(tex3D, cudaTextureType3D, __KS_P(float x, float y, float z), __KS_P(x, y, z))
__KS_FETCH(tex1DLayered, cudaTextureType1DLayered, __KS_P(float x, int layer), __KS_P(x, layer))
__KS_FETCH(tex2DLayered, cudaTextureType2DLayered, __KS_P(float x, float y, int layer), __KS_P(x, y, layer))
__KS_FETCH(texCubemap, cudaTextureTypeCubemap, __KS_P(float x, float y, float z), __KS_P(x, y, z))
__KS_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, __KS_P(float x, float y, float z, int layer), __KS_P(x, y, z, layer))
__KS_FETCH(tex1DLod, cudaTextureType1D, __KS_P(float x, float level), __KS_P(x, level))
__KS_FETCH(tex2DLod, cudaTextureType2D, __KS_P(float x, float y, float level), __KS_P(x, y, level))
__KS_FETCH(tex3DLod, cudaTextureType3D, __KS_P(float x, float y, float z, float level), __KS_P(x, y, z, level))
#define __KS_FETCH_LEVEL(NAME, PLAIN, TYPE, PARAMS, ARGS)                                           \
  template <typename _T, cudaTextureReadMode _M>                                                    \
  __KS_REFERENCE_FN typename __ks_read<_T, _M>::type NAME(texture<_T, TYPE, _M> t, PARAMS) { return PLAIN(t, ARGS); }
__KS_ONE_LEVEL(__KS_FETCH_LEVEL)
#undef __KS_FETCH_LEVEL
#undef __KS_ONE_LEVEL
#undef __KS_FETCH

#define __KS_SURFACE(NAME, TYPE, PARAMS, ARGS)                                                      \
  template <typename _T> __KS_REFERENCE_FN _T NAME##read(surface<void, TYPE> s, PARAMS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    return NAME##read<_T>(__ks_handle(s), ARGS, mode);                                              \
  }                                                                                                 \
  template <typename _T> __KS_REFERENCE_FN void NAME##read(_T *to, surface<void, TYPE> s, PARAMS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    *to = NAME##read<_T>(__ks_handle(s), ARGS, mode);                                               \
  }                                                                                                 \
  template <typename _T> __KS_REFERENCE_FN void NAME##write(_T t, surface<void, TYPE> s, PARAMS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    NAME##write<_T>(t, __ks_handle(s), ARGS, mode);                                                 \
  }
__KS_SURFACE(surf1D, cudaSurfaceType1D, int x, x)
__KS_SURFACE(surf2D, cudaSurfaceType2D, __KS_P(int x, int y), __KS_P(x, y))
__KS_SURFACE(surf3D, cudaSurfaceType3D, __KS_P(int x, int y, int z), __KS_P(x, y, z))
__KS_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, __KS_P(int x, int layer), __KS_P(x, layer))
__KS_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, __KS_P(int x, int y, int face), __KS_P(x, y, face))
__KS_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, __KS_P(int x, int y, int face), __KS_P(x, y, face))
__KS_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, __KS_P(int x, int y, int layer), __KS_P(x, y, layer))
#undef __KS_SURFACE
#undef __KS_P
#undef __KS_REFERENCE_FN

// The host's part: bindings of a reference to memory. The element's type says how it is read.
template <typename _T, int _D, cudaTextureReadMode _M> constexpr int __ks_normalized(const texture<_T, _D, _M> &) { return _M == cudaReadModeNormalizedFloat; }
template <typename _T, int _D, cudaTextureReadMode _M>
inline cudaError_t cudaBindTexture(size_t *offset, const texture<_T, _D, _M> &t, const void *p, const cudaChannelFormatDesc &desc, size_t n = ~0u) {
  return __ksBindTexture(offset, &t, p, &desc, n, 0, 0, __ks_normalized(t));
}
template <typename _T, int _D, cudaTextureReadMode _M> inline cudaError_t cudaBindTexture(size_t *offset, const texture<_T, _D, _M> &t, const void *p, size_t n = ~0u) {
  return __ksBindTexture(offset, &t, p, &t.channelDesc, n, 0, 0, __ks_normalized(t));
}
template <typename _T, int _D, cudaTextureReadMode _M>
inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<_T, _D, _M> &t, const void *p, const cudaChannelFormatDesc &desc, size_t width, size_t height,
                                     size_t pitch) {
  return __ksBindTexture(offset, &t, p, &desc, width, height, pitch, __ks_normalized(t));
}
template <typename _T, int _D, cudaTextureReadMode _M>
inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<_T, _D, _M> &t, const void *p, size_t width, size_t height, size_t pitch) {
  return __ksBindTexture(offset, &t, p, &t.channelDesc, width, height, pitch, __ks_normalized(t));
}
template <typename _T, int _D, cudaTextureReadMode _M>
inline cudaError_t cudaBindTextureToArray(const texture<_T, _D, _M> &t, cudaArray_const_t array, const cudaChannelFormatDesc &desc);
// The forms of C, which programs of C++ call with a texture's address.
template <typename _T, int _D, cudaTextureReadMode _M>
inline cudaError_t cudaBindTexture(size_t *offset, const texture<_T, _D, _M> *t, const void *p, const cudaChannelFormatDesc *desc, size_t n = ~0u) {
  return cudaBindTexture(offset, *t, p, *desc, n);
}
template <typename _T, int _D, cudaTextureReadMode _M>
inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<_T, _D, _M> *t, const void *p, const cudaChannelFormatDesc *desc, size_t width,
                                     size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, *t, p, *desc, width, height, pitch);
}
// By a reference that the program asked for, which no longer says how it is read: as elements.
inline cudaError_t cudaBindTexture(size_t *offset, const textureReference *t, const void *p, const cudaChannelFormatDesc *desc, size_t n = ~0u) {
  return __ksBindTexture(offset, t, p, desc, n, 0, 0, 0);
}
inline cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *t, const void *p, const cudaChannelFormatDesc *desc, size_t width,
                                     size_t height, size_t pitch) {
  return __ksBindTexture(offset, t, p, desc, width, height, pitch, 0);
}
inline cudaError_t cudaBindTextureToArray(const textureReference *t, cudaArray_const_t array, const cudaChannelFormatDesc *) {
  return __ksBindTextureToArray(t, array, 0);
}
inline cudaError_t cudaUnbindTexture(const textureReference *t) { return __ksUnbindTexture(t); }
template <typename _T> inline cudaError_t cudaGetTextureReference(const textureReference **reference, const _T &symbol) {
  if constexpr (__is_convertible_to(_T, const textureReference *)) *reference = symbol;
  else *reference = &symbol;
  return cudaSuccess;
}
template <typename _T, int _D, cudaTextureReadMode _M>
inline cudaError_t cudaBindTextureToArray(const texture<_T, _D, _M> *t, cudaArray_const_t array, const cudaChannelFormatDesc *desc) {
  return cudaBindTextureToArray(*t, array, *desc);
}
template <typename _T, int _D, cudaTextureReadMode _M> inline cudaError_t cudaBindTextureToArray(const texture<_T, _D, _M> &t, cudaArray_const_t array) {
  return __ksBindTextureToArray(&t, array, __ks_normalized(t));
}
template <typename _T, int _D, cudaTextureReadMode _M>
inline cudaError_t cudaBindTextureToArray(const texture<_T, _D, _M> &t, cudaArray_const_t array, const cudaChannelFormatDesc &) {
  return __ksBindTextureToArray(&t, array, __ks_normalized(t));
}
template <typename _T, int _D> inline cudaError_t cudaBindSurfaceToArray(const surface<_T, _D> &s, cudaArray_const_t array) {
  return __ksBindSurfaceToArray(&s, array);
}
template <typename _T, int _D> inline cudaError_t cudaBindSurfaceToArray(const surface<_T, _D> &s, cudaArray_const_t array, const cudaChannelFormatDesc &) {
  return __ksBindSurfaceToArray(&s, array);
}
template <typename _T, int _D, cudaTextureReadMode _M> inline cudaError_t cudaUnbindTexture(const texture<_T, _D, _M> &t) { return __ksUnbindTexture(&t); }
template <typename _R> inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const _R &) {
  *offset = 0; // bindings are aligned
  return cudaSuccess;
}
