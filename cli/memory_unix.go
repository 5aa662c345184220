//go:build unix

package cli

import (
	"runtime"
	"syscall"
)

// peakMemory returns the peak resident size of this process so far, in bytes; 0 if unknown.
func peakMemory() uint64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return residentBytes(&usage)
}

// residentBytes returns the size in bytes. Darwin reports bytes, other systems KiB.
func residentBytes(usage *syscall.Rusage) uint64 {
	size := uint64(usage.Maxrss)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return size
	}
	return size << 10
}
