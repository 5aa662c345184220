// Transforms named by the types of their elements, on one GPU: half precision, several GPUs and callbacks are not there.
#pragma once
#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, cudaDataType from,
                                long long *onembed, long long ostride, long long odist, cudaDataType to, long long batch, size_t *work,
                                cudaDataType execution);
cufftResult cufftXtExec(cufftHandle plan, void *from, void *to, int direction);
#ifdef __cplusplus
}
#endif
