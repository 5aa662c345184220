package runtime

// Error is an error code of CUDA's runtime API. Names and texts are in the CUDA header's keplersim/runtime_types.h.
type Error int32

// The errors that the simulator returns, with CUDA's numbers.
const (
	Success               Error = 0
	ErrInvalidValue       Error = 1
	ErrMemoryAllocation   Error = 2
	ErrInitialization     Error = 3
	ErrInvalidConfig      Error = 9
	ErrInvalidSymbol      Error = 13
	ErrInvalidDirection   Error = 21
	ErrInvalidFunction    Error = 98
	ErrInvalidDevice      Error = 101
	ErrInvalidKernelImage Error = 200
	ErrNoKernelImage      Error = 209
	ErrUnsupportedLimit   Error = 215
	ErrPeerUnsupported    Error = 217
	ErrInvalidPtx         Error = 218
	ErrInvalidHandle      Error = 400
	ErrNotReady           Error = 600
	ErrIllegalAddress     Error = 700
	ErrOutOfResources     Error = 701
	ErrLaunchTimeout      Error = 702
	ErrPeerEnabled        Error = 704
	ErrPeerNotEnabled     Error = 705
	ErrAssert             Error = 710
	ErrTooManyPeers       Error = 711
	ErrHardwareStack      Error = 714
	ErrIllegalInstruction Error = 715
	ErrMisaligned         Error = 716
	ErrInvalidPC          Error = 718
	ErrLaunchFailure      Error = 719
	ErrNotSupported       Error = 801
	ErrUnknown            Error = 999
)
