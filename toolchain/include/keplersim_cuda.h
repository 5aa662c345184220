// keplersim_cuda.h: the CUDA C names that kernels use, for clang without a CUDA toolkit.
// It is included before the first line of every .cu file. The pieces, in the order they build on each other:
#pragma once
#ifndef __CUDA__
#include "keplersim/host_only.h" // a file of plain C++: the types and the runtime API
#else
#ifdef KEPLERSIM_MACHINE_LIBRARY
#include "keplersim/machine.h"   // the C and C++ library
#endif
// What these functions do is inlined and stands at the line that calls them: no report names a line of this header.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "keplersim/language.h"  // __global__, __shared__, fixed-width integers
#include "keplersim/constants.h" // CUDART_PI_F, M_LN10, DBL_DIG, ...
#include "keplersim/vector_functions.h" // dim3, float4, make_float4, ...
#include "keplersim/indices.h"   // threadIdx, blockIdx, blockDim, gridDim
#include "keplersim/integers.h"  // __popc, __umulhi, min, max, ...
#include "keplersim/video.h"     // __vadd4, __vabsdiffu2, ... : several numbers in a word
#include "keplersim/sync.h"      // barriers, fences, votes, shuffles, clocks
#include "keplersim/atomics.h"   // atomicAdd and its family, __ldg
#include "keplersim/floats.h"    // single and double precision: rounding, conversion, square roots
#include "keplersim/double_double.h" // arithmetic in two doubles, which the next ones need
#include "keplersim/exponentials.h"  // double: exp, log, pow, sinh, ...
#include "keplersim/trigonometry.h"  // double: sin, cos, atan2, ...
#include "keplersim/remainders.h"    // double: fmod, frexp, nextafter, ...
#include "keplersim/roots.h"         // double: cbrt, hypot, norm3d, ...
#include "keplersim/special.h"       // double: erf, normcdf, tgamma, lgamma, ...
#include "keplersim/bessel.h"        // double: j0, yn, cyl_bessel_i0, ...
#include "keplersim/functions.h"     // single: expf, logf, sinf, powf, ...
#include "keplersim/singles.h"       // single: erff, tgammaf, frexpf, ...
#include "keplersim/overloads.h"     // pow(float, double), sin(int), min(float, double)
#include "keplersim/runtime_types.h" // the runtime API: cudaError_t, cudaDeviceProp, ...
#include "keplersim/textures.h"  // texture and surface objects
#include "keplersim/system.h"    // printf, assert, malloc
#ifndef KEPLERSIM_MACHINE_LIBRARY
#include "keplersim/c_library.h" // declarations of the C library
#endif
#include "keplersim/runtime_api.h"       // cudaMalloc, cudaMemcpy, ...
#include "keplersim/runtime_templates.h" // and their C++ forms
#include "keplersim/references.h" // texture and surface references
#if defined KEPLERSIM_NESTED || defined KEPLERSIM_NESTED_HOST
#include "keplersim/nested.h" // launches from kernels
#endif
#ifdef KEPLERSIM_MACHINE_LIBRARY
#include "keplersim/machine_std.h" // our functions in namespace std
#include "keplersim/host_math.h"   // CUDA's mathematical functions in host code
#else
#include "keplersim/standard.h"  // std::min, std::numeric_limits, std::sqrt, ...
#endif
#pragma clang attribute pop
#if defined KEPLERSIM_LINKED_UNIT && !defined __CUDA_ARCH__
extern "C" __attribute__((used)) const char KEPLERSIM_LINKED_UNIT = 0; // names the object to the linker
#endif
#endif
