package smx

import (
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// hierarchy is a pair of small read-only caches, private to the SMX and backed by L2: the instruction caches or the constant caches.
// Latencies are from an access's start to its data.
type hierarchy struct {
	l1, l15                       *cache.Cache
	line1, line15                 uint64
	latency1, latency15, latency2 engine.Cycle
	registers1, registers15       int // lines that may be in flight to a level
	arriving                      []arrival
	ends                          []engine.Cycle // scratch of start
	recent                        uint64         // line of the last hit, plus one; 0 if it may have been evicted
}

// arrival is a line in flight to the first level.
type arrival struct {
	line uint64
	at   engine.Cycle
	far  bool // from L2: the second level waits for it, too
}

func newHierarchy(l1, l15 configs.CacheLevel, latency2 int) (hierarchy, error) {
	h := hierarchy{
		line1: uint64(l1.Line), line15: uint64(l15.Line),
		latency1: engine.Cycle(l1.Latency), latency15: engine.Cycle(l15.Latency), latency2: engine.Cycle(latency2),
		registers1: l1.MissRegisters, registers15: l15.MissRegisters,
	}
	var err error
	if h.l1, err = newLevel(l1); err != nil {
		return h, err
	}
	h.l15, err = newLevel(l15)
	return h, err
}

// reset empties the caches.
func (h *hierarchy) reset() {
	h.l1.Reset()
	h.l15.Reset()
	h.arriving, h.recent = h.arriving[:0], 0
}

func newLevel(level configs.CacheLevel) (*cache.Cache, error) {
	return cache.New(
		cache.Spec{Sets: level.Sets(), Ways: level.Ways, LineBytes: level.Line, Policy: level.Policy, MissRegisters: level.MissRegisters},
	)
}

// read returns when the line with an address arrives.
func (h *hierarchy) read(address uint64, now engine.Cycle, count1, count15 *stats.CacheCount) engine.Cycle {
	line := address &^ (h.line1 - 1)
	if line+1 == h.recent && len(h.arriving) == 0 { // the cache's state does not change if a line is used twice in a row
		count1.Accesses++
		count1.Hits++
		return now + h.latency1
	}
	kept := h.arriving[:0]
	at := engine.Cycle(0)
	for _, a := range h.arriving {
		if a.at > now {
			kept = append(kept, a)
			if a.line == line {
				at = a.at
			}
		}
	}
	h.arriving = kept
	count1.Accesses++
	if h.l1.Lookup(cache.Unattributed(line), 1) != 0 {
		if at > now { // the line is in flight already
			return at
		}
		count1.Hits++
		h.recent = line + 1
		return now + h.latency1
	}
	count15.Accesses++
	outer := h.l15.Lookup(cache.Unattributed(address&^(h.line15-1)), 1) != 0
	if outer {
		count15.Hits++
	}
	return h.bring(line, outer, now)
}

// bring starts a fetch of a line for the first level, from the second level (outer) or from L2, and returns when it arrives.
func (h *hierarchy) bring(line uint64, outer bool, now engine.Cycle) engine.Cycle {
	at := h.start(now, h.registers1, false) + h.latency15
	if !outer {
		at = max(at-h.latency15, h.start(now, h.registers15, true)) + h.latency2
		h.l15.Fill(line&^(h.line15-1), 1, nil)
	}
	h.l1.Fill(line, 1, nil)
	h.recent = 0
	h.arriving = append(h.arriving, arrival{line, at, !outer})
	return at
}

// start returns when a level has a free miss register, now at the earliest. With far it counts only lines from L2.
func (h *hierarchy) start(now engine.Cycle, registers int, far bool) engine.Cycle {
	if len(h.arriving) < registers {
		return now
	}
	h.ends = h.ends[:0]
	for _, a := range h.arriving {
		if a.at > now && (a.far || !far) {
			h.ends = append(h.ends, a.at)
		}
	}
	if len(h.ends) < registers {
		return now
	}
	slices.Sort(h.ends)
	return h.ends[len(h.ends)-registers]
}
