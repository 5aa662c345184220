// Random numbers on the device.
#pragma once
#include "keplersim_cuda.h"
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "keplersim/random.h"
#pragma clang attribute pop
