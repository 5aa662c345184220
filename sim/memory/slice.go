package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// slice is one slice of L2 with its ports to the crossbar and its atomics unit. It serves requests strictly in the order of arrival. A
// request that finds no free MSHR, or DRAM's queue full, blocks those behind it.
type slice struct {
	*fabric
	number        int32
	cache         *cache.Cache
	prefetcher    cache.Prefetcher       // nil for none
	evictions     cache.EvictionListener // the prefetcher, nil if it does not listen
	ahead         []uint64               // scratch: the lines that it names
	queue         engine.Ring[int32]     // flights that have arrived and wait
	free          engine.SubCycle        // when tags and data can take the next request
	unit          int                    // index into account.busy
	serving       bool                   // a serve event is listed in back
	stalled       bool                   // the head of the queue waits for a fill or for DRAM
	request       link
	data          link
	respond       link
	banks         [mostDataBanks]link // the data arrays, by line
	otherBanks    uint64              // number of data arrays minus one; a mask
	lineShift     uint                // log2 of a line's bytes
	atomics       atomicsUnit
	released      []uint64     // scratch: the flights that waited for a fill
	latency       engine.Cycle // from service to the response, if the data is there
	returnLatency engine.Cycle // from the last data of DRAM to the response
	reply         engine.Cycle // the crossbar's latency
	cached        bool         // false: every request hits; see configs.Ideal

	credits int                // free places of the slice's queue
	held    engine.Ring[int32] // flights in ports that wait for a credit, oldest first

	// written has the lines that became dirty, oldest first. Some have been evicted since.
	written    engine.Ring[writtenLine]
	firstDirty bool // the first line of written is known to be still dirty

	only *channel // the channel of all its lines; nil if there are several
}

func newSlice(f *fabric, number int) (*slice, error) {
	cfg := f.cfg
	l2 := &cfg.L2
	c, err := cache.New(cache.Spec{
		Sets: max(1, l2.Bytes/l2.Slices/l2.Line/l2.Ways), Ways: l2.Ways, LineBytes: l2.Line, SectorBytes: l2.Sector, Policy: l2.Policy,
		HashSets: true, MissRegisters: l2.MissRegisters, MissMerges: l2.MissMerges, WriteBack: true, WriteAllocate: true,
	})
	if err != nil {
		return nil, err
	}
	prefetcher, err := cache.NewPrefetcher(l2.Prefetcher, l2.Line)
	if err != nil {
		return nil, err
	}
	s := &slice{
		fabric: f, number: int32(number), unit: 2*Clients(cfg) + number, cache: c, prefetcher: prefetcher,
		credits: cfg.Interconnect.Queue, returnLatency: engine.Cycle(cfg.DRAM.ControllerLatency),
		latency: engine.Cycle(l2.Latency), reply: engine.Cycle(cfg.Interconnect.ResponseLatency), cached: !cfg.Ideal.L2Hits,
		request: newLink(cfg.Interconnect.SliceRequestBytes, cfg.Interconnect.HeaderBytes), data: newLink(l2.BytesPerCycle, 0),
		respond:    newLink(cfg.Interconnect.SliceResponseBytes, cfg.Interconnect.ResponseHeaderBytes),
		atomics:    atomicsUnit{config: &cfg.Atomics.Global, alike: cfg.Ideal.NoAtomicConflicts},
		otherBanks: uint64(l2.Banks) - 1, lineShift: uint(bits.TrailingZeros(uint(l2.Line))),
	}
	s.evictions, _ = prefetcher.(cache.EvictionListener)
	for i := range s.banks[:l2.Banks] {
		s.banks[i] = newLink(l2.BankBytesPerCycle, cfg.Interconnect.HeaderBytes)
	}
	return s, nil
}

// mostDataBanks is the most data arrays that a slice can have.
const mostDataBanks = 8

// bank returns the data array of a line, by local address. Neighbouring lines, and lines that are powers of two apart, are in different
// arrays.
func (s *slice) bank(local uint64) *link {
	line := local >> s.lineShift
	line ^= line >> 16
	line ^= line >> 8
	line ^= line >> 4
	return &s.banks[(line^line>>2^line>>3)&s.otherBanks]
}

