package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
)

// writtenLine is a line of a slice that became dirty.
type writtenLine struct {
	line    uint64
	due     engine.Cycle // when it is written back, unless evicted before
	account int32        // the account that made it dirty
	set     int32        // in the slice's cache
}

// dirtied records a clean line that a flight made dirty.
func (s *slice) dirtied(f *flight, now engine.Cycle) {
	s.hold(f.Account)
	s.written.Push(writtenLine{f.local, now + engine.Cycle(s.cfg.L2.WriteDelay), f.Account, f.set})
}

// writeDue writes back lines that have been dirty for long enough, while their channel is idle. They stay, clean.
func (s *slice) writeDue(c *channel, now engine.Cycle) {
	for s.written.Len() > 0 && s.written.First().due <= now {
		first := *s.written.First()
		line, account := first.line, first.account
		if !s.firstDirty {
			_, dirty := s.cache.ProbeIn(int(first.set), line)
			s.firstDirty = dirty != 0
		}
		if s.firstDirty {
			if c.Busy(now) || !c.Idle(engine.Tick(s.toTicks.Ceil(int64(now)))) {
				return
			}
			dirty := s.cache.CleanIn(int(first.set), line)
			s.of(account).L2WriteBackSectors += uint64(bits.OnesCount8(dirty))
			s.toDRAM(s.number, line, dirty, true, account, now)
		}
		s.firstDirty = false
		s.written.Pop()
		s.let(account)
	}
}

// writeBack sends the dirty sectors of an evicted line to DRAM, for the account whose request evicted it.
func (s *slice) writeBack(e cache.Eviction, account int32, now engine.Cycle) {
	if e.Valid == 0 {
		return
	}
	counts := s.of(account)
	counts.L2Evictions++
	if s.evictions != nil {
		s.evictions.Evicted(e.Line)
	}
	if e.Dirty != 0 {
		s.firstDirty = false // it may have been this line
		counts.L2WriteBackSectors += uint64(bits.OnesCount8(e.Dirty))
		s.toDRAM(s.number, e.Line, e.Dirty, true, account, now)
		if s.rowGoesAlong(e.Line) {
			s.writeBackRow(e.Line, account, now)
		}
	}
}

// rowGoesAlong reports whether the other dirty lines of an evicted line's row are written now. They could wait, but a read cannot.
func (s *slice) rowGoesAlong(evicted uint64) bool {
	switch s.cfg.L2.WriteBackRows {
	case configs.RowWritesAlways:
		return true
	case configs.RowWritesQuiet:
		c, _, _ := s.channelOf(s.number, evicted)
		return !c.ReadWaits()
	}
	return false
}

// writeBackRow writes back the fully dirty lines in the DRAM row of an evicted line, behind it, so that the row opens once for all. They
// stay, clean. Partly dirty lines are left, because the rest may still be written.
func (s *slice) writeBackRow(evicted uint64, account int32, now engine.Cycle) {
	l2 := &s.cfg.L2
	piece, whole := uint64(1)<<s.addresses.pieceShift, uint8(1<<(l2.Line/l2.Sector)-1)
	span := piece << (s.addresses.columnBits + s.addresses.groupBits)
	bank, row := s.rowOf(evicted)
	for at := evicted &^ (span - 1); at <= evicted|(span-1); at += piece {
		if b, r := s.rowOf(at); b != bank || r != row {
			continue
		}
		for line := at; line < at+piece; line += uint64(l2.Line) {
			if _, dirty := s.cache.Probe(line); dirty == whole {
				s.cache.CleanLine(line)
				s.of(account).L2WriteBackSectors += uint64(bits.OnesCount8(dirty))
				s.toDRAM(s.number, line, dirty, true, account, now)
			}
		}
	}
}

// rowOf returns the DRAM bank and row of a line of the slice.
func (s *slice) rowOf(line uint64) (bank, row uint32) {
	_, _, address := s.channelOf(s.number, line)
	return s.addresses.bank(address)
}

// writeBackAll counts all dirty lines of the slice as written to DRAM. They stay, clean. No simulated time passes.
func (s *slice) writeBackAll() {
	s.firstDirty = false
	for s.written.Len() > 0 {
		w := s.written.Pop()
		if dirty := s.cache.CleanLine(w.line); dirty != 0 {
			s.countWriteBack(cache.Eviction{Line: w.line, Dirty: dirty}, w.account)
		}
		s.let(w.account)
	}
}

// countWriteBack counts a write-back that takes no simulated time.
func (s *slice) countWriteBack(e cache.Eviction, account int32) {
	sectors, counts := bits.OnesCount8(e.Dirty), s.of(account)
	counts.L2WriteBackSectors += uint64(sectors)
	counts.DRAMWriteSectors += uint64(sectors)
	c, _, address := s.channelOf(s.number, e.Line)
	counts.ECCWriteSectors += uint64(c.CheckOnly(c.Block(s.addresses.burst(address))))
}

// place puts a whole line that the host has copied into L2.
func (s *slice) place(local uint64, l2 *configs.L2) {
	if eviction := s.cache.Insert(local, 1<<(l2.Line/l2.Sector)-1); eviction.Dirty != 0 {
		s.firstDirty = false
		s.countWriteBack(eviction, houseAccount)
	}
}

// drop evicts a line that the host has written.
func (s *slice) drop(local uint64) {
	s.firstDirty = false
	s.cache.Invalidate(local)
}
