// Half precision: storage, conversions, and arithmetic in float.
#pragma once
#pragma GCC system_header // gcc knows no attributes for several functions
#include "keplersim_cuda.h"
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "keplersim/half.h"
#pragma clang attribute pop
