package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa/exec"
)

// Pack reduces transactions to as few lines as the lanes' bytes fill: see configs.Ideal. It keeps some of the lines accessed. The first
// lane's address selects which, so that successive accesses through memory take successive lines. The result reuses list.
func Pack(list []Transaction, a *exec.Access, lineBytes int) []Transaction {
	bytes := bits.OnesCount32(a.Active) * int(a.Bytes)
	sectors := (bytes + SectorBytes - 1) / SectorBytes
	perLine := max(1, lineBytes/SectorBytes)
	lines := (sectors + perLine - 1) / perLine
	touched := 0
	for i := range list {
		touched += bits.OnesCount8(list[i].Sectors)
	}
	if lines >= len(list) && sectors >= touched || len(list) == 0 || a.Active == 0 {
		return list // lanes share words or are consecutive
	}
	lines, sectors = min(lines, len(list)), min(sectors, touched)
	first := int(a.Address[bits.TrailingZeros32(a.Active)&31] / uint64(max(1, a.Bytes)) % uint64(len(list)))
	var packed [32]Transaction
	for i := range lines {
		t := list[(first+i)%len(list)]
		n := min(sectors, perLine)
		sectors -= n
		t.Sectors, t.Lanes = uint8(1<<n-1), 0
		packed[i] = t
	}
	for i := range list { // lanes of dropped lines join another
		packed[i%lines].Lanes |= list[i].Lanes
	}
	return append(list[:0], packed[:lines]...)
}
