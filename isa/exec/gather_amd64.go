package exec

import (
	"unsafe"

	"github.com/keplersim/keplersim/isa"
)

// gather has each lane of d get the word at an address of its own in a memory that begins at origin. Every word lies within it.
//
//go:noescape
func gather(d *isa.Lanes32, memory []byte, at *isa.Lanes64, origin uint64)

// scatter writes each lane's word to where gather reads it, in the order of lanes.
//
//go:noescape
func scatter(s *isa.Lanes32, memory []byte, at *isa.Lanes64, origin uint64)

// spread gives all lanes one word.
//
//go:noescape
func spread(d *isa.Lanes32, word uint32)

// loadRow reads 32 neighbouring words, as they lie in the memory of a host whose words are little endian, too.
func loadRow(d *isa.Lanes32, memory []byte) {
	*d = *(*isa.Lanes32)(unsafe.Pointer((*[4 * 32]byte)(memory)))
}

// storeRow writes 32 neighbouring words.
func storeRow(s *isa.Lanes32, memory []byte) {
	*(*isa.Lanes32)(unsafe.Pointer((*[4 * 32]byte)(memory))) = *s
}
