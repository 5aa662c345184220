// Half precision: storage, conversions, and arithmetic in float.
#pragma once
#include "keplersim_cuda.h"
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "keplersim/half.h"
#pragma clang attribute pop
