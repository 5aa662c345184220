// CUDA's types and runtime API for a file of plain C or C++, which a program has beside its .cu files.
#pragma once
// By these, libraries tell that CUDA's headers have been read, whose names they would otherwise take back.
#define __HOST_DEFINES_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __KS_BOTH_FN static __inline__ __attribute__((unused))
#ifdef __cplusplus
typedef unsigned char uchar;
#endif
#define KEPLERSIM_PLAIN_VECTORS // what gcc makes of an assignment is right, and the types stay trivial
#include "vectors.h"
#include "runtime_types.h"
#include "runtime_api.h"
#ifdef __cplusplus
#include "runtime_templates.h"
#endif
