// Random numbers on the device. As with CUDA, the types of cuRAND's host interface come with it.
#pragma once
#include "keplersim_cuda.h"
#include "curand.h"
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "keplersim/random.h"
#pragma clang attribute pop
