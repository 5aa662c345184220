package sim

import "github.com/keplersim/keplersim/sim/stats"

// Errors of the device's runtime, with CUDA 11.8's numbers.
const (
	cudaSuccess                    = 0
	cudaInvalidValue               = 1
	cudaMemoryAllocation           = 2
	cudaInvalidConfiguration       = 9
	cudaInvalidDevicePointer       = 17
	cudaInvalidMemcpyDirection     = 21
	cudaLaunchMaxDepthExceeded     = 65
	cudaSyncDepthExceeded          = 68
	cudaLaunchPendingCountExceeded = 69
	cudaInvalidDeviceFunction      = 98
	cudaInvalidDevice              = 101
	cudaInvalidKernelImage         = 200
	cudaUnsupportedLimit           = 215
	cudaInvalidResourceHandle      = 400
	cudaLaunchOutOfResources       = 701
	cudaNotSupported               = stats.NotSupported
)

// cudaErrors has the errors' names and CUDA's descriptions.
var cudaErrors = map[int]struct{ name, text string }{
	cudaSuccess:                {"cudaSuccess", "no error"},
	cudaInvalidValue:           {"cudaErrorInvalidValue", "invalid argument"},
	cudaMemoryAllocation:       {"cudaErrorMemoryAllocation", "out of memory"},
	cudaInvalidConfiguration:   {"cudaErrorInvalidConfiguration", "invalid configuration argument"},
	cudaInvalidDevicePointer:   {"cudaErrorInvalidDevicePointer", "invalid device pointer"},
	cudaInvalidMemcpyDirection: {"cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
	cudaLaunchMaxDepthExceeded: {"cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
	cudaSyncDepthExceeded: {"cudaErrorSyncDepthExceeded",
		"cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"},
	cudaLaunchPendingCountExceeded: {"cudaErrorLaunchPendingCountExceeded",
		"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"},
	cudaInvalidDeviceFunction: {"cudaErrorInvalidDeviceFunction", "invalid device function"},
	cudaInvalidDevice:         {"cudaErrorInvalidDevice", "invalid device ordinal"},
	cudaInvalidKernelImage:    {"cudaErrorInvalidKernelImage", "device kernel image is invalid"},
	cudaUnsupportedLimit:      {"cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
	cudaInvalidResourceHandle: {"cudaErrorInvalidResourceHandle", "invalid resource handle"},
	cudaLaunchOutOfResources:  {"cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
	cudaNotSupported:          {"cudaErrorNotSupported", "operation not supported"},
}
