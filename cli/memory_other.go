//go:build !unix

package cli

import "os"

// peakMemory returns the greatest resident size of this process so far, which this system does not tell.
func peakMemory() uint64 { return 0 }

// peakMemoryOf returns the same of a child that has ended.
func peakMemoryOf(*os.ProcessState) uint64 { return 0 }
