package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/stats"
)

// textureUnits are the times until which each slice's texture units are busy, in ticks.
type textureUnits []int64

// slice returns the slice of the texture cache that serves a scheduler's warps.
func (t textureUnits) slice(scheduler uint) uint { return scheduler % uint(len(t)) }

// texturedPlaces returns the places of classes that the texture units carry out: texture reads, and read-only loads if the chip has them.
// Those go through the texture units because the read-only cache is theirs (d GK110WP).
func texturedPlaces(config *configs.Config) uint64 {
	if config.Features.ReadOnlyLoads {
		return 1<<isa.ClassTexture | 1<<isa.ClassReadOnly
	}
	return 1 << isa.ClassTexture
}

// byTexture reports whether the texture units carry out operations of a class.
func (l *loadStore) byTexture(class isa.Class) bool { return l.textured>>class&1 != 0 }

// accepts reports whether the unit for memory operations of a class can take another.
func (s *lsu) accepts(sc *warpScheduler, class isa.Class) bool {
	if !s.loadStore.byTexture(class) {
		return s.loadStore.accepts(class, s.now)
	}
	return s.textureAccepts(sc) <= s.now
}

// textureAccepts returns when a scheduler's texture units have room for an access, never if they need a response first.
func (s *lsu) textureAccepts(sc *warpScheduler) engine.Cycle {
	l := &s.loadStore
	if number := l.textures.slice(sc.index); l.readOnly[number].held == 0 && l.pending < l.mostPending {
		return engine.Cycle(l.textures[number]/ticks) - engine.Cycle(s.config.Texture.Queue) + 1
	}
	return never
}

// texture carries out a texture read: it looks up its texels' lines in the texture cache and filters them. It returns when the result is
// ready, never if unknown.
func (s *lsu) texture(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	if fault := memory.PastTexels(s.global, &a.Access); fault != nil {
		s.accessFault(w, op, fault)
		return 0
	}
	l, c := &s.loadStore, &w.gridState.Counters
	through := &l.readOnly[l.textures.slice(sc.index)]
	l.transactions = memory.TextureLines(&a.Access, through.line, l.transactions[:0])
	return s.throughTexture(sc, w, op, a, filterCycles(&a.Access, s.config), &c.Texture, &c.TextureCache)
}

// readOnlyLoad carries out a load from global memory through the read-only cache. The texture units return up to 8 bytes a lane and cycle,
// like a texel.
func (s *lsu) readOnlyLoad(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	l, c := &s.loadStore, &w.gridState.Counters
	through := &l.readOnly[l.textures.slice(sc.index)]
	l.transactions = memory.Coalesce(&a.Access, through.line, &l.parts, l.transactions[:0])
	if s.config.Ideal.Coalescing {
		l.transactions = memory.Pack(l.transactions, &a.Access, through.line)
	}
	return s.throughTexture(sc, w, op, a, quadCycles(int(a.Bytes), 1, s.config), &c.ReadOnlyLoad, &c.ReadOnly)
}

// throughTexture books the texture units of a scheduler's slice for an access whose lines are the transactions. The cache's tags take one
// line a cycle. Each quad of lanes takes the units quad cycles.
func (s *lsu) throughTexture(
	sc *warpScheduler, w *warp, op *operation, a *access, quad int, traffic *stats.Traffic, hits *stats.CacheCount,
) engine.Cycle {
	l, c := &s.loadStore, &w.gridState.Counters
	number := l.textures.slice(sc.index)
	through := &l.readOnly[number]
	a.cached = true
	sectors := 0
	for i := range l.transactions {
		sectors += bits.OnesCount8(l.transactions[i].Sectors)
	}
	s.ledger.tally(w.gridState, traffic, op, &a.Access, len(l.transactions), sectors)
	quads := int64(0)
	for m := a.Active; m != 0; m &^= 0xf << (bits.TrailingZeros32(m) &^ 3) {
		quads++
	}
	busyCycles := quads * int64(quad)
	c.TextureQuads += uint64(quads)
	c.TextureCycles += uint64(busyCycles)
	begin := max(int64(s.now)*ticks, l.textures[number])
	busy := max(busyCycles, int64(len(l.transactions))) * ticks
	l.textures[number] = begin + busy
	start := engine.Cycle(begin / ticks)
	for i := range l.transactions {
		s.lookUp(a, through, &l.transactions[i], start+engine.Cycle(i), hits)
	}
	return s.afterLookUp(w, op, a, start+through.latency+engine.Cycle(busy/ticks-1))
}

// filterCycles returns how many cycles a slice's texture units work on a quad.
func filterCycles(a *exec.Access, config *configs.Config) int {
	texels := 1
	if a.Sampling.Linear && !a.Integers {
		dimensions := a.Image.Geometry.Dimensions()
		if a.Image.Geometry.IsCube() { // each side is a 2-D image
			dimensions = 2
		}
		texels = 1 << dimensions
	}
	return quadCycles(a.Image.TexelBytes(), texels, config)
}

// quadCycles returns how many cycles a slice's texture units work on four lanes, each with a number of texels of some size.
func quadCycles(texelBytes, texels int, config *configs.Config) int {
	units := config.Pipelines.Units[configs.UnitTexture].Private // of a scheduler, so of a slice
	return max(1, texels/config.Texture.Texels) * max(1, texelBytes/config.Texture.TexelBytes) * max(1, 4/max(1, units))
}

// inBlocks returns a surface access with the texels' addresses in device memory.
func (l *loadStore) inBlocks(a *exec.Access) *exec.Access {
	l.blocks.Active, l.blocks.Bytes = a.Active, a.Bytes
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		l.blocks.Address[lane] = a.Image.InBlocks(a.Address[lane])
	}
	return &l.blocks
}
