// Copies by all threads of a group.
#pragma once
#include "keplersim_cuda.h"
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "keplersim/groups.h"
#pragma clang attribute pop
