// A newer place of nvToolsExt.h.
#pragma once
#include "../nvToolsExt.h"
