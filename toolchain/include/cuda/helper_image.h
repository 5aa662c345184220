// It comes with helper_cuda.h.
#pragma once
#include "helper_cuda.h"
