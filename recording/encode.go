package recording

import (
	"encoding/binary"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

// kind is the kind of an entry. Its byte has the kind in the lower four bits and flags above.
type kind uint8

const (
	kindBlockStart kind = iota + 1
	kindBlockEnd
	kindIssue
	kindStall
	kindReplay
	kindAccess
	kindLookup
	kindAnswer
	kindArrival
	kindRelease
	kindFlight
	kindBurst
)

// Flags of issues.
const (
	flagSecond  = 1 << 4 // the second of a pair
	flagGuarded = 1 << 5 // the mask follows; without the flag it is that of the active lanes
	flagPartly  = 1 << 6 // the active lanes follow; without the flag all 32 are active
)

// flagAgain marks a block that leaves for a while, or returns.
const flagAgain = 1 << 4

// flagWrite marks a burst that writes.
const flagWrite = 1 << 4

// slotBits is the number of bits for a warp's slot; the scheduler is above them.
const slotBits = 6

// Encoder encodes one track during recording. The zero value is an empty track.
type Encoder struct {
	bytes []byte
	last  engine.Cycle
}

// Len is the number of bytes so far, before compression.
func (e *Encoder) Len() int { return len(e.bytes) }

func (e *Encoder) begin(k kind, flags uint8, at engine.Cycle) {
	e.bytes = append(e.bytes, uint8(k)|flags)
	e.bytes = binary.AppendVarint(e.bytes, int64(at-e.last))
	e.last = at
}

func (e *Encoder) put(values ...uint64) {
	for _, v := range values {
		e.bytes = binary.AppendUvarint(e.bytes, v)
	}
}

func place(w *observe.Warp) uint64 { return uint64(w.Scheduler<<slotBits | w.Slot) }

// BlockStart adds a block that becomes resident; grid is the index of its grid on the device.
func (e *Encoder) BlockStart(at engine.Cycle, grid int, b *observe.Block) {
	e.begin(kindBlockStart, 0, at)
	e.put(uint64(grid), b.Number, uint64(len(b.Warps)))
	for i := range b.Warps {
		e.put(place(&b.Warps[i]))
	}
}

// BlockReturn adds a block that becomes resident again. Ended warps have no slot.
func (e *Encoder) BlockReturn(at engine.Cycle, grid int, b *observe.Block) {
	live := 0
	for i := range b.Warps {
		if b.Warps[i].Slot >= 0 {
			live++
		}
	}
	e.begin(kindBlockStart, flagAgain, at)
	e.put(uint64(grid), b.Number, uint64(live))
	for i := range b.Warps {
		if b.Warps[i].Slot >= 0 {
			e.put(uint64(i), place(&b.Warps[i]))
		}
	}
}

// BlockLeave adds a block that leaves its SMX for a while.
func (e *Encoder) BlockLeave(at engine.Cycle, grid int, b *observe.Block) {
	e.begin(kindBlockEnd, flagAgain, at)
	e.put(uint64(grid), b.Number)
}

// BlockEnd adds the end of a block.
func (e *Encoder) BlockEnd(at engine.Cycle, grid int, b *observe.Block) {
	e.begin(kindBlockEnd, 0, at)
	e.put(uint64(grid), b.Number)
}

// Issue adds an issue.
func (e *Encoder) Issue(i *observe.Issue) {
	flags := uint8(0)
	if i.Second {
		flags |= flagSecond
	}
	if i.Mask != i.Active {
		flags |= flagGuarded
	}
	if i.Active != ^uint32(0) {
		flags |= flagPartly
	}
	e.begin(kindIssue, flags, i.Cycle)
	e.put(place(i.Warp), uint64(i.Op))
	if flags&flagPartly != 0 {
		e.put(uint64(i.Active))
	}
	if flags&flagGuarded != 0 {
		e.put(uint64(i.Mask))
	}
}

// Stall adds a stall.
func (e *Encoder) Stall(s *observe.Stall) {
	e.begin(kindStall, 0, s.From)
	e.put(uint64(s.To-s.From), place(s.Warp), uint64(s.Op), uint64(s.Reason), uint64(s.For+1))
}

// Replay adds a memory operation's further issue slots.
func (e *Encoder) Replay(r *observe.Replay) {
	e.begin(kindReplay, 0, r.Cycle)
	e.put(place(r.Warp), uint64(r.Op), uint64(r.Slots))
}

// Access adds an access, with the addresses of its active lanes.
func (e *Encoder) Access(a *observe.Access) {
	e.begin(kindAccess, 0, a.Cycle)
	e.put(place(a.Warp), uint64(a.Op), a.Tag, uint64(a.Kind), uint64(a.Space), uint64(a.Bytes), uint64(a.Active))
	last := uint64(0)
	for lane, address := range a.Address {
		if a.Active>>lane&1 != 0 {
			e.bytes = binary.AppendVarint(e.bytes, int64(address-last))
			last = address
		}
	}
}

// Lookup adds a lookup.
func (e *Encoder) Lookup(l *observe.Lookup) {
	e.begin(kindLookup, 0, l.Cycle)
	e.put(place(l.Warp), uint64(l.Op), l.Tag, uint64(l.Source), uint64(l.Found), l.Line, uint64(l.Sectors))
}

// Answer adds the end of an access.
func (e *Encoder) Answer(a *observe.Answer) {
	e.begin(kindAnswer, 0, a.Cycle)
	e.put(uint64(a.Cycle-a.Issued), place(a.Warp), uint64(a.Op))
}

// Barrier adds an arrival or a release.
func (e *Encoder) Barrier(grid int, b *observe.Barrier) {
	if b.Warp == nil {
		e.begin(kindRelease, 0, b.Cycle)
		e.put(uint64(grid), b.Block.Number, uint64(b.ID))
		return
	}
	e.begin(kindArrival, 0, b.Cycle)
	e.put(place(b.Warp), uint64(b.Op), uint64(b.ID), uint64(b.Mask), uint64(b.Live))
}

// Flight adds a request's path.
func (e *Encoder) Flight(f *observe.Flight) {
	e.begin(kindFlight, 0, f.Issued)
	e.put(uint64(f.SMX), uint64(f.Kind), uint64(f.Source), f.Tag, uint64(f.Sectors), uint64(f.Lanes), f.Line, uint64(f.Op+1),
		uint64(f.Warp+1), uint64(f.Slice),
		uint64(f.Departed-f.Issued), uint64(f.Arrived-f.Departed), uint64(f.Served-f.Arrived), uint64(f.Ready-f.Served),
		uint64(f.Found), uint64(f.Row))
	filled := uint64(0)
	if f.Filled > 0 {
		filled = uint64(f.Filled-f.Served) + 1
	}
	e.put(filled)
}

// Burst adds a transfer of a DRAM channel.
func (e *Encoder) Burst(b *observe.Burst) {
	flags := uint8(0)
	if b.Write {
		flags = flagWrite
	}
	e.begin(kindBurst, flags, b.Decided)
	e.put(uint64(b.Done-b.Decided), uint64(b.Channel), uint64(b.Bank), uint64(b.Row), uint64(b.State), uint64(b.Slice),
		uint64(b.Sectors), b.Line)
}
