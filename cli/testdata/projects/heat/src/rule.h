// The rule of one cell, which every file of kernels uses and one defines.
#pragma once
extern __constant__ float conductance;
__device__ float rule(float left, float middle, float right);
