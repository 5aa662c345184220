// The driver API, beside what keplersim_cuda.h has, which is C++.
#pragma once
#define __cuda_cuda_h__
#ifdef __cplusplus
#include "keplersim_cuda.h"
#else
#define CUDA_VERSION 10020 // as in keplersim/runtime_types.h
#endif
#include "keplersim/driver_api.h"
