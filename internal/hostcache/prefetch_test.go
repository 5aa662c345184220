package hostcache

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Prefetches are hints: rows that do not exist are no fault, and no value changes.
func TestAskingIsOnlyAHint(t *testing.T) {
	rows := make([][32]uint32, 4)
	for i := range rows {
		rows[i][0], rows[i][31] = uint32(i), ^uint32(i)
	}
	Rows(&rows[0], nil)
	Rows(&rows[0], []uint16{3, 0, 255, 65535})
	Value(&rows[0], 0)
	Value(&rows[3], 1<<20)
	Lines(&rows[0], &rows[3][31], (*int)(nil))
	Owned(&rows[0], 0)
	Owned(&rows[3], 1<<20)
	for i := range rows {
		require.Equal(t, [2]uint32{uint32(i), ^uint32(i)}, [2]uint32{rows[i][0], rows[i][31]})
	}
}
