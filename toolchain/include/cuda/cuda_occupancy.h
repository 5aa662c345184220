// The occupancy calculator's header, which libraries include for its name; cudaOccupancyMaxActiveBlocksPerMultiprocessor tells the same.
#pragma once
#include "keplersim_cuda.h"
