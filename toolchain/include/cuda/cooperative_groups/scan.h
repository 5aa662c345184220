// Prefix sums over a tile of a warp.
#pragma once
#include "keplersim_cuda.h"
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "keplersim/groups.h"
#pragma clang attribute pop
