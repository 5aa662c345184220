//go:build !js

package toolchain

import "embed"

// headers is our CUDA header: keplersim_cuda.h, its parts, and in system the standard names that programs include.
//
//go:embed include
var headers embed.FS
