package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
)

// slice is one slice of L2 with its ports to the crossbar and its atomics unit. It serves requests strictly in the order
// of their arrival; one that finds no miss register, or DRAM's queue full, holds up those behind it.
type slice struct {
	number  int32
	cache   *cache.Cache
	queue   ring[int32] // flights that have arrived and wait
	free    fine        // when tags and data can take the next request
	busy    fine        // time that they were taken
	serving bool        // a serve event is in the queue
	stalled bool        // the first of the queue waits for a fill or for DRAM
	request link
	data    link
	respond link
	atomics fine // when the atomics unit is free
	changes fine // time that the atomics unit was taken
	// started are when the unit begins the last atomics, as many as may wait for it.
	started ring[engine.Cycle]

	credits int         // messages that may still be sent to the slice
	held    ring[int32] // flights that wait in their ports for a credit, oldest first

	// written are the lines that have become dirty, oldest first; some have been evicted since.
	written ring[writtenLine]
}

type writtenLine struct {
	line uint64
	due  engine.Cycle // when it is written back if it is still here
}

func newSlice(cfg *configs.Config, number int) (*slice, error) {
	l2 := &cfg.L2
	c, err := cache.New(cache.Spec{
		Sets: max(1, l2.Bytes/l2.Slices/l2.Line/l2.Ways), Ways: l2.Ways, LineBytes: l2.Line, SectorBytes: l2.Sector, Policy: l2.Policy,
		HashSets: true, MissRegisters: l2.MissRegisters, MissMerges: l2.MissMerges, WriteBack: true, WriteAllocate: true,
	})
	if err != nil {
		return nil, err
	}
	return &slice{
		number: int32(number), cache: c, credits: cfg.Interconnect.Queue,
		request: newLink(cfg.Interconnect.SliceRequestBytes), data: newLink(l2.BytesPerCycle), respond: newLink(cfg.Interconnect.SliceResponseBytes),
	}, nil
}

// arrive takes a flight that has come over the crossbar.
func (s *System) arrive(sl *slice, number int32, now engine.Cycle) {
	s.stats.L2QueueSamples++
	s.stats.L2QueueDepthSum += uint64(sl.queue.len())
	sl.queue.push(number)
	if !sl.serving && !sl.stalled {
		s.serve(sl, now)
	}
}

// serve serves the first of the queue, and the next as long as they fall in this cycle.
func (s *System) serve(sl *slice, now engine.Cycle) {
	for sl.queue.len() > 0 {
		if sl.free >= toFine(now+1) {
			sl.serving = true
			s.back.Push(engine.Cycle(sl.free>>fineShift), event{eventServe, sl.number})
			return
		}
		number := *sl.queue.first()
		if room := s.atomicsRoom(sl, number); room > now {
			sl.serving = true
			s.back.Push(room, event{eventServe, sl.number})
			return
		}
		if !s.access(sl, number, now) {
			sl.stalled = true
			return
		}
		sl.queue.pop()
		s.credit(sl, now)
	}
}

// atomicsRoom is when the atomics unit's queue has room for a flight; long ago for one that does not need it.
func (s *System) atomicsRoom(sl *slice, number int32) engine.Cycle {
	kind := s.flights.list[number].Kind
	if kind != RequestAtomic && kind != RequestReduction || sl.started.len() < s.cfg.Atomics.Global.Queue {
		return -1
	}
	return *sl.started.first()
}

// wake lets a stalled slice try again.
func (s *System) wake(sl *slice, now engine.Cycle) {
	if sl.stalled {
		sl.stalled = false
		if !sl.serving {
			sl.serving = true
			s.back.Push(now, event{eventServe, sl.number})
		}
	}
}

