// keplersim_cuda.h: the CUDA C names that kernels use, for clang without a CUDA toolkit.
// It is included before the first line of every .cu file. The pieces, in the order they build on each other:
#pragma once
// What these functions do is inlined and stands at the line that calls them: no report names a line of this header.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "keplersim/language.h"  // __global__, __shared__, fixed-width integers
#include "keplersim/vectors.h"   // dim3, float4, make_float4, ...
#include "keplersim/indices.h"   // threadIdx, blockIdx, blockDim, gridDim
#include "keplersim/integers.h"  // __popc, __umulhi, min, max, ...
#include "keplersim/sync.h"      // barriers, fences, votes, shuffles, clocks
#include "keplersim/atomics.h"   // atomicAdd and its family, __ldg
#include "keplersim/floats.h"    // single and double precision: rounding, conversion, square roots
#include "keplersim/functions.h" // exp, log, sin, cos, pow and relatives
#include "keplersim/textures.h"  // texture and surface objects
#include "keplersim/system.h"    // printf, assert, malloc
#include "keplersim/host.h"      // declarations that let a whole program, host part included, be parsed
#pragma clang attribute pop
