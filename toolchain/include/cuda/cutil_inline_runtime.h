// It comes with cutil.h.
#pragma once
#include "cutil.h"
