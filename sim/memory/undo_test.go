package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/texture"
	"github.com/keplersim/keplersim/sim/engine"
)

// words is an access of 4 bytes a lane at an address.
func words(kind exec.AccessKind, address uint64, value uint32) *exec.Access {
	a := &exec.Access{Kind: kind, Space: isa.SpaceGlobal, Bytes: 4, Active: isa.FullMask}
	for lane := range a.Address {
		a.Address[lane] = address + 4*uint64(lane)
		a.Data[0][lane] = value + uint32(lane)
	}
	return a
}

// While the memory system runs concurrently, a load through a cache reads memory as it was when the epoch began, whether later stores have
// been carried out or not. A load of unmarked bytes calls no recall.
func TestLoadsReadWhatTheEpochBeganWith(t *testing.T) {
	cfg := load(t, "k40")
	g := NewGlobal(cfg)
	address, err := g.Allocate("data", 1<<20)
	require.NoError(t, err)
	if !g.whole() {
		t.Skip("pages come as they are written")
	}
	s := New(cfg, g)
	asked := 0
	require.True(t, s.Remember(func(smx int) {
		assert.Equal(t, 1, smx)
		asked++
		s.Rewind()
	}))
	read := func(address uint64) uint32 {
		a := words(exec.AccessLoad, address, 0)
		s.Port(1).Load(a, isa.FullMask)
		return a.Data[0][3]
	}
	held := func(address uint64) uint32 {
		a := words(exec.AccessLoad, address, 0)
		g.Apply(a, isa.FullMask)
		return a.Data[0][3]
	}
	const end = 10_000 // no other port sends anything, so the Step may be long
	s.Port(0).Sync()
	for i, value := range []uint32{100, 200} { // two effects on one line
		s.Port(0).Send(Request{Issued: engine.Cycle(1 + 4*i), Kind: RequestStore, Line: address + 512, Sectors: 15, Lanes: isa.FullMask,
			Access: words(exec.AccessStore, address+512, value)})
	}
	s.Port(0).Publish()
	assert.Zero(t, read(address), "another piece")
	assert.Zero(t, asked)
	assert.Zero(t, read(address+512), "sent, and not carried out")
	assert.Equal(t, 1, asked)
	s.Forward()

	s.Part(end)
	assert.Equal(t, uint32(203), held(address+512), "carried out")
	assert.Zero(t, read(address+512))
	assert.Zero(t, read(address+512), "as long as it is rewound")
	assert.Equal(t, 2, asked)
	s.Forward()
	assert.Equal(t, uint32(203), held(address+512))

	s.EndStep(end)
	assert.Equal(t, uint32(203), read(address+512), "in the next epoch")
	s.Forward()
	require.True(t, s.Remember(nil))
	assert.Equal(t, uint32(203), read(address+512))
	assert.Equal(t, 3, asked)
}

// A mark is found in any range that overlaps it, and in no other.
func TestMarkedPieces(t *testing.T) {
	g := NewGlobal(load(t, "k40"))
	address, err := g.Allocate("data", 40<<20)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := newUndoLog(g, nil)
		marked := map[uint64]bool{}
		for range random.IntN(4) {
			a := words(exec.AccessStore, address+4*random.Uint64N(10<<20-32), 0)
			p.mark(a, isa.FullMask)
			marked[p.piece(a.Address[0])], marked[p.piece(a.Address[31])] = true, true
		}
		for range 200 {
			first := random.Uint64N(40 << 12)
			last := min(first+random.Uint64N(1<<random.IntN(17)), 40<<12-1)
			want := false
			for piece := range marked {
				want = want || first <= piece && piece <= last
			}
			assert.Equal(t, want, p.within(first, last), "pieces %d to %d of %v", first, last, marked)
		}
		for piece := range marked {
			assert.True(t, p.touches(words(exec.AccessLoad, g.base+piece<<pieceShift, 0), 1))
			image := &texture.Image{Address: g.base + piece<<pieceShift - 64, Width: 65, Height: 1, Depth: 1, Layers: 1, Channels: 1}
			assert.True(t, p.touches(&exec.Access{Space: isa.SpaceTexture, Image: image}, 1))
		}
	}
}
