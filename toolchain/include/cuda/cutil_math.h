// An older name of helper_math.h.
#pragma once
#include "helper_math.h"
