package memory

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// buffer is one translation buffer. An entry is inserted when it is requested, and valid from ready on.
type buffer struct {
	entries *cache.Cache
	ready   []engine.Cycle
	page    uint64 // page size - 1
	latency engine.Cycle
}

func newBuffer(level configs.TLBLevel) (*buffer, error) {
	entries, err := cache.New(cache.Spec{Sets: max(1, level.Entries/level.Ways), Ways: level.Ways, LineBytes: level.Page, Policy: "lru"})
	if err != nil {
		return nil, err
	}
	return &buffer{
		entries: entries, ready: make([]engine.Cycle, level.Entries),
		page: uint64(level.Page - 1), latency: engine.Cycle(level.Latency),
	}, nil
}

// translation translates an SMX's addresses: levels of buffers, then walks of the page table.
type translation struct {
	// levels has the buffers of each level: one for each SMX and copy engine, or one for the chip.
	levels [][]*buffer
	// recent is the page that each SMX used last, and recentReady when it is valid. Most accesses need nothing else.
	recent      []uint64
	recentReady []engine.Cycle
	firstPage   uint64
	walkLatency engine.Cycle
	walkers     []engine.Cycle // when each walker is free
}

func newTranslation(cfg *configs.Config, clients int) (*translation, error) {
	t := &translation{walkLatency: engine.Cycle(cfg.TLB.WalkLatency), walkers: make([]engine.Cycle, cfg.TLB.Walks)}
	if len(cfg.TLB.Levels) > stats.TLBLevels {
		return nil, fmt.Errorf("tlb.levels: %d levels, at most %d are simulated", len(cfg.TLB.Levels), stats.TLBLevels)
	}
	for _, level := range cfg.TLB.Levels {
		count := 1
		if level.Scope == configs.ScopeSMX {
			count = clients
		}
		buffers := make([]*buffer, count)
		for i := range buffers {
			var err error
			if buffers[i], err = newBuffer(level); err != nil {
				return nil, err
			}
		}
		t.levels = append(t.levels, buffers)
	}
	t.recent = make([]uint64, clients)
	t.recentReady = make([]engine.Cycle, clients)
	for i := range t.recent {
		t.recent[i] = ^uint64(0)
	}
	if len(t.levels) > 0 {
		t.firstPage = t.levels[0][0].page
	}
	return t, nil
}

// translate returns when an access of an SMX at time now has its translation; a time before now means that it has long been valid. Accesses
// to one page never overtake each other. While a translation is in flight, every access that finds its entry waits for it. An access in the
// very cycle in which it arrives goes behind those that have waited.
func (t *translation) translate(smx int, address uint64, now engine.Cycle, counts *stats.Memory) engine.Cycle {
	if len(t.levels) == 0 {
		return now
	}
	page := address &^ t.firstPage
	if t.recent[smx] == page {
		counts.TLBHits[0]++
		return t.recentReady[smx]
	}
	ready := engine.Never
	hit := len(t.levels)
	for i := range t.levels {
		b := t.at(i, smx)
		if place := b.entries.Touch(address &^ b.page); place >= 0 {
			ready = b.ready[place]
			if b.latency > 0 {
				ready = max(ready, now+b.latency)
			}
			hit = i
			break
		}
	}
	if hit < len(t.levels) {
		counts.TLBHits[hit]++
	} else {
		counts.TLBWalks++
		ready = t.walk(now)
	}
	for i := range hit {
		b := t.at(i, smx)
		b.ready[b.entries.Place(address&^b.page)] = ready
	}
	t.recent[smx], t.recentReady[smx] = page, ready
	return ready
}

func (t *translation) at(level, smx int) *buffer {
	if buffers := t.levels[level]; len(buffers) > 1 {
		return buffers[smx]
	}
	return t.levels[level][0]
}

// walk books the walker that is free first.
func (t *translation) walk(now engine.Cycle) engine.Cycle {
	first := 0
	for i, free := range t.walkers {
		if free < t.walkers[first] {
			first = i
		}
	}
	t.walkers[first] = max(now, t.walkers[first]) + t.walkLatency
	return t.walkers[first]
}
