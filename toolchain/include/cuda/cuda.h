// The driver API, beside what keplersim_cuda.h has.
#pragma once
#define __cuda_cuda_h__
#include "keplersim_cuda.h"
#include "keplersim/driver_api.h"
