//go:build unix

package machinecode

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// executable returns memory that holds the code and can be run, and no longer written to.
func executable(code []byte) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, len(code), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("memory for machine code: %w", err)
	}
	copy(memory, code)
	if err := unix.Mprotect(memory, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		release(memory)
		return nil, fmt.Errorf("make memory executable: %w", err)
	}
	return memory, nil
}

func release(memory []byte) { _ = unix.Munmap(memory) }
