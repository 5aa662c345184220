//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time that the program has used, in user and system mode.
func Used() time.Duration { return used(syscall.RUSAGE_SELF) }

// UsedByChildren returns the processor time of the processes that the program has started and waited for.
func UsedByChildren() time.Duration { return used(syscall.RUSAGE_CHILDREN) }

func used(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