// access carries one flight out at its slice; false when it has to wait and nothing happened.
func (s *System) access(sl *slice, number int32, now engine.Cycle) bool {
	f := &s.flights.list[number]
	channel := s.channels[s.channelOf(sl, f.local)]
	if channel.full() {
		s.stats.L2WriteStalls++
		channel.blocks(sl.number)
		return false
	}
	s.writeDue(sl, channel, now)
	sectors := bits.OnesCount8(f.Sectors)
	write := f.Kind == RequestStore || f.Kind == RequestWriteBack
	if write {
		_, fresh, eviction := sl.cache.Write(f.local, f.Sectors)
		if fresh {
			s.dirtied(sl, f.local, now)
		}
		s.writeBack(sl, eviction, now)
	} else {
		status, fetch := sl.cache.Access(f.local, f.Sectors, uint64(number))
		if status == cache.Stall {
			s.stats.L2MissStalls++
			return false
		}
		s.countRead(f, status, fetch, sl)
		if fetch != 0 {
			s.toDRAM(sl, f.local, fetch, false, now+engine.Cycle(s.cfg.L2.Latency))
		}
		if f.Access != nil {
			s.global.Apply(f.Access, f.Lanes)
		}
		s.occupy(sl, f, sectors, now)
		if status == cache.Hit {
			s.finish(sl, number, now, engine.Cycle(s.cfg.L2.Latency), false)
		}
		return true
	}
	s.stats.L2WriteSectors += uint64(sectors)
	s.stats.L2WriteRequestsBy[f.Source]++
	s.stats.L2WriteSectorsBy[f.Source] += uint64(sectors)
	if f.Access != nil {
		s.global.Apply(f.Access, f.Lanes)
	}
	s.occupy(sl, f, sectors, now)
	s.finish(sl, number, now, engine.Cycle(s.cfg.L2.Latency), false)
	return true
}

// occupy holds the slice for a request: a cycle for the tags, or as long as its bytes take to come in or to be read.
func (s *System) occupy(sl *slice, f *flight, sectors int, now engine.Cycle) {
	takes := max(fine(1)<<fineShift, sl.data.takes(sectors*SectorBytes), sl.request.takes(s.requestBytes(f)))
	sl.free = max(toFine(now), sl.free) + takes
	sl.busy += takes
	if s.reuse != nil {
		s.reuse.use(f.Line)
	}
}

func (s *System) countRead(f *flight, status cache.Status, fetch uint8, sl *slice) {
	asked := uint64(bits.OnesCount8(f.Sectors))
	onTheWay := uint64(0)
	hits := asked
	if status != cache.Hit {
		valid, _ := sl.cache.Probe(f.local)
		hits = uint64(bits.OnesCount8(f.Sectors & valid))
		onTheWay = asked - hits - uint64(bits.OnesCount8(fetch))
	}
	s.stats.L2ReadSectorsMerged += onTheWay
	if f.Kind == RequestAtomic || f.Kind == RequestReduction {
		s.stats.L2AtomicRequests++
		s.stats.L2AtomicSectors += asked
		s.stats.L2AtomicSectorHits += hits
		return
	}
	s.stats.L2ReadSectors += asked
	s.stats.L2ReadSectorHits += hits
	s.stats.L2ReadRequestsBy[f.Source]++
	s.stats.L2ReadSectorsBy[f.Source] += asked
	s.stats.L2ReadSectorHitsBy[f.Source] += hits
}

// dirtied notes a line that was clean and has been written.
func (s *System) dirtied(sl *slice, line uint64, now engine.Cycle) {
	sl.written.push(writtenLine{line, now + engine.Cycle(s.cfg.L2.WriteDelay)})
}

// writeDue writes back the lines that have been dirty for long enough, while their channel is idle. They stay,
// clean.
func (s *System) writeDue(sl *slice, channel *channel, now engine.Cycle) {
	for sl.written.len() > 0 && sl.written.first().due <= now {
		line := sl.written.first().line
		if _, dirty := sl.cache.Probe(line); dirty != 0 {
			if !channel.idle(now, engine.Tick(s.toTicks.Ceil(int64(now)))) {
				return
			}
			sl.cache.CleanLine(line)
			s.stats.L2WriteBackSectors += uint64(bits.OnesCount8(dirty))
			s.toDRAM(sl, line, dirty, true, now)
		}
		sl.written.pop()
	}
}

// writeBack sends an evicted line's dirty sectors to DRAM.
func (s *System) writeBack(sl *slice, e cache.Eviction, now engine.Cycle) {
	if e.Valid == 0 {
		return
	}
	s.stats.L2Evictions++
	if e.Dirty != 0 {
		s.stats.L2WriteBackSectors += uint64(bits.OnesCount8(e.Dirty))
		s.toDRAM(sl, e.Line, e.Dirty, true, now)
	}
}

