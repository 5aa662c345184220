package memory

import (
	"math/bits"
	"sync/atomic"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// A load that hits in a cache of its SMX reads what device memory held when the SMX's epoch began. While the memory system has its turn
// beside the SMXs it holds that no more: effects of the epoch before may be missing, and some of this one may be there. Most such loads are
// of data that nobody writes meanwhile, and the others can be told: a request is sent a part of the epoch, at the least, before its effect
// takes place. So what is written is marked as requests are sent, and a load of what is not marked reads what memory holds. For any other
// the memory goes back to what it was, and the memory system waits until all SMXs have run their epoch.
type past struct {
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

// Remember has Loads of the ports give what memory held when their epoch began, though Parts are carried out meanwhile. Where that is not
// what it holds, recall is called with the number of the SMX; before it returns the Steps of the epochs before have ended and memory has
// been told to Rewind. It reports false where pages of the memory come only as they are written: that cannot happen beside a Load. It is
// called when no SMX runs and the Parts of all Steps have been carried out; nil ends it.
func (s *System) Remember(recall func(smx int)) bool {
	var p *past
	if recall != nil {
		if !s.global.whole() {
			return false
		}
		p = newPast(s.global, recall)
		for i := range s.flights.list {
			if f := &s.flights.list[i]; f.Access != nil && f.writes() {
				p.mark(f.Access, f.Lanes)
			}
		}
	}
	s.past = p
	for _, port := range s.ports {
		port.past = p
	}
	return true
}

func newPast(g *Global, recall func(smx int)) *past {
	words := len(g.pages) << (pageShift - pieceShift - 6)
	return &past{global: g, recall: recall, written: make([]atomic.Uint64, words), any: make([]atomic.Uint64, (words+63)/64)}
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

// Rewind has device memory hold what it held when the Step began that goes on, until Forward. No Part is carried out in between.
func (s *System) Rewind() {
	list := s.past.replaced
	for i := len(list) - 1; i >= 0; i-- {
		list[i].swap()
	}
	s.past.rewound.Store(true)
}

// Forward undoes a Rewind.
func (s *System) Forward() {
	s.past.rewound.Store(false)
	for i := range s.past.replaced {
		s.past.replaced[i].swap()
	}
}

func (r *replaced) swap() {
	now := r.bytes
	copy(r.bytes[:], r.at)
	copy(r.at, now[:])
}

// Load carries out a load through a cache of the SMX on some of its lanes: with what memory held when the epoch began.
func (p *Port) Load(a *exec.Access, lanes uint32) {
	if p.past != nil && !p.past.rewound.Load() && p.past.touches(a, lanes) {
		p.past.recall(int(p.smx))
	}
	p.global.Apply(a, lanes)
}

// mark notes what lanes of an access write.
func (p *past) mark(a *exec.Access, lanes uint32) {
	last := ^uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		piece := p.piece(a.Address[bits.TrailingZeros32(m)&31])
		if piece == last || piece>>6 >= uint64(len(p.written)) {
			continue
		}
		last = piece
		if word := &p.written[piece>>6]; word.Load()>>(piece&63)&1 == 0 {
			word.Or(1 << (piece & 63))
			p.any[piece>>12].Or(1 << (piece >> 6 & 63))
		}
	}
}

func (p *past) piece(address uint64) uint64 { return (address - p.global.base) >> pieceShift }

// touches reports that a load reads pieces that are marked, or new ones that nothing is known of.
func (p *past) touches(a *exec.Access, lanes uint32) bool {
	if a.Space == isa.SpaceTexture {
		return p.within(p.piece(a.Image.Address), p.piece(a.Image.Address+a.Image.Bytes()-1))
	}
	last := ^uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		piece := p.piece(a.Address[bits.TrailingZeros32(m)&31])
		if piece == last {
			continue
		}
		if last = piece; piece>>6 >= uint64(len(p.written)) || p.written[piece>>6].Load()>>(piece&63)&1 != 0 {
			return true
		}
	}
	return false
}

// within reports that one of the pieces from first to last is marked, or new.
func (p *past) within(first, last uint64) bool {
	if last>>6 >= uint64(len(p.written)) {
		return true
	}
	for word := first >> 6; word <= last>>6; word++ {
		if word&63 == 0 && p.any[word>>6].Load() == 0 {
			word |= 63
			continue
		}
		marked := p.written[word].Load()
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
func (p *past) keep(a *exec.Access, lanes uint32) {
	last := ^uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		line := a.Address[bits.TrailingZeros32(m)&31] &^ (replacedBytes - 1)
		if line == last {
			continue
		}
		last = line
		at := p.global.page(line)[line&(pageBytes-1):][:replacedBytes]
		p.replaced = append(p.replaced, replaced{at: at})
		copy(p.replaced[len(p.replaced)-1].bytes[:], at)
	}
}
