package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/exec"
)

// The CUDA C Programming Guide's figures and rules for shared memory of compute capability 3.x, in both bank modes.
func TestSharedPasses(t *testing.T) {
	for _, test := range []struct {
		name        string
		access      *exec.Access
		four, eight int // passes in each mode
	}{
		{"f32, consecutive", access(4, func(l int) uint64 { return uint64(4 * l) }), 1, 1},
		{"f32, misaligned", access(4, func(l int) uint64 { return uint64(4*l + 20) }), 1, 1},
		{"f32, stride 2 (the guide's first figure: no conflict)", access(4, func(l int) uint64 { return uint64(8 * l) }), 1, 1},
		{"f32, stride 3 (8-byte words 1 and 33 meet)", access(4, func(l int) uint64 { return uint64(12 * l) }), 1, 2},
		{"f32, words 32 apart in one aligned 64-word segment", access(4, func(l int) uint64 { return uint64(l % 2 * 128) }), 1, 1},
		{"f32, words 32 apart across segments", access(4, func(l int) uint64 { return uint64(128 + l%2*128) }), 2, 1},
		{"f32, words 64 apart", access(4, func(l int) uint64 { return uint64(256 * (l % 2)) }), 2, 2},
		{"f32, stride 32: a column of a 32-wide tile", access(4, func(l int) uint64 { return uint64(128 * l) }), 16, 16},
		{"f32, stride 33: a column of a padded tile", access(4, func(l int) uint64 { return uint64(132 * l) }), 1, 1},
		{"f32, broadcast", access(4, func(int) uint64 { return 400 }), 1, 1},
		{"f32, permutation", access(4, func(l int) uint64 { return uint64(4 * (l * 13 % 32)) }), 1, 1},
		{"u8, consecutive", access(1, func(l int) uint64 { return uint64(l) }), 1, 1},
		{"f64, consecutive: lanes 16 apart have words 32 apart (counted on a K80)",
			access(8, func(l int) uint64 { return uint64(8 * l) }), 1, 1},
		{"f64, misaligned: their segments differ", access(8, func(l int) uint64 { return uint64(8*l + 8) }), 2, 1},
		{"f64, broadcast", access(8, func(int) uint64 { return 8 }), 1, 1},
		{"f64, column of a tile 17 wide: the 8-byte mode halves it", access(8, func(l int) uint64 { return uint64(136 * l) }), 2, 1},
		{"f64, stride 2", access(8, func(l int) uint64 { return uint64(16 * l) }), 2, 2},
		{"float4, consecutive", access(16, func(l int) uint64 { return uint64(16 * l) }), 2, 2},
		{"float4, broadcast: two transactions by a real card's counters", access(16, func(int) uint64 { return 32 }), 2, 2},
	} {
		for mode, want := range map[int]int{4: test.four, 8: test.eight} {
			requests, passes := SharedPasses(test.access, mode, &keplerBanks)
			require.Equal(t, want, passes, "%d-byte mode: %s", mode, test.name)
			require.Equal(t, max(1, int(test.access.Bytes)/8), requests, "%d-byte mode: %s", mode, test.name)
		}
	}
}

// SharedPasses equals a plain count for any banks: split in parts, the number of different rows for each bank.
func TestSharedPassesAgainstCount(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for range 3000 {
		size := 1 << random.IntN(5)
		mode := 4 << random.IntN(2)
		spread := 1 << (1 + random.IntN(11))
		banks, wide := 1<<random.IntN(6), mode<<random.IntN(2)
		row := uint64(banks * wide)
		a := access(size, func(int) uint64 { return uint64(random.IntN(spread) * size) })
		a.Active = random.Uint32() | 1
		parts := max(1, size/8)
		want := 0
		for part := range parts {
			rows := map[[2]uint64]bool{}
			count := map[uint64]int{}
			most := 0
			for lane := part * 32 / parts; lane < (part+1)*32/parts; lane++ {
				if a.Active>>lane&1 == 0 {
					continue
				}
				for byteAt := a.Address[lane]; byteAt < a.Address[lane]+uint64(size); byteAt++ {
					bank, row := byteAt/uint64(mode)%uint64(banks), byteAt/row
					if !rows[[2]uint64{bank, row}] {
						rows[[2]uint64{bank, row}] = true
						count[bank]++
						most = max(most, count[bank])
					}
				}
			}
			want += most
		}
		_, passes := SharedPasses(a, mode, &SharedBanks{keplerParts, uint32(banks - 1), log2(int(row))})
		require.Equal(t, want, passes, "%d banks of %d bytes, %d-byte mode", banks, wide, mode)
	}
}

