package exec

import (
	"unsafe"

	"github.com/keplersim/keplersim/isa"
)

// gather loads into each lane of d the word at its address, from a memory that begins at origin. Every word must be in bounds.
//
//go:noescape
func gather(d *isa.Lanes32, memory []byte, at *isa.Lanes64, origin uint64)

// scatter stores each lane's word at its address, in lane order.
//
//go:noescape
func scatter(s *isa.Lanes32, memory []byte, at *isa.Lanes64, origin uint64)

// spread copies one word to all lanes.
//
//go:noescape
func spread(d *isa.Lanes32, word uint32)

// loadRow reads 32 adjacent words. The host is little endian like the GPU.
func loadRow(d *isa.Lanes32, memory []byte) {
	*d = *(*isa.Lanes32)(unsafe.Pointer((*[4 * 32]byte)(memory)))
}

// storeRow writes 32 adjacent words.
func storeRow(s *isa.Lanes32, memory []byte) {
	*(*isa.Lanes32)(unsafe.Pointer((*[4 * 32]byte)(memory))) = *s
}
