// The older name of cusparse.h.
#pragma once
#include "cusparse.h"
