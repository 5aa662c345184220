package memory

import (
	"math/bits"
	"sync/atomic"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// undoLog lets the memory system run at the same time as the SMXs. A load that hits in a cache of its SMX reads what device memory held
// when the SMX's epoch began. With the memory system ahead, effects of the epoch before may still be missing, and effects of this one may
// already be there. Most such loads read data that no request writes meanwhile. A request is sent at least a part of the epoch before its
// effect takes place, so what it writes is marked when it is sent, and a load of unmarked bytes reads memory as it is. For any other load
// memory goes back to its state at the epoch's beginning, and the memory system waits until all SMXs have run their epoch.
type undoLog struct {
	global   *Global
	recall   func(smx int)
	written  []atomic.Uint64 // by place: a bit for each piece that a request writes
	any      []atomic.Uint64 // a bit for each word of written that is not zero
	replaced []replaced      // by the Step that goes on
	rewound  atomic.Bool
}

// pieceShift is the size of the pieces in which what is written is marked: no two allocations share one.
const pieceShift = 8

// replaced is a line as it was before an effect.
type replaced struct {
	at    []byte
	bytes [replacedBytes]byte
}

// replacedBytes is a piece of memory that an access of a lane lies in as a whole.
const replacedBytes = 128

// Remember makes Loads of the ports return what memory held when their epoch began, though Parts are carried out meanwhile. Where memory
// holds something else, a Load calls recall with the number of the SMX; before recall returns, the Steps of the epochs before have ended
// and Rewind has been called. Remember reports false where pages are allocated only as they are written, which must not happen during a
// Load. It is called when no SMX runs and the Parts of all Steps have been carried out; nil ends it.
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

// whole reports that every page that an allocation touches is there.
func (g *Global) whole() bool {
	for i, page := range g.pages {
		if page == nil && g.first[i] != nil {
			return false
		}
	}
	return true
}

// Rewind restores device memory to its state at the beginning of the current Step, until Forward. No Part is carried out in between.
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

// Load carries out a load through a cache of the SMX on some of its lanes: with what memory held when the epoch began.
func (p *Port) Load(a *exec.Access, lanes uint32) {
	if p.undo != nil && !p.undo.rewound.Load() && p.undo.touches(a, lanes) {
		p.undo.recall(int(p.smx))
	}
	p.global.Apply(a, lanes)
}

// mark notes what lanes of an access write.
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

// touches reports that a load reads pieces that are marked, or new ones that nothing is known of.
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

// within reports that one of the pieces from first to last is marked, or new.
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

// keep notes what an access is about to replace.
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
