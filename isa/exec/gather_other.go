//go:build !amd64

package exec

import (
	"encoding/binary"

	"github.com/keplersim/keplersim/isa"
)

func gather(d *isa.Lanes32, memory []byte, at *isa.Lanes64, origin uint64) {
	for i, x := range at {
		d[i] = binary.LittleEndian.Uint32(memory[x-origin:])
	}
}

func scatter(s *isa.Lanes32, memory []byte, at *isa.Lanes64, origin uint64) {
	for i, x := range at {
		binary.LittleEndian.PutUint32(memory[x-origin:], s[i])
	}
}

func spread(d *isa.Lanes32, word uint32) {
	for i := range d {
		d[i] = word
	}
}

func loadRow(d *isa.Lanes32, memory []byte) {
	row := memory[:4*len(d)]
	for i := range d {
		d[i] = binary.LittleEndian.Uint32(row[4*i:])
	}
}

func storeRow(s *isa.Lanes32, memory []byte) {
	row := memory[:4*len(s)]
	for i, word := range s {
		binary.LittleEndian.PutUint32(row[4*i:], word)
	}
}
