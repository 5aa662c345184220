package memory

import "github.com/keplersim/keplersim/configs"

// addressMap says where addresses lie: in which slice of L2, and in which channel, bank and row of DRAM.
//
// Memory is cut in chunks (l2.interleave), which l2.mapping spreads over the slices. Within a slice the chunks of rising addresses lie side
// by side: a slice's local addresses are dense.
type addressMap struct {
	chunkShift     uint
	mapping        Mapping
	slices         uint64
	channels       divisor
	burstShift     uint // a burst's bytes
	burstPerSector int

	pieceShift uint // what lies side by side in one bank's row: a chunk, or a row where that is shorter
	groupBits  uint // 1: neighbouring pieces lie in two bank groups; 0: in one row
	columnBits uint // pieces of one row
	bankBits   uint
	chunk      uint64 // the bits of an address in its chunk
	bankMask   uint32 // those of a bank's number
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

// slice returns the slice of an address and its local address there.
func (m *addressMap) slice(address uint64) (slice int, local uint64) {
	slice, chunk := m.mapping.Slice(address >> (m.chunkShift & 63))
	return slice, chunk<<(m.chunkShift&63) | address&m.chunk
}

// channel returns where a slice's local address lies in DRAM: the channel and the address there.
func (m *addressMap) channel(slice int, local uint64) (channel int, address uint64) {
	group, number := m.channels.divide((local>>(m.chunkShift&63))*m.slices + uint64(slice))
	return int(number), group<<(m.chunkShift&63) | local&m.chunk
}

// burst returns the number of the access of the bus that a channel's address lies in.
func (m *addressMap) burst(address uint64) uint32 { return uint32(address >> (m.burstShift & 63)) }

// bank returns where a channel's address lies: its bank and the row there. A chunk lies whole in one row, so that a line opens no
// more than one, and what a block of threads reads down a matrix's column opens as few as can be. Neighbouring chunks alternate
// between two bank groups, so that a stream is not held to the slower rate of one, or fill a row. All bits of the row are folded into the
// bank, so that addresses any power of two apart seldom meet in one bank.
func (m *addressMap) bank(address uint64) (bank uint32, row uint32) {
	number := address >> (m.pieceShift & 63)
	group := number & uint64(m.groupBits) // one bit or none
	number >>= (m.groupBits + m.columnBits) & 63
	row64 := number >> ((m.bankBits - m.groupBits) & 63)
	rotation := row64 * 0x9e37_79b9_7f4a_7c15 >> 40
	return uint32((number<<(m.groupBits&1)|group)^rotation) & m.bankMask, uint32(row64)
}
