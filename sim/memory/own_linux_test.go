package memory

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// If the system has addresses for a device's memory only later, kernels still reach the bytes that were written before.
func TestAddressesThatComeLate(t *testing.T) {
	g := NewGlobal(load(t, "gk110"))
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_AS, &before))
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: addressesInUse(t) + 1<<30, Max: before.Max}))
	early, err := g.Allocate("early", 256)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_AS, &before))
	require.NoError(t, err)
	require.Nil(t, g.arena, "the card's memory is more than there were addresses")
	require.NoError(t, g.Write(early, []byte{1, 2, 3}))
	late, err := g.Allocate("late", 256)
	require.NoError(t, err)
	require.NoError(t, g.Write(late, []byte{4, 5, 6}))
	for address, want := range map[uint64]byte{early: 1, late: 4} {
		r := g.Reach(address)
		require.NotNil(t, r.Host)
		require.Equal(t, want, *(*byte)(unsafe.Add(r.Host, address-r.From)))
	}
}

// addressesInUse returns the size of the process's address space.
func addressesInUse(t *testing.T) (bytes uint64) {
	status, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	for _, c := range strings.Fields(string(status))[0] {
		bytes = bytes*10 + uint64(c-'0')
	}
	return bytes * uint64(os.Getpagesize())
}
