package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// HazardKind is what is wrong with two accesses, or with one of memory that nobody wrote.
type HazardKind string

// The kinds of hazard.
const (
	HazardReadAfterWrite  HazardKind = "read after write"
	HazardWriteAfterRead  HazardKind = "write after read"
	HazardWriteAfterWrite HazardKind = "write after write"
	HazardLanes           HazardKind = "lanes write one address" // different values, in one instruction
	HazardUnset           HazardKind = "unset"                   // a read of what nobody wrote
	HazardBarrier         HazardKind = "barrier"                 // executed by a part of a warp's lanes
)

// LookedFor is what a run with checks looks for, a line each.
func LookedFor() []string {
	return []string{
		"barriers to which a part of a warp's lanes comes",
		"races in shared memory: two warps of a block at one byte, of which one writes, with no barrier between",
		"races between blocks: two blocks of a launch at one word of global memory, of which one writes, with no fence or atomic between",
		"lanes of a warp that write different values to one byte of shared memory in one instruction",
		"reads of shared memory that nobody has written",
	}
}

// hazardRanks orders the kinds, causes before what comes of them: where barriers do not hold all threads, accesses race; and what a race
// lets be read too early nobody has written yet.
var hazardRanks = map[HazardKind]int{
	HazardBarrier: 0, HazardReadAfterWrite: 1, HazardWriteAfterRead: 1, HazardWriteAfterWrite: 1, HazardLanes: 1, HazardUnset: 2,
}

// CausesFirst is a launch's hazards with causes before what comes of them, else in the order in which they happened. A read of what
// nobody has written gets its Cause where the write that comes too late is a race.
func CausesFirst(hazards []Hazard) []Hazard {
	sorted := slices.Clone(hazards)
	slices.SortStableFunc(sorted, func(a, b Hazard) int { return cmp.Compare(hazardRanks[a.Kind], hazardRanks[b.Kind]) })
	for i := range sorted {
		read := &sorted[i]
		for k := range sorted {
			race := &sorted[k]
			if read.Kind == HazardUnset && race.Kind == HazardWriteAfterRead && race.Shared && race.First == read.Second {
				read.Cause = race.Second
			}
		}
	}
	return sorted
}

// Hazard is what a run with checks found at a pair of operations: accesses of one address that nothing orders, or a read of
// shared memory that nobody wrote. Its first occurrence is described.
type Hazard struct {
	Kind    HazardKind
	Shared  bool   // of shared memory; else of global
	Count   uint64 // how often, a byte of shared memory or a word of global memory each
	Address uint64 // in the block's shared memory, or in global memory
	Name    string // of the allocation at a global address, with how far into it
	Block   [3]uint32
	Warp    int    // in the block, of the second access
	Other   string // who made the first access
	First   string // file:line of the first access; "" where there is none
	Second  string // of the second
	// file:line of a write that comes too late, as a race tells, of a read of what nobody has written; "" where there is none
	Cause string
}

// String says what happened, where, and what would order the accesses.
func (h *Hazard) String() string {
	who := fmt.Sprintf("warp %d of block (%d,%d,%d)", h.Warp, h.Block[0], h.Block[1], h.Block[2])
	where, cure := fmt.Sprintf("byte %d of shared memory", h.Address), "no barrier between them: __syncthreads() is missing"
	if !h.Shared {
		where, cure = fmt.Sprintf("%s (%#x)", h.Name, h.Address),
			"nothing orders blocks of one launch: use atomics, another buffer for results, or another launch"
	}
	var text string
	switch h.Kind {
	case HazardUnset:
		text = fmt.Sprintf("%s reads %s, which nobody has written\n  reads at %s", who, where, h.Second)
		if h.Cause != "" {
			text = fmt.Sprintf("%s reads %s before it is written: what comes of the race with the write, told above\n  reads at %s\n"+
				"  written later at %s", who, where, h.Second, h.Cause)
		}
	case HazardBarrier:
		text = fmt.Sprintf("%s arrives at a barrier with %s: a barrier stands where all threads of the block come or none\n  barrier at %s",
			who, h.Other, h.Second)
	case HazardLanes:
		text = fmt.Sprintf("lanes of %s write different values to %s in one instruction; which one stays is not defined\n  write at %s",
			who, where, h.Second)
	default:
		verbs := map[HazardKind][2]string{HazardReadAfterWrite: {"reads", "written"}, HazardWriteAfterRead: {"writes", "read"},
			HazardWriteAfterWrite: {"writes", "written"}}[h.Kind]
		text = fmt.Sprintf("race: %s %s what %s has %s, %s; %s\n  %s at %s\n  %s at %s", who, verbs[0], h.Other, verbs[1], where, cure,
			verbs[1], h.First, verbs[0], h.Second)
	}
	if h.Count > 1 {
		unit := "bytes"
		switch {
		case h.Kind == HazardBarrier:
			unit = "times"
		case !h.Shared:
			unit = "words"
		}
		text += fmt.Sprintf("\n  %d %s in all", h.Count, unit)
	}
	return text
}
