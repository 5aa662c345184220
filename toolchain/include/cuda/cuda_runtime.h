// Everything that kernels use of this header comes with keplersim_cuda.h.
#pragma once
#include "keplersim_cuda.h"
#include "keplersim/vector_functions.h"
