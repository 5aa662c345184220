package main

import "github.com/keplersim/keplersim/sim/cache"

// mru evicts the most recently used line: the best choice for a loop slightly larger than the cache.
type mru struct{ last []int } // by set

func init() {
	cache.RegisterReplacement("mru", "evicts the line that was used last", func(s cache.ReplacementSpec) cache.Replacement {
		return &mru{last: make([]int, s.Sets)}
	})
}

// Used implements cache.Replacement.
func (m *mru) Used(set, way int, _ cache.Access) { m.last[set] = way }

// Filled implements cache.Replacement.
func (m *mru) Filled(set, way int, _ cache.Access) { m.last[set] = way }

// Victim implements cache.Replacement.
func (m *mru) Victim(set int, _ cache.Access) int { return m.last[set] }
