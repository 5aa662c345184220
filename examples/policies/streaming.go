package main

import "github.com/keplersim/keplersim/sim/cache"

// streaming makes loads bypass L1 if their operation rarely hits there. From time to time they try L1 again.
type streaming struct {
	least, window int
	operations    map[int32]*reuse
}

// reuse counts an operation's lookups and hits in the current window, and tells whether it bypasses L1 until the window's end.
type reuse struct {
	looked, hits int
	past         bool
}

func init() {
	cache.RegisterBypass("streaming", "operations that find few of their lines in L1 go past it",
		func(s cache.BypassSpec) cache.Bypass {
			return &streaming{least: s.Int("percent"), window: s.Int("window"), operations: map[int32]*reuse{}}
		},
		cache.Parameter{Name: "percent", Does: "hits of 100 lookups that are enough to use L1", Default: 10, Min: 1, Max: 100},
		cache.Parameter{Name: "window", Does: "lookups, or loads past L1, until it decides anew", Default: 256, Min: 1, Max: 1_000_000})
}

// Past implements cache.Bypass.
func (s *streaming) Past(a cache.Access) bool {
	r := s.of(a.PC)
	if r.past {
		s.count(r)
	}
	return r.past
}

// Looked implements cache.Bypass.
func (s *streaming) Looked(a cache.Access, hit bool) {
	r := s.of(a.PC)
	if hit {
		r.hits++
	}
	s.count(r)
}

// Evicted implements cache.Bypass.
func (s *streaming) Evicted(_, _ cache.Access) {}

func (s *streaming) of(pc int32) *reuse {
	if s.operations[pc] == nil {
		s.operations[pc] = &reuse{}
	}
	return s.operations[pc]
}

// count advances the window. At its end, an operation that bypassed L1 tries it again.
func (s *streaming) count(r *reuse) {
	if r.looked++; r.looked >= s.window {
		*r = reuse{past: !r.past && 100*r.hits < s.least*s.window}
	}
}
