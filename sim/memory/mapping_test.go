package memory

import (
	"fmt"
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
