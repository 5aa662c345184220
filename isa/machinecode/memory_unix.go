//go:build unix

package machinecode

import (
	"fmt"
	"math/bits"
	"sync"

	"golang.org/x/sys/unix"
)

// views are two mappings of the same memory: code is written through one and runs in the other. So no address is both writable and
// executable, and placing code takes no system call.
type views struct{ write, run []byte }

// unused are slots without code. The size of a slot is a power of two; they are never unmapped, as mapping takes longer than writing.
var unused struct {
	sync.Mutex
	bySize [bits.UintSize][]views // by the logarithm of the size
}

const (
	leastSlot   = 6       // the logarithm of the smallest slot's size: a cache line
	regionBytes = 1 << 20 // memory is mapped in regions of at least this size
)

// place copies code to a slot.
func place(code []byte) (views, error) {
	size := max(bits.Len(uint(len(code)-1)), leastSlot)
	unused.Lock()
	defer unused.Unlock()
	slots := &unused.bySize[size]
	if len(*slots) == 0 {
		region, err := mapTwice(max(regionBytes, 1<<size))
		if err != nil {
			return views{}, fmt.Errorf("memory for machine code: %w", err)
		}
		for from := len(region.run) - 1<<size; from >= 0; from -= 1 << size {
			to := from + 1<<size
			*slots = append(*slots, views{region.write[from:to:to], region.run[from:to:to]})
		}
	}
	slot := (*slots)[len(*slots)-1]
	*slots = (*slots)[:len(*slots)-1]
	copy(slot.write, code)
	return slot, nil
}

// mapTwice maps new memory.
func mapTwice(bytes int) (v views, err error) {
	file, err := memoryFile()
	if err != nil {
		return views{}, err
	}
	defer file.Close()
	if err := file.Truncate(int64(bytes)); err != nil {
		return views{}, err
	}
	if v.write, err = unix.Mmap(int(file.Fd()), 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return views{}, err
	}
	if v.run, err = unix.Mmap(int(file.Fd()), 0, bytes, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_SHARED); err != nil {
		_ = unix.Munmap(v.write)
	}
	return v, err
}

func release(slot views) {
	unused.Lock()
	defer unused.Unlock()
	slots := &unused.bySize[bits.Len(uint(len(slot.run)-1))]
	*slots = append(*slots, slot)
}
