// The driver API, beside what keplersim_cuda.h has, which is C++.
#pragma once
#define __cuda_cuda_h__
#ifdef __cplusplus
#include "keplersim_cuda.h"
#endif
#include "keplersim/driver_api.h"
