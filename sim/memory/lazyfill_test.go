package memory

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// squares fills the tests' memory: each word is the square of its number.
func squares(offset uint64, into []byte) {
	for i := range into {
		n := offset + uint64(i)
		into[i] = byte(uint32(n/4*(n/4)) >> (8 * (n % 4)))
	}
}

// Lazily filled memory has the same bytes as memory that is filled at once, however it is read and written. Untouched pages are not made.
func TestFillLazily(t *testing.T) {
	const bytes = 40*pageBytes + 1000
	random := rand.New(rand.NewPCG(5, 6))
	made := 0
	memories := [2]*Global{}
	var address uint64
	for i := range memories {
		g := NewGlobal(load(t, "gk110"))
		_, err := g.Allocate("before", 5000)
		require.NoError(t, err)
		address, err = g.Allocate("x", bytes)
		require.NoError(t, err)
		memories[i] = g
	}
	at, lazy := memories[0], memories[1]
	whole := make([]byte, bytes)
	squares(0, whole)
	require.NoError(t, at.Write(address, whole))
	require.NoError(t, lazy.FillLazily(address, bytes, func(offset uint64, into []byte) {
		made += len(into)
		squares(offset, into)
	}))
	require.Less(t, made, 2*pageBytes, "only pages with neighbours")
	require.True(t, lazy.HasLazyFills())
	require.Zero(t, lazy.Reach(address+20*pageBytes), "nothing is there")

	for range 30 {
		word := func() uint64 { return address + 4*uint64(random.IntN(bytes/4-32)) }
		a := &exec.Access{Kind: []exec.AccessKind{exec.AccessLoad, exec.AccessStore}[random.IntN(2)], Bytes: 4, Active: isa.FullMask}
		row := word()
		scattered := random.IntN(4) == 0
		for lane := range 32 {
			a.Address[lane], a.Data[0][lane] = row+4*uint64(lane), random.Uint32()
			if scattered {
				a.Address[lane] = word()
			}
		}
		b := *a
		at.Apply(a, isa.FullMask)
		lazy.Apply(&b, isa.FullMask)
		require.Equal(t, a.Data, b.Data)
		read, want := make([]byte, 4), make([]byte, 4)
		require.NoError(t, lazy.Read(row, read))
		require.NoError(t, at.Read(row, want))
		require.Equal(t, want, read)
		if r := lazy.Reach(row); lazy.arena != nil {
			require.True(t, row >= r.From && row < r.From+r.Bytes, "the page is there")
		}
	}
	require.Less(t, made, bytes, "not all has been touched")
	one, other := make([]byte, bytes), make([]byte, bytes)
	require.NoError(t, at.Read(address, one))
	require.NoError(t, lazy.Read(address, other))
	require.Equal(t, one, other)

	require.NoError(t, lazy.Free(address))
	again, err := lazy.Allocate("y", bytes)
	require.NoError(t, err)
	require.Equal(t, address, again)
	require.NoError(t, lazy.Read(again, other))
	require.Equal(t, make([]byte, bytes), other, "what is allocated anew is zero")
	require.False(t, lazy.HasLazyFills())
}

// Machine code may reach the filled part of lazily filled memory, over neighbouring pages.
func TestReachOfWhatIsFilledLate(t *testing.T) {
	g := NewGlobal(load(t, "gk110"))
	address, err := g.Allocate("x", 10*pageBytes)
	require.NoError(t, err)
	require.NoError(t, g.FillLazily(address, 10*pageBytes, squares))
	word := make([]byte, 4)
	for _, page := range []uint64{3, 4, 6} {
		require.NoError(t, g.Read(address+page*pageBytes+8, word))
		require.Equal(t, uint32((page*pageBytes/4+2)*(page*pageBytes/4+2)), binary.LittleEndian.Uint32(word))
	}
	if r := g.Reach(address + 3*pageBytes + 5); r.Bytes > 0 { // empty if the host gives no addresses
		require.Equal(t, address+3*pageBytes, r.From)
		require.EqualValues(t, 2*pageBytes, r.Bytes)
		require.EqualValues(t, pageBytes, g.Reach(address+6*pageBytes).Bytes)
	}
	require.Zero(t, g.Reach(address+5*pageBytes))
}
