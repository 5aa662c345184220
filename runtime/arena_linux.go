package runtime

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/memory"
)

// arenaBase is where device memory begins, in the program and on the devices: above the program's own addresses.
const arenaBase = uint64(0x1_0000_0000)

// openArena reserves addresses for the devices' memory in a given or new file. It uses no memory until a page is touched.
func openArena(given *os.File, devices []*configs.Config) (*arena, error) {
	if given != nil {
		return mapArena(given, devices)
	}
	fd, err := unix.MemfdCreate("keplersim", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memory to share with the program: %w", err)
	}
	file := os.NewFile(uintptr(fd), "keplersim")
	a, err := mapArena(file, devices)
	if err != nil {
		file.Close()
	}
	return a, err
}

// mapArena is openArena for an existing file.
func mapArena(file *os.File, devices []*configs.Config) (*arena, error) {
	size := uint64(len(devices)) * deviceStride
	if err := file.Truncate(int64(size)); err != nil {
		return nil, fmt.Errorf("memory to share with the program: %w", err)
	}
	bytes, err := unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("memory to share with the program: %w", err)
	}
	return &arena{file: file, base: arenaBase, bytes: bytes}, nil
}

func (a *arena) close() {
	if a.bytes == nil {
		return // already closed: the addresses may belong to something else
	}
	_ = unix.Munmap(a.bytes)
	a.bytes = nil
	a.file.Close()
}

// at returns the memory at a device address.
func (a *arena) at(address, bytes uint64) []byte {
	from := address - a.base
	return a.bytes[from : from+bytes]
}

// of returns a device's part.
func (a *arena) of(device int) *memory.Arena {
	from := uint64(device) * deviceStride
	part := a.bytes[from : from+deviceStride]
	return &memory.Arena{
		Base: a.base + from, Bytes: part,
		Zero:  func(from, to uint64) error { return zero(part, from, to) },
		Touch: func(from, to uint64) { touch(part, from, to) },
	}
}

// touch takes whole pages. Kernels older than Linux 5.14 leave that to page faults.
func touch(part []byte, from, to uint64) {
	if first, last := from/pageBytes*pageBytes, (to+pageBytes-1)/pageBytes*pageBytes; last-first > pageBytes {
		_ = unix.Madvise(part[first:last], unix.MADV_POPULATE_WRITE)
	}
}

// zero returns whole pages to the system and clears the rest.
func zero(part []byte, from, to uint64) error {
	first, last := (from+pageBytes-1)/pageBytes*pageBytes, to/pageBytes*pageBytes
	if first >= last {
		clear(part[from:to])
		return nil
	}
	clear(part[from:first])
	clear(part[last:to])
	if err := unix.Madvise(part[first:last], unix.MADV_REMOVE); err != nil {
		return fmt.Errorf("give memory back: %w", err)
	}
	return nil
}
