package memory

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/exec"
)

// mostBanks is the largest number of shared memory banks (shared_memory.banks).
const mostBanks = 32

// SharedBanks has the banks of shared memory, and how many lanes access them at once.
type SharedBanks struct {
	parts   Parts
	last    uint32 // number of banks minus one; a mask
	rowBits uint   // log2 of the bytes of a row over all banks
}

// NewSharedBanks returns the banks of a board.
func NewSharedBanks(cfg *configs.Config) SharedBanks {
	s := &cfg.SharedMemory
	return SharedBanks{NewParts(&cfg.LoadStore), uint32(s.Banks - 1), log2(s.Banks * s.BankBytes)}
}

// SharedPasses returns how many requests an access to shared memory makes, and how many passes over the banks they take together: one each
// without conflicts. Rules of compute capability 3.x, with its 32 banks of 8 bytes (d CUDA C Programming Guide):
//
// In 4-byte mode word w of 4 bytes is in bank w mod 32. Lanes in one bank conflict unless their words are in the same aligned segment of 64
// words, which is a row: a bank reads both of them.
//
// In 8-byte mode word w of 8 bytes is in bank w mod 32. Lanes in one bank conflict unless they access the same word.
//
// Lanes on one word never conflict: a read is broadcast, and one of several writes is kept. An access that is wider than its parts is a
// request for each part.
func SharedPasses(a *exec.Access, bankMode int, banks *SharedBanks) (requests, passes int) {
	width, part := banks.parts.of(a)
	if width == 32 && a.Shape.Within(banks.rowBits) {
		return 1, 1
	}
	for start := 0; start < 32; start += width {
		if lanes := a.Active & (part << start); lanes != 0 {
			requests++
			passes += banks.passes(a, lanes, bankMode)
		}
	}
	return max(requests, 1), max(passes, 1)
}

// SharedRows returns, for each request of an access, how many rows each bank reads. The maximum of a request is its passes.
func SharedRows(a *exec.Access, bankMode int, banks *SharedBanks) (requests [][]uint8) {
	width, part := banks.parts.of(a)
	for start := 0; start < 32; start += width {
		if lanes := a.Active & (part << start); lanes != 0 {
			shift := uint(bits.TrailingZeros(uint(bankMode)))
			rows := banks.rows(a, lanes, shift, max(1, int(a.Bytes)>>shift))
			requests = append(requests, rows[:banks.last+1])
		}
	}
	return requests
}

// Needed returns the passes of a full warp's access to consecutive words of some bytes a lane.
func (b *SharedBanks) Needed(bytes uint8) int { return (int(bytes)*32 + 1<<b.rowBits - 1) >> b.rowBits }

// of returns how many lanes of an access go at once, and the mask of the first such part.
func (p *Parts) of(a *exec.Access) (width int, part uint32) {
	width = int(p.lanes(a.Bytes))
	return width, uint32(uint64(1)<<width - 1)
}

// passes returns the most different rows that one bank reads for the lanes.
func (b *SharedBanks) passes(a *exec.Access, lanes uint32, bankMode int) int {
	if a.Shape.Within(b.rowBits) {
		return 1
	}
	var row [mostBanks]uint32
	var used uint32
	shift := uint(bits.TrailingZeros(uint(bankMode)))
	words := max(1, int(a.Bytes)>>shift)
	for m := lanes; m != 0; m &= m - 1 {
		address := uint32(a.Address[bits.TrailingZeros32(m)&31])
		for range words {
			bank := address >> shift & b.last & (mostBanks - 1)
			segment := address >> (b.rowBits & 31)
			if used>>bank&1 == 0 {
				used |= 1 << bank
				row[bank] = segment
			} else if row[bank] != segment {
				rows := b.rows(a, lanes, shift, words)
				return int(slices.Max(rows[:]))
			}
			address += uint32(bankMode)
		}
	}
	return 1
}

// rows counts the different rows that each bank reads for the lanes.
func (b *SharedBanks) rows(a *exec.Access, lanes uint32, shift uint, words int) (count [mostBanks]uint8) {
	var seen [4 * 32]struct{ segment, before uint32 } // as many words as 16 bytes a lane; before: the previous of the bank
	var last [mostBanks]uint32                        // latest index into seen for each bank, plus 1
	used := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		address := uint32(a.Address[bits.TrailingZeros32(m)&31])
		for range words {
			bank := address >> shift & b.last & (mostBanks - 1)
			segment := address >> (b.rowBits & 31)
			address += 1 << shift
			at := last[bank]
			for at > 0 && seen[(at-1)%uint32(len(seen))].segment != segment {
				at = seen[(at-1)%uint32(len(seen))].before
			}
			if at == 0 {
				seen[used%uint32(len(seen))] = struct{ segment, before uint32 }{segment, last[bank]}
				used++
				last[bank] = used
				count[bank]++
			}
		}
	}
	return count
}

// LockDemand is a lock and the number of a warp's lanes that want it.
type LockDemand struct{ Lock, Lanes uint32 }

// SharedAtomic returns the demand of a shared-memory atomic: the locks that it takes, appended to demand, and the passes over the banks of
// one access in all of its rounds. The number of locks is a power of two; 4-byte word w takes lock w mod locks. A round serves one lane of
// each lock, and takes as many passes as it has words in one bank.
func SharedAtomic(a *exec.Access, banks *SharedBanks, locks int, demand []LockDemand) ([]LockDemand, int) {
	var used [32][mostBanks]uint8 // words in each bank, for each round
	var most [32]uint8            // most words in one bank, for each round
	passes := 0
	begin := len(demand)
	var last, before [32]uint8 // chains of locks with the same lowest bits: the latest, and the one before each, plus 1
	for m := a.Active; m != 0; m &= m - 1 {
		word := uint32(a.Address[bits.TrailingZeros32(m)&31]) >> 2
		lock := word & uint32(locks-1)
		found := last[lock&31]
		for found > 0 && demand[begin+int(found)-1].Lock != lock {
			found = before[(found-1)&31]
		}
		at := begin + int(found) - 1
		if found == 0 {
			at = len(demand)
			demand = append(demand, LockDemand{Lock: lock})
			before[(at-begin)&31], last[lock&31] = last[lock&31], uint8(at-begin+1)
		}
		round := demand[at].Lanes & 31
		demand[at].Lanes++
		bank := &used[round][word&banks.last&(mostBanks-1)]
		if *bank++; *bank > most[round] {
			most[round] = *bank
			passes++
		}
	}
	return demand, passes
}
