package memory

import (
	"math/bits"
	"sync/atomic"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// undoLog lets the memory system run at the same time as the SMXs. A load that hits in a cache of its SMX must read device memory as it was
// when the SMX's epoch began. The concurrent memory system may still lack effects of the previous epoch, and may already have effects of
// this one. Most such loads read bytes that no request writes meanwhile. A request is sent at least a part of the epoch before it takes
// effect, and the bytes that it writes are marked when it is sent. A load of unmarked bytes reads memory as it is. For any other load
// memory returns to its state at the epoch's beginning, and the memory system waits until all SMXs have run their epoch.
type undoLog struct {
	global   *Global
	recall   func(smx int)
	written  []atomic.Uint64 // a bit for each piece that a request writes
	any      []atomic.Uint64 // a bit for each word of written that is not zero
	replaced []replaced      // by the current Step
	rewound  atomic.Bool
}

// pieceShift is log2 of the bytes that one mark covers. No two allocations share such a piece.
const pieceShift = 8

// replaced is a line of memory before an effect.
type replaced struct {
	at    []byte
	bytes [replacedBytes]byte
}

// replacedBytes is the size of a line. It contains the whole access of a lane.
const replacedBytes = 128

// Remember makes Loads of the ports return memory as it was when their epoch began, while Parts are carried out. If memory differs, a Load
// calls recall with the number of the SMX. Before recall returns, the Steps of earlier epochs must end and Rewind be called. Remember
// returns false if pages are made only when written, since that must not happen during a Load. Call it when no SMX runs and all Steps are
// complete; nil ends it.
func (s *System) Remember(recall func(smx int)) bool {
	var p *undoLog
	if recall != nil {
		if !s.global.whole() {
			return false
		}
		p = newUndoLog(s.global, recall)
		for i := range s.flights.list {
			if f := &s.flights.list[i]; f.Access != nil && f.writes() {
				p.mark(f.Access, f.Lanes)
			}
		}
	}
	s.undo = p
	for _, port := range s.ports {
		port.undo = p
	}
	return true
}

func newUndoLog(g *Global, recall func(smx int)) *undoLog {
	words := len(g.pages) << (pageShift - pieceShift - 6)
	return &undoLog{global: g, recall: recall, written: make([]atomic.Uint64, words), any: make([]atomic.Uint64, (words+63)/64)}
}

// whole reports whether every page with an allocation exists.
func (g *Global) whole() bool {
	for i, page := range g.pages {
		if page == nil && g.first[i] != nil {
			return false
		}
	}
	return true
}

// Rewind restores device memory to its state at the beginning of the current Step, until Forward. No Part may be carried out in between.
func (s *System) Rewind() {
	list := s.undo.replaced
	for i := len(list) - 1; i >= 0; i-- {
		list[i].swap()
	}
	s.undo.rewound.Store(true)
}

// Forward undoes a Rewind.
func (s *System) Forward() {
	s.undo.rewound.Store(false)
	for i := range s.undo.replaced {
		s.undo.replaced[i].swap()
	}
}

func (r *replaced) swap() {
	now := r.bytes
	copy(r.bytes[:], r.at)
	copy(r.at, now[:])
}

// Load carries out a load through a cache of the SMX on some of its lanes, on memory as it was when the epoch began.
func (p *Port) Load(a *exec.Access, lanes uint32) {
	if p.undo != nil && !p.undo.rewound.Load() && p.undo.touches(a, lanes) {
		p.undo.recall(int(p.smx))
	}
	p.global.Apply(a, lanes)
}

// mark marks the bytes that lanes of an access write.
func (u *undoLog) mark(a *exec.Access, lanes uint32) {
	last := ^uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		piece := u.piece(a.Address[bits.TrailingZeros32(m)&31])
		if piece == last || piece>>6 >= uint64(len(u.written)) {
			continue
		}
		last = piece
		if word := &u.written[piece>>6]; word.Load()>>(piece&63)&1 == 0 {
			word.Or(1 << (piece & 63))
			u.any[piece>>12].Or(1 << (piece >> 6 & 63))
		}
	}
}

func (u *undoLog) piece(address uint64) uint64 { return (address - u.global.base) >> pieceShift }

// touches reports whether a load reads marked pieces, or pieces that the log does not cover.
func (u *undoLog) touches(a *exec.Access, lanes uint32) bool {
	if a.Space == isa.SpaceTexture {
		return u.within(u.piece(a.Image.Address), u.piece(a.Image.Address+a.Image.Bytes()-1))
	}
	last := ^uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		piece := u.piece(a.Address[bits.TrailingZeros32(m)&31])
		if piece == last {
			continue
		}
		if last = piece; piece>>6 >= uint64(len(u.written)) || u.written[piece>>6].Load()>>(piece&63)&1 != 0 {
			return true
		}
	}
	return false
}

// within reports whether a piece from first to last is marked, or not covered.
func (u *undoLog) within(first, last uint64) bool {
	if last>>6 >= uint64(len(u.written)) {
		return true
	}
	for word := first >> 6; word <= last>>6; word++ {
		if word&63 == 0 && u.any[word>>6].Load() == 0 {
			word |= 63
			continue
		}
		marked := u.written[word].Load()
		if word == first>>6 {
			marked &= ^uint64(0) << (first & 63)
		}
		if word == last>>6 {
			marked &= ^uint64(0) >> (63 - last&63)
		}
		if marked != 0 {
			return true
		}
	}
	return false
}

// keep saves the lines that an access is about to change.
func (u *undoLog) keep(a *exec.Access, lanes uint32) {
	last := ^uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		line := a.Address[bits.TrailingZeros32(m)&31] &^ (replacedBytes - 1)
		if line == last {
			continue
		}
		last = line
		at := u.global.page(line)[line&(pageBytes-1):][:replacedBytes]
		u.replaced = append(u.replaced, replaced{at: at})
		copy(u.replaced[len(u.replaced)-1].bytes[:], at)
	}
}
