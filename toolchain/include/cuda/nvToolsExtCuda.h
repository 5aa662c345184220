// Names of CUDA's objects for NVIDIA's profilers: it comes with nvToolsExt.h.
#pragma once
#include "nvToolsExt.h"
