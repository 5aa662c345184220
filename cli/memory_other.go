//go:build !unix

package cli

// peakMemory returns 0: this system does not report the peak resident size of a process.
func peakMemory() uint64 { return 0 }
