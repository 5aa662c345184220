//go:build unix

package cli

import (
	"runtime"
	"syscall"
)

// peakMemory returns the greatest resident size of this process so far, in bytes; 0 where it cannot be told.
func peakMemory() uint64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return residentBytes(&usage)
}

// residentBytes returns the size in bytes: Darwin counts them, the other systems count kibibytes.
func residentBytes(usage *syscall.Rusage) uint64 {
	size := uint64(usage.Maxrss)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return size
	}
	return size << 10
}