func newSlices(f *fabric) ([]*slice, error) {
	all := make([]*slice, f.cfg.L2.Slices)
	for i := range all {
		var err error
		if all[i], err = newSlice(f, i); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// arrive receives a flight from the crossbar.
func (s *slice) arrive(number int32, f *flight, now engine.Cycle) {
	if s.watched != nil {
		s.watched.arrived(number, now)
	}
	counts, waiting := s.of(f.Account), s.queue.Len()
	counts.L2QueueSamples++
	counts.L2QueueDepthSum += uint64(waiting)
	if waiting == 0 && !s.serving && s.free < engine.SubCycles(now+1) && !f.isAtomic() { // serve it at once
		if s.access(number, f, counts, now) {
			s.credit(now)
			return
		}
		s.stalled = true
	}
	s.queue.Push(number)
	if !s.serving && !s.stalled {
		s.serve(now)
	}
}

// served handles a serve event.
func (s *slice) served(now engine.Cycle) {
	s.serving = false
	if !s.stalled {
		s.serve(now)
	}
}

// serve serves the head of the queue, and further requests that begin in this cycle.
func (s *slice) serve(now engine.Cycle) {
	for s.queue.Len() > 0 {
		if s.free >= engine.SubCycles(now+1) {
			s.serveAt(s.free.Down())
			return
		}
		number := *s.queue.First()
		f := s.flights.at(number)
		if f.isAtomic() {
			if free := s.atomics.freeFrom(); free > now {
				s.serveAt(free)
				return
			}
		}
		if !s.access(number, f, s.of(f.Account), now) {
			s.stalled = true
			return
		}
		s.queue.Pop()
		s.credit(now)
	}
}

func (s *slice) serveAt(at engine.Cycle) {
	s.serving = true
	s.back.add(at, s.sliceNumber(s.number))
}

// wake makes a stalled slice try again.
func (s *slice) wake(now engine.Cycle) {
	if s.stalled {
		s.stalled = false
		if !s.serving {
			s.serveAt(now)
		}
	}
}

// credit gives the place of a served request to the flight that has waited longest for one.
func (s *slice) credit(now engine.Cycle) {
	if s.held.Len() > 0 {
		number := s.held.Pop()
		s.flights.at(number).admitted = true
		s.added.add(now, number)
		return
	}
	s.credits++
}

// access carries out one flight. It returns false, with nothing done, if the flight has to wait.
func (s *slice) access(number int32, f *flight, counts *account, now engine.Cycle) bool {
	if s.global.mapped != 0 || len(s.global.peers) > 0 {
		if link := s.linkOf(f.Line); link != nil {
			if s.watched != nil {
				s.watched.served(number, now, observe.Missed)
			}
			s.over(link, number, f, counts, now)
			return true
		}
	}
	channel := s.only
	if channel == nil {
		channel, _, _ = s.channelOf(s.number, f.local)
	}
	if channel.Full() {
		counts.L2WriteStalls++
		channel.heldBack |= 1 << s.number
		return false
	}
	if s.written.Len() > 0 && s.written.First().due <= now && !(s.firstDirty && channel.Busy(now)) {
		s.writeDue(channel, now)
	}
	if f.Kind == RequestStore || f.Kind == RequestWriteBack {
		s.store(number, f, counts, now)
		return true
	}
	return s.load(number, f, counts, now)
}

// load serves requests that need the line's data: loads, fills and atomics. It returns false, with nothing done, if no MSHR is free.
func (s *slice) load(number int32, f *flight, counts *account, now engine.Cycle) bool {
	status, fetch := cache.Hit, uint8(0)
	if s.cached {
		status, fetch = s.cache.AccessIn(int(f.set), f.cacheAccess(), f.Sectors, uint64(number))
	}
	if status == cache.Stall {
		counts.L2MissStalls++
		return false
	}
	if s.watched != nil {
		s.watched.served(number, now, FoundBy(status))
	}
	s.countRead(f, counts, status, fetch)
	if fetch != 0 {
		s.toDRAM(s.number, f.local, fetch, false, f.Account, now+s.latency)
	}
	if s.prefetcher != nil && s.cached {
		s.prefetch(f, status, now)
	}
	s.apply(f)
	s.occupy(f, counts, now)
	if status == cache.Hit {
		s.finish(number, f, counts, now, s.latency, false)
	}
	return true
}

// prefetch fetches the lines that the prefetcher names after an access.
func (s *slice) prefetch(f *flight, status cache.Status, now engine.Cycle) {
	s.ahead = cache.Ahead(s.prefetcher, f.cacheAccess(), status == cache.Hit, s.ahead)
	for _, line := range s.ahead {
		channel, _, _ := s.channelOf(s.number, line)
		if channel.Full() {
			continue
		}
		if fetch := s.cache.Prefetch(line, 1<<(s.cfg.L2.Line/s.cfg.L2.Sector)-1); fetch != 0 {
			s.of(f.Account).L2PrefetchSectors += uint64(bits.OnesCount8(fetch))
			s.toDRAM(s.number, line, fetch, false, f.Account, now+engine.Cycle(s.cfg.L2.Latency))
		}
	}
}

// store serves stores and the write-backs of SMXs' caches.
func (s *slice) store(number int32, f *flight, counts *account, now engine.Cycle) {
	var fresh bool
	var eviction cache.Eviction
	if s.cached {
		_, fresh, eviction = s.cache.WriteIn(int(f.set), f.cacheAccess(), f.Sectors)
	}
	if s.watched != nil {
		s.watched.served(number, now, observe.Hit) // L2 takes writes without asking DRAM
	}
	if fresh {
		s.dirtied(f, now)
	}
	s.writeBack(eviction, f.Account, now)
	f.countWrite(counts)
	s.apply(f)
	s.occupy(f, counts, now)
	s.finish(number, f, counts, now, s.latency, false)
}

// occupy books the slice for a request: a cycle for the tags, or as long as its bytes need to be written or read.
func (s *slice) occupy(f *flight, counts *account, now engine.Cycle) {
	takes := max(engine.SubCycles(1), s.data.carries(bits.OnesCount8(f.Sectors)), f.request(&s.request))
	s.free = max(engine.SubCycles(now), s.free) + takes
	counts.busy[s.unit] += takes
	if s.reuse != nil {
		s.reuse.use(f.Line)
	}
}

func (s *slice) countRead(f *flight, counts *account, status cache.Status, fetch uint8) {
	asked := uint64(bits.OnesCount8(f.Sectors))
	inFlight := uint64(0)
	hits := asked
	switch {
	case status == cache.Hit:
	case fetch == f.Sectors: // the commonest miss: no sector is there or in flight
		hits = 0
	default:
		valid, _ := s.cache.Probe(f.local)
		hits = uint64(bits.OnesCount8(f.Sectors & valid))
		inFlight = asked - hits - uint64(bits.OnesCount8(fetch))
	}
	counts.L2ReadSectorsMerged += inFlight
	if f.isAtomic() {
		counts.L2AtomicRequests++
		counts.L2AtomicSectors += asked
		counts.L2AtomicSectorHits += hits
		return
	}
	counts.L2ReadSectors += asked
	counts.L2ReadSectorHits += hits
	counts.L2ReadRequestsBy[f.Source]++
	counts.L2ReadSectorsBy[f.Source] += asked
	counts.L2ReadSectorHitsBy[f.Source] += hits
}

// countWrite counts a store or write-back.
func (f *flight) countWrite(counts *account) {
	sectors := uint64(bits.OnesCount8(f.Sectors))
	counts.L2WriteSectors += sectors
	counts.L2WriteRequestsBy[f.Source]++
	counts.L2WriteSectorsBy[f.Source] += sectors
}

// fill receives sectors from DRAM and responds to the flights that waited for them.
func (s *slice) fill(line uint64, sectors uint8, account int32, now engine.Cycle) {
	var eviction cache.Eviction
	s.released, eviction = s.cache.Fill(line, sectors, s.released[:0])
	if s.prefetcher != nil {
		s.prefetcher.Filled(line)
	}
	s.writeBack(eviction, account, now)
	for _, waiter := range s.released {
		f := s.flights.at(int32(waiter))
		s.finish(int32(waiter), f, s.of(f.Account), now, s.returnLatency, true)
	}
	s.wake(now)
}

// finish sends a flight's response: first the latency of the slice or the DRAM controller, then the links back.
func (s *slice) finish(number int32, f *flight, counts *account, now, latency engine.Cycle, fromDRAM bool) {
	arrived := engine.SubCycles(now)
	start := arrived
	if f.isAtomic() {
		if s.cached && s.linkOf(f.Line) == nil && s.cache.MarkDirty(f.local, f.Sectors) {
			s.dirtied(f, now)
		}
		var further engine.Cycle
		start, further = s.atomics.carryOut(f, start, counts, s.unit+s.cfg.L2.Slices)
		latency += further
	}
	sectors, smx := f.answered(bits.OnesCount8(f.Sectors)), &s.receive[f.SMX]
	takes := smx.carries(sectors)
	bank := s.bank(f.local)
	start = bank.reserve(arrived, start, bank.carries(sectors))
	start = s.respond.reserve(arrived, start, s.respond.carries(sectors))
	start = smx.reserve(arrived, start, takes)
	counts.busy[len(s.ports)+int(f.SMX)] += takes
	if sectors > 1 { // the response latency includes one sector; further sectors arrive later
		start += smx.rate((sectors - 1) * SectorBytes)
	}
	ready := start.Up() + latency + s.reply
	f.countLatency(&counts.Memory, ready, fromDRAM)
	counts.Responses++
	if s.watched != nil {
		s.watched.finished(number, f, now, ready, fromDRAM)
	}
	if p, r := s.ports[f.SMX], (Response{Ready: ready, Tag: f.Tag, Kind: f.Kind}); s.alone {
		p.inbox.push(r)
	} else {
		p.responses = append(p.responses, r)
	}
	f.Access = nil
	s.flights.drop(number)
}

// countLatency counts the latency of a load, fill or atomic.
func (f *flight) countLatency(counts *stats.Memory, ready engine.Cycle, fromDRAM bool) {
	cycles := uint64(ready - f.Issued)
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
