package memory

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestArenaGivesNumbersOutAgain(t *testing.T) {
	var a arena[fill]
	require.Zero(t, a.used())
	put := func(line uint64) int32 {
		number := a.take()
		*a.at(number) = fill{line: line}
		return number
	}
	first, second := put(10), put(20)
	require.NotEqual(t, first, second)
	a.drop(first)
	require.Equal(t, 1, a.used())
	require.Equal(t, first, put(30), "the number given back is the next given out")
	require.Equal(t, uint64(30), a.at(first).line)
	require.Equal(t, uint64(20), a.at(second).line, "others stay where they are")
	require.Equal(t, 2, a.used())
}

// A flight that grows beyond a line of the host's caches costs each request a second one.
func TestAFlightLiesInALine(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(flight{}), uintptr(64))
}
