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

// textureUnits are the times up to which each slice's texture units have work, in ticks.
type textureUnits []int64

// slice returns the slice of the texture cache whose units serve a scheduler's warps.
func (t textureUnits) slice(scheduler uint) uint { return scheduler % uint(len(t)) }

// texturedPlaces are the places of the classes whose operations the texture units carry out: texture reads, and read-only loads where the
// chip has them (d GK110WP: the read-only cache is the texture units', and loads go through these).
func texturedPlaces(config *configs.Config) uint64 {
	if config.Features.ReadOnlyLoads {
		return 1<<isa.ClassTexture | 1<<isa.ClassReadOnly
	}
	return 1 << isa.ClassTexture
}

// byTexture reports whether the texture units carry out the operations of a class.
func (l *loadStore) byTexture(class isa.Class) bool { return l.textured>>class&1 != 0 }

// accepts reports whether the unit that carries out memory operations of a class can take another.
func (s *lsu) accepts(sc *warpScheduler, class isa.Class) bool {
	if !s.loadStore.byTexture(class) {
		return s.loadStore.accepts(class, s.now)
	}
	return s.textureAccepts(sc) <= s.now
}

// textureAccepts returns from when on a scheduler's texture units have room for an access; never if a response has to come first.
func (s *lsu) textureAccepts(sc *warpScheduler) engine.Cycle {
	l := &s.loadStore
	if number := l.textures.slice(sc.index); l.readOnly[number].held == 0 && l.pending < l.mostPending {
		return engine.Cycle(l.textures[number]/ticks) - engine.Cycle(s.config.Texture.Queue) + 1
	}
	return never
}

// texture carries out a texture read: it looks its texels' lines up in the texture cache and filters them. It returns when the
// result is ready if that is known, else never.
func (s *lsu) texture(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	l, c := &s.loadStore, &w.gridState.Counters
	through := &l.readOnly[l.textures.slice(sc.index)]
	l.transactions = memory.TextureLines(&a.Access, through.line, l.transactions[:0])
	return s.throughTexture(sc, w, op, a, filterCycles(&a.Access, s.config), &c.Texture, &c.TextureCache)
}

// readOnlyLoad carries out a load from global memory through the read-only cache: of each lane the texture units give up to 8
// bytes a cycle, as of a texel.
func (s *lsu) readOnlyLoad(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	l, c := &s.loadStore, &w.gridState.Counters
	through := &l.readOnly[l.textures.slice(sc.index)]
	l.transactions = memory.Coalesce(&a.Access, through.line, &l.parts, l.transactions[:0])
	if s.config.Ideal.Coalescing {
		l.transactions = memory.Pack(l.transactions, &a.Access, through.line)
	}
	return s.throughTexture(sc, w, op, a, quadCycles(int(a.Bytes), 1, s.config), &c.ReadOnlyLoad, &c.ReadOnly)
}

// throughTexture has the texture units of a scheduler's slice work on an access whose lines are the transactions: the cache's
// tags answer one line a cycle, and a quad of lanes takes the units so many.
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

// filterCycles returns how long the texture units of a slice work on a quad's results.
func filterCycles(a *exec.Access, config *configs.Config) int {
	texels := 1
	if a.Sampling.Linear && !a.Integers {
		dimensions := a.Image.Geometry.Dimensions()
		if a.Image.Geometry.IsCube() { // each of its sides is an image
			dimensions = 2
		}
		texels = 1 << dimensions
	}
	return quadCycles(a.Image.TexelBytes(), texels, config)
}

// quadCycles returns how long the texture units of a slice work on four lanes, each of which takes so many texels of so many bytes.
func quadCycles(texelBytes, texels int, config *configs.Config) int {
	units := config.Pipelines.Units[configs.UnitTexture].Private // of a scheduler, and so of a slice
	return max(1, texels/config.Texture.Texels) * max(1, texelBytes/config.Texture.TexelBytes) * max(1, 4/max(1, units))
}

// inBlocks returns a surface access with the addresses that memory sees.
func (l *loadStore) inBlocks(a *exec.Access) *exec.Access {
	l.blocks.Active, l.blocks.Bytes = a.Active, a.Bytes
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		l.blocks.Address[lane] = a.Image.InBlocks(a.Address[lane])
	}
	return &l.blocks
}
