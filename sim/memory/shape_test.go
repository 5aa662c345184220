package memory

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// shapeOf returns an access's shape, address by address.
func shapeOf(a *exec.Access) exec.Shape {
	s := exec.Shape{Known: true, Consecutive: true, Low: ^uint64(0)}
	for lane, x := range a.Address {
		s.Low &= x
		s.High |= x
		s.Consecutive = s.Consecutive && x == a.Address[0]+uint64(lane)*uint64(a.Bytes)
	}
	return s
}

// An access with a known shape gives the same transactions, passes and effects as without.
func TestShapesSaveWorkAndChangeNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	cfg, err := configs.Load("k40", nil)
	require.NoError(t, err)
	g, other := NewGlobal(cfg), NewGlobal(cfg)
	const arrayBytes = 3 * pageBytes
	base, err := g.Allocate("array", arrayBytes)
	require.NoError(t, err)
	same, err := other.Allocate("array", arrayBytes)
	require.NoError(t, err)
	require.Equal(t, base, same)
	left, right := make([]byte, arrayBytes), make([]byte, arrayBytes)
	for n := range 3000 {
		a := exec.Access{
			Kind: exec.AccessKind(random.IntN(2)), Space: isa.SpaceGlobal, Bytes: uint8(1) << random.IntN(5), Active: isa.FullMask,
		}
		size := uint64(a.Bytes)
		start := random.Uint64N((arrayBytes-32*size)/size) * size
		if n%3 == 0 {
			start = pageBytes - 16*size // across two pages
		}
		step := []uint64{1, 1, 0, 2}[random.IntN(4)]
		for lane := range a.Address {
			offset := (start + uint64(lane)*step*size) % (arrayBytes - size)
			a.Address[lane] = base + offset/size*size
			for word := range a.Data {
				a.Data[word][lane] = random.Uint32()
			}
		}
		if random.IntN(4) == 0 {
			a.Active = random.Uint32()
		}
		shaped := a
		shaped.Shape = shapeOf(&a)
		for _, line := range []int{32, 128, 256} {
			whole := Coalesce(&a, line, &keplerParts, nil)
			require.Equal(t, whole, Coalesce(&shaped, line, &keplerParts, nil), "lines of %d bytes: %v", line, a.Address)
		}
		for _, mode := range []int{4, 8} {
			requests, passes := SharedPasses(&a, mode, &keplerBanks)
			gotRequests, gotPasses := SharedPasses(&shaped, mode, &keplerBanks)
			require.Equal(t, [2]int{requests, passes}, [2]int{gotRequests, gotPasses}, "banks of %d bytes: %v", mode, a.Address)
		}
		g.Apply(&a, a.Active)
		other.Apply(&shaped, a.Active)
		require.Equal(t, a.Data, shaped.Data)
		require.NoError(t, g.Read(base, left))
		require.NoError(t, other.Read(base, right))
		require.True(t, bytes.Equal(left, right), "%v", a.Address)
	}
}
