package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
)

// writtenLine is a line of a slice that has become dirty.
type writtenLine struct {
	line uint64
	due  engine.Cycle // when it is written back if it is still here
}

// dirtied notes a line that was clean and has been written.
func (s *slice) dirtied(line uint64, now engine.Cycle) {
	s.written.Push(writtenLine{line, now + engine.Cycle(s.cfg.L2.WriteDelay)})
}

// writeDue writes back the lines that have been dirty for long enough, while their channel is idle. They stay,
// clean.
func (s *slice) writeDue(c *channel, now engine.Cycle) {
	for s.written.Len() > 0 && s.written.First().due <= now {
		line := s.written.First().line
		if _, dirty := s.cache.Probe(line); dirty != 0 {
			if !c.Idle(now, engine.Tick(s.toTicks.Ceil(int64(now)))) {
				return
			}
			s.cache.CleanLine(line)
			s.stats.L2WriteBackSectors += uint64(bits.OnesCount8(dirty))
			s.toDRAM(s.number, line, dirty, true, now)
		}
		s.written.Pop()
	}
}

// writeBack sends an evicted line's dirty sectors to DRAM.
func (s *slice) writeBack(e cache.Eviction, now engine.Cycle) {
	if e.Valid == 0 {
		return
	}
	s.stats.L2Evictions++
	if e.Dirty != 0 {
		s.stats.L2WriteBackSectors += uint64(bits.OnesCount8(e.Dirty))
		s.toDRAM(s.number, e.Line, e.Dirty, true, now)
	}
}

// writeBackAll counts everything that the slice holds dirty as written to DRAM. The lines stay, clean; no simulated time passes.
func (s *slice) writeBackAll() {
	for s.written.Len() > 0 {
		line := s.written.Pop().line
		if dirty := s.cache.CleanLine(line); dirty != 0 {
			s.countWriteBack(cache.Eviction{Line: line, Dirty: dirty})
		}
	}
}

// countWriteBack counts an eviction whose time nobody waits for.
func (s *slice) countWriteBack(e cache.Eviction) {
	sectors := bits.OnesCount8(e.Dirty)
	s.stats.L2WriteBackSectors += uint64(sectors)
	s.stats.DRAMWriteSectors += uint64(sectors)
	c, _, address := s.channelOf(s.number, e.Line)
	s.stats.ECCWriteSectors += uint64(c.CheckOnly(c.Block(s.addresses.burst(address))))
}

// place puts a whole line in L2 that the host has copied.
func (s *slice) place(local uint64, l2 *configs.L2) {
	if eviction := s.cache.Insert(local, 1<<(l2.Line/l2.Sector)-1); eviction.Dirty != 0 {
		s.countWriteBack(eviction)
	}
}
