// cuFFT: transforms in one to three dimensions of any length, real and complex, in single and double precision, in batches. runtime/libraries/cufft.cu
// defines it; its speed is that of our kernels, not NVIDIA's.
#pragma once
#define _CUFFT_H_
#include "cuComplex.h"
#include "cuda_runtime.h"
#include "library_types.h"

#define CUFFT_VER_MAJOR 10
#define CUFFT_VER_MINOR 9
#define CUFFT_VER_PATCH 0
#define CUFFT_VERSION (CUFFT_VER_MAJOR * 1000 + CUFFT_VER_MINOR * 100 + CUFFT_VER_PATCH)
#define CUFFTAPI
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1

typedef enum cufftResult_t {
  CUFFT_SUCCESS = 0, CUFFT_INVALID_PLAN = 1, CUFFT_ALLOC_FAILED = 2, CUFFT_INVALID_TYPE = 3, CUFFT_INVALID_VALUE = 4, CUFFT_INTERNAL_ERROR = 5,
  CUFFT_EXEC_FAILED = 6, CUFFT_SETUP_FAILED = 7, CUFFT_INVALID_SIZE = 8, CUFFT_UNALIGNED_DATA = 9, CUFFT_INCOMPLETE_PARAMETER_LIST = 10,
  CUFFT_INVALID_DEVICE = 11, CUFFT_PARSE_ERROR = 12, CUFFT_NO_WORKSPACE = 13, CUFFT_NOT_IMPLEMENTED = 14, CUFFT_LICENSE_ERROR = 15,
  CUFFT_NOT_SUPPORTED = 16, CUFFT_MISSING_DEPENDENCY = 17, CUFFT_NVRTC_FAILURE = 18, CUFFT_NVJITLINK_FAILURE = 19, CUFFT_NVSHMEM_FAILURE = 20
} cufftResult;
typedef enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69 } cufftType;
typedef enum cufftCompatibility_t { CUFFT_COMPATIBILITY_FFTW_PADDING = 1 } cufftCompatibility;
#define CUFFT_COMPATIBILITY_DEFAULT CUFFT_COMPATIBILITY_FFTW_PADDING
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type);
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type);
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type,
                          int batch);
cufftResult cufftCreate(cufftHandle *plan);
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work);
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work);
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *work);
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, long long *onembed,
                                long long ostride, long long odist, cufftType type, long long batch, size_t *work);
cufftResult cufftGetSize(cufftHandle plan, size_t *work);
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *work);
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *work);
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *work);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftSetWorkArea(cufftHandle plan, void *work);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int on);
cufftResult cufftSetCompatibilityMode(cufftHandle plan, cufftCompatibility mode);
cufftResult cufftGetVersion(int *version);
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *from, cufftComplex *to);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *from, cufftReal *to);
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleComplex *to, int direction);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *from, cufftDoubleComplex *to);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleReal *to);
cufftResult cufftDestroy(cufftHandle plan);
#ifdef __cplusplus
}
#endif
