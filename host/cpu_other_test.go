//go:build !unix

package host

import "time"

var begun = time.Now()

// cpuTime is, where the system does not tell, the time that has passed.
func cpuTime() time.Duration { return time.Since(begun) }
