package runtime

import "os"

const (
	// deviceStride is the size of each device's address range, in bytes.
	deviceStride = uint64(0x4_0000_0000)
	pageBytes    = 4096
)

// arena is the memory that the program and its devices share.
type arena struct {
	file  *os.File
	base  uint64
	bytes []byte
}
