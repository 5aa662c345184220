package memory

import "github.com/keplersim/keplersim/configs"

// addressMap maps addresses to slices of L2, and to channels, banks and rows of DRAM.
//
// l2.mapping spreads chunks of memory (l2.interleave) over the slices. A slice's local addresses are dense: its chunks are adjacent, in the
// order of their addresses.
type addressMap struct {
	chunkShift     uint
	mapping        Mapping
	slices         uint64
	channels       divisor
	burstShift     uint // log2 of a burst's bytes
	burstPerSector int

	pieceShift uint // log2 of what is adjacent in a bank's row: a chunk, or a row if shorter
	groupBits  uint // 1: neighbouring pieces are in two bank groups; 0: in one row
	columnBits uint // log2 of the pieces in a row
	bankBits   uint
	chunk      uint64 // mask of an address's offset in its chunk
	bankMask   uint32 // mask of a bank's number
}

func newAddressMap(cfg *configs.Config) (addressMap, error) {
	makeMapping, err := mappings.Find(cfg.L2.Mapping)
	if err != nil {
		return addressMap{}, err
	}
	mapping, err := makeMapping(cfg)
	if err != nil {
		return addressMap{}, err
	}
	m := addressMap{
		chunkShift: log2(cfg.L2.Interleave), mapping: mapping, slices: uint64(cfg.L2.Slices), channels: newDivisor(cfg.DRAM.Channels),
		burstShift: log2(cfg.DRAM.BurstBytes()), burstPerSector: max(1, SectorBytes/cfg.DRAM.BurstBytes()),
		bankBits: log2(cfg.DRAM.Banks),
	}
	m.chunk, m.bankMask = 1<<m.chunkShift-1, 1<<m.bankBits-1
	rowShift := log2(cfg.DRAM.RowBytes)
	m.pieceShift = min(m.chunkShift, rowShift)
	m.columnBits = rowShift - m.pieceShift
	if cfg.DRAM.AlternateGroups && cfg.DRAM.BankGroups > 1 && cfg.DRAM.Banks > 1 {
		m.groupBits = 1
	}
	return m, nil
}

func log2(n int) uint {
	shift := uint(0)
	for 1<<(shift+1) <= n {
		shift++
	}
	return shift
}

// slice returns the slice of an address and the local address there.
func (m *addressMap) slice(address uint64) (slice int, local uint64) {
	slice, chunk := m.mapping.Slice(address >> (m.chunkShift & 63))
	return slice, chunk<<(m.chunkShift&63) | address&m.chunk
}

// channel returns the DRAM channel of a slice's local address, and the address there.
func (m *addressMap) channel(slice int, local uint64) (channel int, address uint64) {
	group, number := m.channels.divide((local>>(m.chunkShift&63))*m.slices + uint64(slice))
	return int(number), group<<(m.chunkShift&63) | local&m.chunk
}

// burst returns the number of the bus access that holds a channel's address.
func (m *addressMap) burst(address uint64) uint32 { return uint32(address >> (m.burstShift & 63)) }

// bank returns the bank of a channel's address and the row there. A chunk is in one row, so a line opens at most one, and a block of
// threads that reads down a matrix's column opens few. Neighbouring chunks alternate between two bank groups, so that a stream is not
// limited to the slower rate of one, or else fill a row. All bits of the row are folded into the bank, so that addresses that differ by a
// power of two seldom share a bank.
func (m *addressMap) bank(address uint64) (bank uint32, row uint32) {
	number := address >> (m.pieceShift & 63)
	group := number & uint64(m.groupBits) // 0 or 1
	number >>= (m.groupBits + m.columnBits) & 63
	row64 := number >> ((m.bankBits - m.groupBits) & 63)
	rotation := row64 * 0x9e37_79b9_7f4a_7c15 >> 40
	return uint32((number<<(m.groupBits&1)|group)^rotation) & m.bankMask, uint32(row64)
}