func TestSharedAtomic(t *testing.T) {
	for lanes := 1; lanes <= 32; lanes++ {
		a := access(4, func(int) uint64 { return 64 })
		a.Active = uint32(1<<lanes - 1)
		demand, passes := SharedAtomic(a, &keplerBanks, 1024, nil)
		require.Equal(t, []LockDemand{{Lock: 16, Lanes: uint32(lanes)}}, demand, "all on one word")
		require.Equal(t, lanes, passes)
	}
	for _, c := range []struct {
		name          string
		address       func(lane int) uint64
		locks, passes int
		most          uint32
	}{
		{"a word each", func(l int) uint64 { return uint64(4 * l) }, 32, 1, 1},
		{"words that share a lock", func(l int) uint64 { return uint64(4096*(l/16) + 4*(l%16)) }, 16, 2, 2},
		{"a word each, all in one bank", func(l int) uint64 { return uint64(128 * l) }, 32, 32, 1},
		{"three words of one bank in turn, whose locks are alike in their lowest bits", func(l int) uint64 { return uint64(128 * (l % 3)) },
			3, 32, 11},
		{"two lanes a word, two words a bank", func(l int) uint64 { return uint64(4*(l/2%8) + 128*(l/16)) }, 16, 4, 2},
	} {
		demand, passes := SharedAtomic(access(4, c.address), &keplerBanks, 1024, nil)
		require.Len(t, demand, c.locks, c.name)
		require.Equal(t, c.passes, passes, c.name)
		for _, d := range demand {
			require.LessOrEqual(t, d.Lanes, c.most, c.name)
		}
	}
}

// SharedAtomic equals a plain count: round by round, each lock's next lane is served, and a round takes as many passes as it has words in
// one bank.
func TestSharedAtomicAgainstCount(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 11))
	for range 3000 {
		locks, spread := 1<<(5+random.IntN(6)), 1<<random.IntN(13)
		a := access(4, func(int) uint64 { return uint64(4 * random.IntN(spread)) })
		a.Active = random.Uint32() | 1
		wants := map[uint32][]uint64{} // the words that each lock's lanes want
		for lane := range 32 {
			if word := a.Address[lane] / 4; a.Active>>lane&1 != 0 {
				lock := uint32(word % uint64(locks))
				wants[lock] = append(wants[lock], word)
			}
		}
		want := 0
		for round := range 32 {
			words := map[uint64]int{} // by bank
			most := 0
			for _, list := range wants {
				if round < len(list) {
					words[list[round]%32]++
					most = max(most, words[list[round]%32])
				}
			}
			want += most
		}
		demand, passes := SharedAtomic(a, &keplerBanks, locks, nil)
		require.Equal(t, want, passes, "%d locks, words below %d", locks, spread)
		require.Len(t, demand, len(wants))
		for _, d := range demand {
			require.Len(t, wants[d.Lock], int(d.Lanes))
		}
	}
}

func BenchmarkSharedPasses(b *testing.B) {
	for name, stride := range map[string]uint64{"free": 4, "conflict": 128} {
		b.Run(name, func(b *testing.B) {
			a := access(4, func(l int) uint64 { return stride * uint64(l) })
			for b.Loop() {
				SharedPasses(a, 4, &keplerBanks)
			}
		})
	}
}

// A part without active lanes is no request.
func TestPartsWithoutLanesAreNoRequests(t *testing.T) {
	for active, want := range map[uint32]int{1: 1, 0xffff: 1, 1 << 16: 1, 1 << 31: 1, 1 | 1<<31: 2, 0x1_ffff: 2} {
		a := access(16, func(l int) uint64 { return uint64(16 * l) })
		a.Active = active
		requests, passes := SharedPasses(a, 8, &keplerBanks)
		require.Equal(t, [2]int{want, want}, [2]int{requests, passes}, "%#x", active)
	}
}
