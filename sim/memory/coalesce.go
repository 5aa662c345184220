package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// SectorBytes is the unit that moves between the SMXs, L2 and DRAM on every Kepler chip.
const SectorBytes = 32

// Transaction is a part of a warp's access that moves as one: sectors of one line.
type Transaction struct {
	// Line is the address of the line's first byte.
	Line uint64
	// Sectors has a bit for each 32-byte sector of the line that is touched.
	Sectors uint8
	// Lanes are the lanes that it serves.
	Lanes uint32
}

// coalesceRow is Coalesce for lanes that all access memory, each behind the one before: one or two lines for each part.
func coalesceRow(a *exec.Access, lineBytes uint64, out []Transaction) []Transaction {
	size := uint64(a.Bytes)
	part := min(32*size, 128) // what goes on its own
	for start, end := a.Address[0], a.Address[0]+32*size; start < end; start += part {
		for at := start; at < start+part; {
			line := at &^ (lineBytes - 1)
			stop := min(start+part, line+lineBytes)
			first, last := (at-line)/SectorBytes, (stop-1-line)/SectorBytes
			lanes := uint64(1)<<((stop-a.Address[0])/size) - uint64(1)<<((at-a.Address[0])/size)
			out = append(out, Transaction{Line: line, Sectors: uint8(2<<last - 1<<first), Lanes: uint32(lanes)})
			at = stop
		}
	}
	return out
}

// Coalesce splits a warp's access into transactions, in the order of the first lane of each, and appends them to out.
// Lines are of lineBytes, a power of two from 32 to 256: 128 for L1 and L2, 32 for the read-only cache. Lanes that touch
// one line share a transaction, whatever their order and however many read the same word. Accesses of 8 bytes a lane go
// by half warps, of 16 by quarter warps, each part on its own (d CUDA C Programming Guide, compute capability 3.x).
func Coalesce(a *exec.Access, lineBytes int, out []Transaction) []Transaction {
	if a.Active == isa.FullMask && a.Shape.Consecutive && a.Address[0] < a.Address[31] {
		return coalesceRow(a, uint64(lineBytes), out)
	}
	part := uint32(0xffff_ffff)
	width := 32
	switch a.Bytes {
	case 8:
		part, width = 0xffff, 16
	case 16:
		part, width = 0xff, 8
	}
	offset := uint64(lineBytes - 1)
	for start := 0; start < 32; start += width {
		begin := len(out)
		last := begin
		for m := a.Active & (part << start); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			address := a.Address[lane]
			line := address &^ offset
			sector := uint8(1) << ((address & offset) / SectorBytes)
			if last >= len(out) || out[last].Line != line {
				last = begin
				for last < len(out) && out[last].Line != line {
					last++
				}
				if last == len(out) {
					out = append(out, Transaction{Line: line})
				}
			}
			t := &out[last]
			t.Sectors |= sector
			t.Lanes |= 1 << lane
		}
	}
	return out
}
