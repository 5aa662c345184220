// The older interface alone: cuFFT over several GPUs is not there.
#pragma once
#include "cufft.h"
