// The toolkit that this is to programs: the last that compiles for Kepler.
#pragma once
#define CUDA_VERSION 11080
#define CUDART_VERSION CUDA_VERSION

// CUDA's type for the identity of a device, of the runtime's and the driver's API.
struct CUuuid_st { char bytes[16]; };
typedef struct CUuuid_st CUuuid;
