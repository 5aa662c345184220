package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// SectorBytes is the unit that moves between the SMXs, L2 and DRAM on every Kepler chip.
const SectorBytes = configs.SectorBytes

// Transaction is a part of a warp's access that moves as one: some sectors of one line.
type Transaction struct {
	// Line is the address of the line's first byte.
	Line uint64
	// Sectors has a bit for each 32-byte sector of the line that is accessed.
	Sectors uint8
	// Lanes are the lanes that it serves.
	Lanes uint32
}

// Parts is how many lanes of a warp's access go at once, by the logarithm of the bytes a lane. Lanes of different parts never share a
// transaction.
type Parts [5]uint8

// NewParts returns the parts of a board.
func NewParts(cfg *configs.LoadStore) Parts {
	return Parts{32, 32, 32, uint8(cfg.LanesOf8Bytes), uint8(cfg.LanesOf16Bytes)}
}

func (p *Parts) lanes(bytes uint8) uint { return uint(p[bits.TrailingZeros8(bytes)]) }

// coalesceRow is Coalesce for 32 lanes with consecutive addresses, which need few lines for each part.
func coalesceRow(a *exec.Access, lineBytes uint64, parts *Parts, out []Transaction) []Transaction {
	size := uint64(a.Bytes)
	part := size * uint64(parts.lanes(a.Bytes))
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

// Coalesce splits a warp's access into transactions, in the order of the first lane of each, and appends them to out. Size lineBytes is a
// power of two from 32 to 256: 128 for L1 and L2, 32 for the read-only cache. Lanes of one part that access one line share a transaction,
// whatever their order and however many read the same word.
func Coalesce(a *exec.Access, lineBytes int, parts *Parts, out []Transaction) []Transaction {
	if a.Active == isa.FullMask && a.Shape.Consecutive && a.Address[0] < a.Address[31] {
		return coalesceRow(a, uint64(lineBytes), parts, out)
	}
	width := parts.lanes(a.Bytes)
	part := uint32(1<<width - 1)
	for start := uint(0); start < 32; start += width {
		if lanes := a.Active & (part << start); lanes != 0 {
			out = coalescePart(a, lanes, uint64(lineBytes-1), out)
		}
	}
	return out
}

// coalescePart is Coalesce for the lanes of one part, at least one. Neighbouring lanes mostly access the same line, so it looks up the line
// only once for them.
func coalescePart(a *exec.Access, lanes uint32, offset uint64, out []Transaction) []Transaction {
	begin, highest := len(out), uint64(0)
	for rest := lanes; rest != 0; {
		address := a.Address[bits.TrailingZeros32(rest)&31]
		line := address &^ offset
		sectors, touching := uint8(1)<<((address-line)/SectorBytes&7), rest&-rest
		for rest &= rest - 1; rest != 0; rest &= rest - 1 {
			within := a.Address[bits.TrailingZeros32(rest)&31] - line
			if within > offset {
				break
			}
			sectors |= 1 << (within / SectorBytes & 7)
			touching |= rest & -rest
		}
		if line > highest || len(out) == begin { // it is new
			out, highest = append(out, Transaction{Line: line, Sectors: sectors, Lanes: touching}), line
			continue
		}
		at := begin
		for at < len(out) && out[at].Line != line {
			at++
		}
		if at == len(out) {
			out = append(out, Transaction{Line: line})
		}
		out[at].Sectors |= sectors
		out[at].Lanes |= touching
	}
	return out
}
