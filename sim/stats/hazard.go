package stats

import "fmt"

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
}

// String says what happened, where, and what would order the accesses.
func (h *Hazard) String() string {
	who := fmt.Sprintf("warp %d of block (%d,%d,%d)", h.Warp, h.Block[0], h.Block[1], h.Block[2])
	where, cure := fmt.Sprintf("byte %d of shared memory", h.Address), "no barrier between them: __syncthreads() is missing"
	if !h.Shared {
		where, cure = fmt.Sprintf("%s (%#x)", h.Name, h.Address), "nothing orders blocks of one launch: use atomics, another buffer for results, or another launch"
	}
	var text string
	switch h.Kind {
	case HazardUnset:
		text = fmt.Sprintf("%s reads %s, which nobody has written\n  reads at %s", who, where, h.Second)
	case HazardBarrier:
		text = fmt.Sprintf("%s arrives at a barrier with %s: a barrier stands where all threads of the block come or none\n  barrier at %s", who, h.Other, h.Second)
	case HazardLanes:
		text = fmt.Sprintf("lanes of %s write different values to %s in one instruction; which one stays is not defined\n  write at %s", who, where, h.Second)
	default:
		verbs := map[HazardKind][2]string{HazardReadAfterWrite: {"reads", "written"}, HazardWriteAfterRead: {"writes", "read"}, HazardWriteAfterWrite: {"writes", "written"}}[h.Kind]
		text = fmt.Sprintf("race: %s %s what %s has %s, %s; %s\n  %s at %s\n  %s at %s", who, verbs[0], h.Other, verbs[1], where, cure, verbs[1], h.First, verbs[0], h.Second)
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
