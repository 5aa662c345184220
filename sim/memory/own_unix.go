//go:build unix

package memory

import (
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/keplersim/keplersim/internal/largepages"
)

// systemPage is a multiple of the operating system's page size.
const systemPage = 1 << 16

// reserve returns an arena of addresses for a device's own memory, nil if the system gives none. It takes no memory until touched, and is
// unmapped with the device.
func reserve(g *Global, bytes uint64) *Arena {
	if bytes > math.MaxInt {
		return nil
	}
	memory, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unreserved)
	if err != nil {
		return nil
	}
	largepages.Ask(memory) // the lanes of one access may touch many pages
	runtime.AddCleanup(g, func(memory []byte) { _ = unix.Munmap(memory) }, memory)
	return &Arena{Bytes: memory, Zero: func(from, to uint64) error { return zero(memory, from, to) }}
}

// zero zeroes a range: it gives whole pages back to the system, and clears the rest.
func zero(memory []byte, from, to uint64) error {
	first, last := roundUp(from, systemPage), roundDown(to, systemPage)
	if first >= last {
		clear(memory[from:to])
		return nil
	}
	clear(memory[from:first])
	clear(memory[last:to])
	if err := renew(memory[first:last]); err != nil {
		return fmt.Errorf("give memory back: %w", err)
	}
	return nil
}
