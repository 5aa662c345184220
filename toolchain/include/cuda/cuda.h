// The driver API, beside what keplersim_cuda.h has.
#pragma once
#include "keplersim_cuda.h"
#include "keplersim/driver_api.h"
