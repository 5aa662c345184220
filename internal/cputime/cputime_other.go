//go:build !unix

package cputime

import "time"

var begun = time.Now()

// Used returns the elapsed time: the system does not report processor time.
func Used() time.Duration { return time.Since(begun) }

// UsedByChildren returns 0: the system does not report processor time.
func UsedByChildren() time.Duration { return 0 }
