//go:build unix

package machinecode

import (
	"fmt"
	"math/bits"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// spare is memory of old code, for reuse: mapping new memory takes longer than writing to it.
var spare struct {
	sync.Mutex
	bySize [bits.UintSize][][]byte // by the logarithm of its size
	bytes  int
}

// mostSpare is the most bytes kept.
const mostSpare = 16 << 20

// executable returns executable, read-only memory with the code.
func executable(code []byte) ([]byte, error) {
	size := max(bits.Len(uint(len(code)-1)), bits.Len(uint(os.Getpagesize()-1)))
	memory, err := writable(size)
	if err != nil {
		return nil, fmt.Errorf("memory for machine code: %w", err)
	}
	copy(memory, code)
	if err := unix.Mprotect(memory, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		_ = unix.Munmap(memory)
		return nil, fmt.Errorf("make memory executable: %w", err)
	}
	return memory, nil
}

// writable returns memory of 2^size bytes.
func writable(size int) ([]byte, error) {
	const access = unix.PROT_READ | unix.PROT_WRITE
	spare.Lock()
	defer spare.Unlock()
	if of := spare.bySize[size]; len(of) > 0 {
		memory := of[len(of)-1]
		spare.bySize[size] = of[:len(of)-1]
		spare.bytes -= len(memory)
		return memory, unix.Mprotect(memory, access)
	}
	return unix.Mmap(-1, 0, 1<<size, access, unix.MAP_ANON|unix.MAP_PRIVATE)
}

func release(memory []byte) {
	spare.Lock()
	defer spare.Unlock()
	if spare.bytes+len(memory) > mostSpare {
		_ = unix.Munmap(memory)
		return
	}
	size := bits.Len(uint(len(memory) - 1))
	spare.bySize[size] = append(spare.bySize[size], memory)
	spare.bytes += len(memory)
}
