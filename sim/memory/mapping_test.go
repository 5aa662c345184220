package memory

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// mapped makes a mapping for a number of slices.
func mapped(t *testing.T, name string, slices int) Mapping {
	t.Helper()
	makeMapping, err := mappings.Find(name)
	require.NoError(t, err)
	m, err := makeMapping(&configs.Config{L2: configs.L2{Slices: slices}})
	require.NoError(t, err)
	return m
}

// In every mapping each chunk has a place of its own. The places of a slice are dense and rise with the chunks.
func TestMappingsGiveEachChunkAPlace(t *testing.T) {
	for _, test := range []struct {
		name   string
		slices int
	}{{"turning", 1}, {"turning", 2}, {"turning", 6}, {"turning", 8}, {"turning", 12}, {"digits", 4}, {"digits", 8}, {"digits", 16}} {
		t.Run(fmt.Sprint(test.name, "-", test.slices), func(t *testing.T) {
			m := mapped(t, test.name, test.slices)
			next := make([]uint64, test.slices)
			for chunk := range uint64(test.slices * 5000) {
				slice, local := m.Slice(chunk)
				require.Equal(t, next[slice], local, "chunk %d", chunk)
				next[slice]++
			}
		})
	}
}

// Group n begins at the slice of bits 8 to 23 of (n ^ n>>3 ^ n>>7 ^ n>>12) * 0x9e3779b1. These slices were computed apart from this
// program.
func TestTurningRotates(t *testing.T) {
	m := mapped(t, "turning", 6)
	for group, want := range map[uint64]int{0: 0, 1: 5, 2: 5, 3: 5, 8: 5, 9: 5, 16: 0, 127: 1, 128: 5, 200: 1, 4096: 1, 4097: 2, 8191: 0,
		70000: 1, 1048576: 5} {
		for at := range uint64(6) {
			slice, local := m.Slice(6*group + at)
			require.Equal(t, (want+int(at))%6, slice, "group %d", group)
			require.Equal(t, group, local)
		}
	}
}

// No stride of a power of two keeps more than twice its share of 1,024 accesses on one slice.
func TestTurningSpreadsPowersOfTwo(t *testing.T) {
	for _, count := range []int{2, 4, 6, 8, 10, 12} {
		m := mapped(t, "turning", count)
		for stride := range 18 { // up to 32 MB
			on := make([]int, count)
			for n := range uint64(1024) {
				slice, _ := m.Slice(n << stride)
				on[slice]++
			}
			require.LessOrEqual(t, slices.Max(on), 2*1024/count, "%d slices, stride 2^%d", count, stride)
		}
	}
}

// Numbers in digits of base 4 with their sums, and the bit above the first digit.
func TestDigitsAreAdded(t *testing.T) {
	m := mapped(t, "digits", 8)
	for _, test := range []struct {
		chunk            uint64
		partition, which int
	}{
		{0, 0, 0}, {3, 3, 0}, {0o4, 1, 1}, // 10
		{9, 3, 0},            // 21
		{15, 2, 1},           // 33
		{0b11_10_01, 2, 0},   // 321
		{1<<40 | 2, 3, 0},    // a one far up
		{3<<60 | 3<<2, 2, 1}, // 3 and 3
	} {
		slice, local := m.Slice(test.chunk)
		require.Equal(t, 2*test.partition+test.which, slice, "chunk %d", test.chunk)
		require.Equal(t, test.chunk>>3, local)
	}
}

func TestDigitsNeedAPowerOfTwo(t *testing.T) {
	for _, slices := range []string{"6", "2"} {
		_, err := configs.Load("gtx680", []string{"l2.bytes=384K", "l2.slices=" + slices})
		require.ErrorContains(t, err, "l2.mapping: digits needs a power of two of l2.slices from 4 on, not "+slices)
	}
}
