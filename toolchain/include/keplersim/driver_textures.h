// Arrays, textures, surfaces and copies of boxes of CUDA's driver API: a part of cuda.h. runtime/native/driver_textures.inc defines it.
#pragma once

typedef struct cudaArray *CUarray;
typedef struct cudaMipmappedArray *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;

typedef enum CUarray_format_enum {
  CU_AD_FORMAT_UNSIGNED_INT8 = 0x01, CU_AD_FORMAT_UNSIGNED_INT16 = 0x02, CU_AD_FORMAT_UNSIGNED_INT32 = 0x03, CU_AD_FORMAT_SIGNED_INT8 = 0x08,
  CU_AD_FORMAT_SIGNED_INT16 = 0x09, CU_AD_FORMAT_SIGNED_INT32 = 0x0a, CU_AD_FORMAT_HALF = 0x10, CU_AD_FORMAT_FLOAT = 0x20
} CUarray_format;
typedef enum CUmemorytype_enum {
  CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_UNIFIED
} CUmemorytype;
typedef enum CUaddress_mode_enum {
  CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER
} CUaddress_mode;
typedef enum CUfilter_mode_enum { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR } CUfilter_mode;
typedef enum CUresourcetype_enum {
  CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D
} CUresourcetype;
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSA_OVERRIDE_FORMAT 0x01
#define CU_PARAM_TR_DEFAULT (-1)
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_2DARRAY 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08

typedef struct CUDA_ARRAY_DESCRIPTOR_st {
  size_t Width, Height;
  CUarray_format Format;
  unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
  size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_MEMCPY2D_st {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch, dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_MEMCPY3D_PEER_st {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  CUcontext srcContext;
  size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  CUcontext dstContext;
  size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D_PEER;
typedef struct CUDA_RESOURCE_DESC_st {
  CUresourcetype resType;
  union {
    struct { CUarray hArray; } array;
    struct { CUmipmappedArray hMipmappedArray; } mipmap;
    struct { CUdeviceptr devPtr; CUarray_format format; unsigned int numChannels; size_t sizeInBytes; } linear;
    struct { CUdeviceptr devPtr; CUarray_format format; unsigned int numChannels; size_t width, height, pitchInBytes; } pitch2D;
    struct { int reserved[32]; } reserved;
  } res;
  unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned int flags, maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st {
  int format;
  size_t width, height, depth;
  unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuMemcpy2D cuMemcpy2D_v2
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#define cuMemcpy3D cuMemcpy3D_v2
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2
#define cuMemcpyAtoA cuMemcpyAtoA_v2
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#define cuTexRefGetAddress cuTexRefGetAddress_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape);
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *shape, CUarray array);
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape);
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *shape, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes);
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream);
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes);
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream);
CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampling,
                           const CUDA_RESOURCE_VIEW_DESC *view);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject texture);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *sampling, CUtexObject texture);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject texture);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject surface);
CUresult cuTexRefCreate(CUtexref *texture);
CUresult cuTexRefDestroy(CUtexref texture);
CUresult cuTexObjectDestroy(CUtexObject texture);
CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource);
CUresult cuSurfObjectDestroy(CUsurfObject surface);
CUresult cuModuleGetTexRef(CUtexref *texture, CUmodule module, const char *name);
CUresult cuModuleGetSurfRef(CUsurfref *surface, CUmodule module, const char *name);
CUresult cuTexRefSetArray(CUtexref texture, CUarray array, unsigned int flags);
CUresult cuTexRefSetAddress(size_t *offset, CUtexref texture, CUdeviceptr p, size_t bytes);
CUresult cuTexRefSetAddress2D(CUtexref texture, const CUDA_ARRAY_DESCRIPTOR *shape, CUdeviceptr p, size_t pitch);
CUresult cuTexRefSetFormat(CUtexref texture, CUarray_format format, int channels);
CUresult cuTexRefSetAddressMode(CUtexref texture, int dimension, CUaddress_mode mode);
CUresult cuTexRefSetFilterMode(CUtexref texture, CUfilter_mode mode);
CUresult cuTexRefSetFlags(CUtexref texture, unsigned int flags);
CUresult cuTexRefSetBorderColor(CUtexref texture, float *color);
CUresult cuTexRefSetMaxAnisotropy(CUtexref texture, unsigned int most);
CUresult cuTexRefSetMipmapFilterMode(CUtexref texture, CUfilter_mode mode);
CUresult cuTexRefSetMipmapLevelBias(CUtexref texture, float bias);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref texture, float least, float most);
CUresult cuTexRefGetAddress(CUdeviceptr *p, CUtexref texture);
CUresult cuTexRefGetArray(CUarray *array, CUtexref texture);
CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref texture, int dimension);
CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref texture);
CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref texture);
CUresult cuTexRefGetFlags(unsigned int *flags, CUtexref texture);
CUresult cuTexRefGetBorderColor(float *color, CUtexref texture);
CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref texture);
CUresult cuSurfRefGetArray(CUarray *array, CUsurfref surface);
CUresult cuSurfRefSetArray(CUsurfref surface, CUarray array, unsigned int flags);
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref texture);
#ifdef __cplusplus
}
#endif