// fill takes sectors that have come from DRAM and answers those that waited for them.
func (s *System) fill(number int32, now engine.Cycle) {
	f := s.fills.put(number)
	sl := s.slices[f.slice]
	var eviction cache.Eviction
	s.released, eviction = sl.cache.Fill(f.line, f.sectors, s.released[:0])
	s.writeBack(sl, eviction, now)
	for _, waiter := range s.released {
		s.finish(sl, int32(waiter), now, s.returnLatency, true)
	}
	s.wake(sl, now)
}

// finish sends a flight's answer: from now it takes latency through the slice or the DRAM controller, then the links back.
func (s *System) finish(sl *slice, number int32, now, latency engine.Cycle, fromDRAM bool) {
	f := &s.flights.list[number]
	start := toFine(now)
	if f.Kind == RequestAtomic || f.Kind == RequestReduction {
		if sl.cache.MarkDirty(f.local, f.Sectors) {
			s.dirtied(sl, f.local, now)
		}
		cost := atomicCost{occupied: 1, latency: s.cfg.Atomics.Global.Latency}
		if f.Access != nil {
			cost = costOfAtomic(f.Access, f.Lanes, &s.cfg.Atomics.Global)
		}
		s.stats.L2AtomicLanes += uint64(cost.lanes)
		s.stats.L2AtomicConflicts += uint64(cost.conflicts)
		start = max(start, sl.atomics)
		sl.atomics = start + fine(cost.occupied)<<fineShift
		sl.changes += fine(cost.occupied) << fineShift
		sl.started.push(start.up())
		if sl.started.len() > s.cfg.Atomics.Global.Queue {
			sl.started.pop()
		}
		latency += engine.Cycle(cost.latency)
	}
	bytes := s.responseBytes(f)
	smx := &s.receive[f.SMX]
	start = sl.respond.reserve(start, bytes)
	start = smx.reserve(start, bytes)
	// The response latency covers a message of one sector; what is longer arrives as much later.
	if longer := bytes - s.cfg.Interconnect.HeaderBytes - SectorBytes; longer > 0 {
		start += smx.takes(longer)
	}
	ready := start.up() + latency + engine.Cycle(s.cfg.Interconnect.ResponseLatency)
	s.countLatency(f, ready, fromDRAM)
	s.stats.Responses++
	s.ports[f.SMX].inbox.Push(ready, Response{Ready: ready, Tag: f.Tag, Kind: f.Kind, FromDRAM: fromDRAM})
	s.flights.put(number)
}

func (s *System) countLatency(f *flight, ready engine.Cycle, fromDRAM bool) {
	cycles := uint64(ready - f.Issued)
	counts := &s.stats
	switch {
	case f.Kind == RequestAtomic:
		counts.AtomicLatency += cycles
		counts.AtomicResponses++
	case f.Kind != RequestLoad && f.Kind != RequestFill:
	case fromDRAM:
		counts.DRAMLatency += cycles
		counts.DRAMResponses++
	default:
		counts.L2HitLatency += cycles
		counts.L2HitResponses++
	}
}

// requestBytes is the size of a request on the crossbar: writes and atomics carry what their lanes write, and not the rest of
// its sectors.
func (s *System) requestBytes(f *flight) int {
	bytes := s.cfg.Interconnect.HeaderBytes
	switch f.Kind {
	case RequestStore, RequestWriteBack, RequestAtomic, RequestReduction:
		carried := bits.OnesCount8(f.Sectors) * SectorBytes
		if f.Access != nil {
			carried = min(carried, bits.OnesCount32(f.Lanes)*int(f.Access.Bytes))
		}
		bytes += carried
	}
	return bytes
}

// responseBytes is the size of an answer on the crossbar: loads, fills and atomics with a result carry data.
func (s *System) responseBytes(f *flight) int {
	bytes := s.cfg.Interconnect.HeaderBytes
	switch f.Kind {
	case RequestLoad, RequestFill, RequestAtomic:
		bytes += bits.OnesCount8(f.Sectors) * SectorBytes
	}
	return bytes
}

func newSlices(cfg *configs.Config) ([]*slice, error) {
	all := make([]*slice, cfg.L2.Slices)
	for i := range all {
		var err error
		if all[i], err = newSlice(cfg, i); err != nil {
			return nil, err
		}
	}
	return all, nil
}
