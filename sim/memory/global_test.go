package memory

import (
	"bytes"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

func TestAllocate(t *testing.T) {
	cfg := load(t, "gk110")
	g := NewGlobal(cfg)
	a, err := g.Allocate("a", 1000)
	require.NoError(t, err)
	require.Zero(t, a%256)
	b, err := g.Allocate("b", 1)
	require.NoError(t, err)
	require.Zero(t, b%256)
	require.True(t, g.Find(a, 1000))
	require.True(t, g.Find(a+996, 4))
	require.False(t, g.Find(a+997, 4), "past the end")
	require.False(t, g.Find(a-1, 1))
	require.True(t, g.Find(b, 1))
	require.False(t, g.Find(b, 2))
	require.False(t, g.Find(0, 1))
	require.False(t, g.Find(^uint64(0), 1))
	require.Greater(t, b, a+1000, "an overrun of one piece does not land in the next")

	nearest, distance := g.Nearest(a + 1000)
	require.Equal(t, "a", nearest.Name)
	require.EqualValues(t, 1, distance)
	nearest, distance = g.Nearest(b - 4)
	require.Equal(t, "b", nearest.Name)
	require.EqualValues(t, -4, distance)
	_, distance = g.Nearest(a + 5)
	require.Zero(t, distance)

	_, err = g.Allocate("none", 0)
	require.ErrorContains(t, err, "zero bytes")
	_, err = g.Allocate("huge", g.Capacity())
	require.ErrorContains(t, err, "huge")
	require.ErrorContains(t, g.Free(a+256), "no allocation begins there")
	require.NoError(t, g.Free(a))
	require.False(t, g.Find(a, 1))
	c, err := g.Allocate("c", 500)
	require.NoError(t, err)
	require.Equal(t, a, c, "the gap is used again")
}

// ECC takes part of the capacity: 4.7 of 5 GB remain on a K20.
func TestCapacityWithECC(t *testing.T) {
	g := NewGlobal(load(t, "k20"))
	require.InDelta(t, 4.7, float64(g.Capacity())/(1<<30), 0.05)
	require.EqualValues(t, 5<<30, NewGlobal(load(t, "k20", "dram.ecc=false")).Capacity())
}

func TestFreedMemoryComesBackZeroed(t *testing.T) {
	g := NewGlobal(load(t, "gk110"))
	for _, size := range []uint64{100, 200_000} {
		a, err := g.Allocate("a", size)
		require.NoError(t, err)
		require.NoError(t, g.Write(a, bytes.Repeat([]byte{7}, int(size))))
		keep, err := g.Allocate("keep", 10)
		require.NoError(t, err)
		require.NoError(t, g.Free(a))
		b, err := g.Allocate("b", size)
		require.NoError(t, err)
		require.Equal(t, a, b)
		got := make([]byte, size)
		require.NoError(t, g.Read(b, got))
		require.Equal(t, make([]byte, size), got)
		require.NoError(t, g.Free(b))
		require.NoError(t, g.Free(keep))
	}
}

// A shared arena takes an allocation's pages at once, unless more is allocated than a program is sure to use.
func TestPagesAreTakenAtOnce(t *testing.T) {
	g, taken := NewGlobal(load(t, "k40")), [][2]uint64{}
	g.UseArena(&Arena{
		Base: 1 << 32, Bytes: make([]byte, 2*mostTouched),
		Zero:  func(uint64, uint64) error { return nil },
		Touch: func(from, to uint64) { taken = append(taken, [2]uint64{from, to}) },
	})
	for _, bytes := range []uint64{mostTouched - 1<<20, 2 << 20} {
		_, err := g.Allocate("a", bytes)
		require.NoError(t, err)
	}
	require.NoError(t, g.Free(1<<32))
	_, err := g.Allocate("b", 5000)
	require.NoError(t, err)
	require.Equal(t, [][2]uint64{{0, mostTouched - 1<<20}, {0, 5000}}, taken)
}

// Random allocations, frees, reads and writes against plain byte slices.
func TestGlobalAgainstSlices(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	g := NewGlobal(load(t, "gk110"))
	model := map[uint64][]byte{}
	var order []uint64
	for range 1500 {
		switch random.IntN(6) {
		case 0:
			size := 1 + random.IntN(300_000)>>random.IntN(16)
			a, err := g.Allocate("x", uint64(size))
			require.NoError(t, err)
			for other, data := range model {
				require.False(t, a < other+uint64(len(data)) && other < a+uint64(size), "overlap")
			}
			model[a] = make([]byte, size)
			order = append(order, a)
			sort.Slice(order, func(i, j int) bool { return order[i] < order[j] })
		case 1:
			if len(order) > 20 {
				i := random.IntN(len(order))
				require.NoError(t, g.Free(order[i]))
				delete(model, order[i])
				order = append(order[:i], order[i+1:]...)
			}
		default:
			if len(order) == 0 {
				continue
			}
			a := order[random.IntN(len(order))]
			data := model[a]
			from := random.IntN(len(data))
			n := random.IntN(len(data)-from) + 1
			if random.IntN(2) == 0 {
				for i := range data[from : from+n] {
					data[from+i] = byte(random.Uint32())
				}
				require.NoError(t, g.Write(a+uint64(from), data[from:from+n]))
			} else {
				got := make([]byte, n)
				require.NoError(t, g.Read(a+uint64(from), got))
				require.Equal(t, data[from:from+n], got)
			}
			probe := a - 3 + uint64(random.IntN(len(data)+6))
			require.Equal(t, probe >= a && probe+2 <= a+uint64(len(data)), g.Find(probe, 2))
		}
	}
	for i, a := range g.Allocations() {
		require.Equal(t, order[i], a.Address)
	}
}

func TestReadAndWriteOutsideAreErrors(t *testing.T) {
	g := NewGlobal(load(t, "gk110"))
	a, err := g.Allocate("a", 10)
	require.NoError(t, err)
	require.ErrorIs(t, g.Write(a, make([]byte, 11)), errNotAllocated)
	require.ErrorIs(t, g.Read(a+8, make([]byte, 4)), errNotAllocated)
	require.NoError(t, g.Read(a+10, nil))
}

func TestApply(t *testing.T) {
	g := NewGlobal(load(t, "gk110"))
	address, err := g.Allocate("a", 4096)
	require.NoError(t, err)
	for _, size := range []int{1, 2, 4, 8, 16} {
		store := &exec.Access{Kind: exec.AccessStore, Bytes: uint8(size), Active: isa.FullMask}
		want := make([]byte, 32*size)
		for lane := range 32 {
			store.Address[lane] = address + uint64((31-lane)*size)
			for b := range size {
				v := byte(lane*size + b + size)
				want[(31-lane)*size+b] = v
				store.Data[b/4][lane] |= uint32(v) << (8 * (b % 4))
			}
		}
		g.Apply(store, isa.FullMask)
		got := make([]byte, len(want))
		require.NoError(t, g.Read(address, got))
		require.Equal(t, want, got, "%d bytes", size)
		load := &exec.Access{Kind: exec.AccessLoad, Bytes: uint8(size), Active: isa.FullMask, Address: store.Address}
		g.Apply(load, 0x0000_ffff)
		for lane := range 32 {
			for w := range (size + 3) / 4 {
				if lane < 16 {
					require.Equal(t, store.Data[w][lane], load.Data[w][lane])
				} else {
					require.Zero(t, load.Data[w][lane], "not asked for")
				}
			}
		}
	}
}

// Atomics run in lane order: each lane gets the running sum of those before it.
func TestAtomicsApplyInLaneOrder(t *testing.T) {
	g := NewGlobal(load(t, "gk110"))
	address, err := g.Allocate("a", 64)
	require.NoError(t, err)
	for _, size := range []int{4, 8} {
		kind := map[int]isa.Type{4: isa.U32, 8: isa.U64}[size]
		a := &exec.Access{Kind: exec.AccessAtomic, Bytes: uint8(size), Active: isa.FullMask, Operation: isa.AtomicAdd, Type: kind}
		for lane := range 32 {
			a.Address[lane] = address + 8
			a.Data[0][lane] = 0xffff_fff0
		}
		require.NoError(t, g.Write(address, make([]byte, 64)))
		g.Apply(a, isa.FullMask)
		for lane := range 32 {
			sum := uint64(lane) * 0xffff_fff0
			require.Equal(t, uint32(sum), a.Data[0][lane])
			if size == 8 {
				require.Equal(t, uint32(sum>>32), a.Data[1][lane])
			}
		}
	}
	cas := &exec.Access{Kind: exec.AccessAtomic, Bytes: 4, Active: 3, Operation: isa.AtomicCas, Type: isa.B32}
	require.NoError(t, g.Write(address, []byte{5, 0, 0, 0}))
	cas.Address[0], cas.Address[1] = address, address
	cas.Compare[0][0], cas.Compare[0][1] = 5, 5
	cas.Data[0][0], cas.Data[0][1] = 9, 11
	g.ApplyLane(cas, 0)
	g.ApplyLane(cas, 1)
	require.EqualValues(t, 5, cas.Data[0][0])
	require.EqualValues(t, 9, cas.Data[0][1], "the second comparison failed")
	got := make([]byte, 4)
	require.NoError(t, g.Read(address, got))
	require.Equal(t, []byte{9, 0, 0, 0}, got)
}

func BenchmarkFind(b *testing.B) {
	g := NewGlobal(load(b, "gk110"))
	var at uint64
	for range 10 {
		at, _ = g.Allocate("x", 10<<20)
	}
	for b.Loop() {
		g.Find(at+123456, 4)
	}
}

func BenchmarkApplyLoad(b *testing.B) {
	g := NewGlobal(load(b, "gk110"))
	at, _ := g.Allocate("x", 4096)
	require.NoError(b, g.Write(at, make([]byte, 4096)))
	a := &exec.Access{Kind: exec.AccessLoad, Bytes: 4, Active: isa.FullMask}
	for lane := range 32 {
		a.Address[lane] = at + uint64(4*lane)
	}
	for b.Loop() {
		g.Apply(a, isa.FullMask)
	}
}
