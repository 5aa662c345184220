package machinecode

import (
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile opens a file of memory that has no name.
func memoryFile() (*os.File, error) {
	file, err := unix.MemfdCreate("machine code", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(file), "machine code"), nil
}
