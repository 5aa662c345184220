//go:build !unix

package cli

// peakMemory returns the greatest resident size of this process so far, which this system does not tell.
func peakMemory() uint64 { return 0 }
