#pragma once
#include <vector_types.h>
void negate(float4 *p);
void shift(float4 *p);
