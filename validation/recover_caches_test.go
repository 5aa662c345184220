package validation

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/configs"
)

// RecoveredCache has a cache's parameters as the stride sweep finds them from load latencies, and as configured.
type RecoveredCache struct {
	Name       string // as L1 (local loads)
	Found      Geometry
	Configured Geometry // the values that the sweep looks for; 0 for the others
}

// Equal tells whether all found values are the configured ones.
func (c *RecoveredCache) Equal() bool { return c.Found == c.Configured }

// cacheSweep describes a cache that a sweep can recover.
type cacheSweep struct {
	name, path, split string
	scatter           int
	search            search
	code              int // for instructions: bytes of code that fit only this level; then there is no search
	configured        func(c *configs.Config) Geometry
	has               func(c *configs.Config) bool // nil: every chip
}

// geometry is a cache with all parameters to find.
func geometry(bytes, line, sector, ways int) Geometry {
	return Geometry{Capacity: int64(bytes), Line: int64(line), Sector: int64(sector), Ways: int64(ways), Sets: int64(bytes / line / ways)}
}

// l1Geometry is L1 with the split that the sweep uses.
func l1Geometry(prefer configs.CachePreference) func(*configs.Config) Geometry {
	return func(c *configs.Config) Geometry {
		for _, split := range c.SharedMemory.CarveOuts {
			if split.Prefer == prefer {
				return geometry(split.L1, c.L1.Line, c.L1.Line, split.L1/c.L1.Line/split.L1Sets)
			}
		}
		return Geometry{}
	}
}

// tlbGeometry is a TLB level; its pages are its lines.
func tlbGeometry(level int) func(*configs.Config) Geometry {
	return func(c *configs.Config) Geometry {
		l := c.TLB.Levels[level]
		return Geometry{Capacity: int64(l.Page * l.Entries), Line: int64(l.Page), Ways: int64(l.Ways), Sets: int64(l.Entries / l.Ways)}
	}
}

func cachesGlobalLoads(c *configs.Config) bool { return c.L1.GlobalLoads != configs.LoadsNever }

func constantGeometry(level configs.CacheLevel) Geometry {
	return geometry(level.Bytes, level.Line, level.Line, level.Ways)
}

// cacheSweeps returns the caches that loads can see, the nearest first. Margins separate the latency of the next level from other delays.
func cacheSweeps(config *configs.Config) []cacheSweep {
	l2Step := int64(64) // so that a chase through twice L2 fits into mostLoads
	if 2*int64(config.L2.Bytes)/l2Step > mostLoads {
		l2Step = 128
	}
	l1 := search{step: 32, most: 128 << 10, margin: 20, unit: 4, sectors: true}
	sweeps := []cacheSweep{
		{name: "L1, local loads, 16 KB", path: "local", split: "shared", search: l1, configured: l1Geometry("shared")},
		{name: "L1, local loads, 32 KB", path: "local", split: "equal", search: l1, configured: l1Geometry("equal")},
		{name: "L1, local loads, 48 KB", path: "local", split: "l1", search: l1, configured: l1Geometry("l1")},
		{name: "L1, global loads with .ca", path: "global.ca", split: "l1", search: l1, configured: l1Geometry("l1"),
			has: cachesGlobalLoads},
		{
			name: "read-only cache, a slice", path: "read-only",
			search: search{step: 32, most: 64 << 10, margin: 20, unit: 4, sectors: true},
			configured: func(c *configs.Config) Geometry {
				return geometry(c.ReadOnly.Bytes/c.ReadOnly.Slices, c.ReadOnly.Line, c.ReadOnly.Sector, c.ReadOnly.Ways)
			},
			has: func(c *configs.Config) bool { return c.Features.ReadOnlyLoads },
		},
		{
			name: "constant L1", path: "constant", search: search{step: 16, most: 16 << 10, margin: 20, unit: 4, sectors: true},
			configured: func(c *configs.Config) Geometry { return constantGeometry(c.ConstantCache.L1) },
		},
		{
			name: "constant L1.5", path: "constant",
			search: search{step: int64(config.ConstantCache.L1.Line), most: constantReach, nearer: int64(config.ConstantCache.L1.Bytes),
				margin: 20, unit: 16, sectors: true},
			configured: func(c *configs.Config) Geometry { return constantGeometry(c.ConstantCache.L15) },
		},
		{name: "instruction L1", code: 2 << 10, configured: func(c *configs.Config) Geometry {
			return Geometry{Capacity: int64(c.InstructionCache.L1.Bytes)}
		}},
		{
			name: "instruction L1.5", code: 2 * config.InstructionCache.L1.Bytes,
			configured: func(c *configs.Config) Geometry { return Geometry{Capacity: int64(c.InstructionCache.L15.Bytes)} },
		},
		{
			name: "L2", path: "global.cg",
			search: search{step: l2Step, most: mostLoads * l2Step, margin: 50, unit: 4, sectors: true, hashed: true},
			configured: func(c *configs.Config) Geometry {
				return Geometry{Capacity: int64(c.L2.Bytes), Line: int64(c.L2.Line), Sector: int64(c.L2.Sector)}
			},
		},
	}
	// A chase for TLB entries uses lines that are spread over L2's sets, so L2 holds them all.
	nearer, step := int64(0), int64(0)
	for i, level := range config.TLB.Levels {
		reach, unit := int64(level.Page*level.Entries), int64(level.Page)/8
		if i == 0 {
			step = int64(level.Page) / 2
		}
		if 2*reach > int64(config.DRAM.Bytes) || 2*reach/step > mostLoads {
			break // beyond the board's memory, or too many loads for a chase
		}
		sweeps = append(sweeps, cacheSweep{
			name: fmt.Sprintf("TLB level %d", i+1), path: "global.cg", scatter: 128,
			search: search{step: step, most: 2 * reach, nearer: nearer, margin: 15, unit: unit}, configured: tlbGeometry(i),
		})
		nearer, step = reach, int64(level.Page)
	}
	return sweeps
}

// RecoverCaches finds the parameters of a board's caches and TLBs from load latencies alone, one cache after another.
func RecoverCaches(ctx context.Context, config *configs.Config, o Options) ([]RecoveredCache, error) {
	return recoverCaches(ctx, config, o, func(string) bool { return true })
}

// recoverCaches looks for the wanted caches.
func recoverCaches(ctx context.Context, config *configs.Config, o Options, wanted func(name string) bool) ([]RecoveredCache, error) {
	var sweeps []cacheSweep
	for _, s := range cacheSweeps(config) {
		if wanted(s.name) && (s.has == nil || s.has(config)) {
			sweeps = append(sweeps, s)
		}
	}
	var found []RecoveredCache
	for i, s := range sweeps {
		if o.Progress != nil {
			o.Progress(Progress{Done: i, Total: len(sweeps), Row: s.name})
		}
		p := &prober{config: config, path: s.path, cacheConfig: s.split, scatter: s.scatter}
		find := func() (Geometry, error) { return recoverGeometry(ctx, p.latencies, s.search) }
		if s.code > 0 {
			find = func() (Geometry, error) { return recoverInstructions(ctx, config, s.code) }
		}
		g, err := find()
		if err != nil {
			return found, fmt.Errorf("%s: %w", s.name, err)
		}
		found = append(found, RecoveredCache{Name: s.name, Found: g, Configured: s.configured(config)})
	}
	return found, nil
}
