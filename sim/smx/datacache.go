package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/stats"
)

// dataCaches are L1 and the slices of the read-only cache.
type dataCaches struct {
	l1       dataCache
	takes    bool             // L1 takes global loads if their instruction or launch asks for it
	carveOut configs.CarveOut // the division that L1 was made for
	readOnly []dataCache
	textures textureUnits // one for each slice of the read-only cache
	fills    []fill       // lines in flight, by tag
	noFill   []int        // free tags
	held     int          // transactions that wait for a miss register, except the texture units', which block only their slice
	released []uint64
	globals  bool // lines of global memory may be in L1, or in flight to it
}

// dataCache is one cache of the SMX and the costs of an access through it.
type dataCache struct {
	*cache.Cache
	line    int
	sector  int // in bytes: the smallest part that a miss fetches
	latency engine.Cycle
	source  memory.Source
	waiting engine.Ring[stalled]
	held    int // the texture units' transactions that wait for a miss register
	policies
}

// fill is a line in flight from L2 to a cache.
type fill struct {
	gridState *GridState // whose access asked for it
	cache     *dataCache
	line      uint64
	parts     uint8
}

// stalled is a transaction that found no free miss register. It tries again after each fill of its cache; transactions behind it wait.
type stalled struct {
	access *access
	line   uint64
	parts  uint8
}

func (d *dataCaches) build(config *configs.Config, carveOut configs.CarveOut) error {
	d.held, d.globals = 0, false
	if d.l1.Cache != nil && d.carveOut == carveOut { // same division: empty the caches
		d.l1.Reset()
		for i := range d.readOnly {
			d.readOnly[i].Reset()
			d.readOnly[i].held, d.textures[i] = 0, 0
		}
	} else if err := d.divide(config, carveOut); err != nil {
		return err
	}
	for i := range d.readOnly {
		if err := d.readOnly[i].choose(config.ReadOnly.Prefetcher, "none"); err != nil {
			return err
		}
	}
	return d.l1.choose(config.L1.Prefetcher, config.L1.Bypass)
}

// divide makes the caches for a carve-out.
func (d *dataCaches) divide(config *configs.Config, carveOut configs.CarveOut) error {
	d.carveOut, d.textures, d.readOnly = carveOut, d.textures[:0], d.readOnly[:0]
	writeBack := config.L1.LocalWrites == configs.WriteBack
	d.takes = config.L1.GlobalLoads != configs.LoadsNever
	l1, err := cache.New(cache.Spec{
		Sets: carveOut.L1Sets, Ways: carveOut.L1 / config.L1.Line / carveOut.L1Sets, LineBytes: config.L1.Line, Policy: config.L1.Policy,
		MissRegisters: config.L1.MissRegisters, MissMerges: config.L1.MissMerges,
		WriteBack: writeBack, WriteAllocate: writeBack,
	})
	if err != nil {
		return err
	}
	d.l1 = dataCache{
		Cache: l1, line: config.L1.Line, sector: config.L1.Line, latency: engine.Cycle(config.L1.Latency), source: memory.SourceLocal,
	}
	r := &config.ReadOnly
	for range r.Slices {
		slice, err := cache.New(cache.Spec{
			Sets: r.Bytes / r.Slices / (r.Line * r.Ways), Ways: r.Ways, LineBytes: r.Line, SectorBytes: r.Sector, Policy: r.Policy,
			MissRegisters: r.MissRegisters, MissMerges: config.L1.MissMerges,
		})
		if err != nil {
			return err
		}
		d.textures = append(d.textures, 0)
		d.readOnly = append(d.readOnly, dataCache{
			Cache: slice, line: r.Line, sector: r.Sector, latency: engine.Cycle(r.Latency), source: memory.SourceReadOnly,
		})
	}
	return nil
}

// parts returns the cache's sectors that hold some 32-byte sectors of a line.
func (c *dataCache) parts(sectors uint8) (parts uint8) {
	for ; sectors != 0; sectors &= sectors - 1 {
		first := bits.TrailingZeros8(sectors) * memory.SectorBytes
		for at := first; at < first+memory.SectorBytes; at += min(c.sector, memory.SectorBytes) {
			parts |= 1 << (at / c.sector)
		}
	}
	return parts
}

// sectors returns the 32-byte sectors of a line that overlap some of the cache's sectors.
func (c *dataCache) sectors(parts uint8) (sectors uint8) {
	for at := 0; at < c.line; at += memory.SectorBytes {
		if sector := uint8(1) << (at / memory.SectorBytes); c.parts(sector)&parts != 0 {
			sectors |= sector
		}
	}
	return sectors
}

// forLoad returns the cache that a load from global memory through the load/store unit looks in, nil if it goes straight to L2. asked: the
// launch asks for L1.
func (d *dataCaches) forLoad(class isa.Class, a *access, asked bool) *dataCache {
	if class == isa.ClassSurface || a.Order != isa.OrderWeak || a.Cache == isa.CacheGlobal || a.Cache == isa.CacheVolatile ||
		a.Cache == isa.CacheStream {
		return nil
	}
	if d.takes && (asked || a.Cache == isa.CacheAll) {
		return &d.l1
	}
	return nil
}

// ReadsThroughCaches reports whether warps of a grid may read global memory through L1, the read-only cache or as a texture. A hit reads
// device memory while the SMX runs.
func (s *SMX) ReadsThroughCaches(g *Grid) bool {
	l := &s.lsu.loadStore
	for i := range g.Program.operations {
		op := &g.Program.operations[i]
		switch {
		case !op.memory:
		case s.lsu.loadStore.byTexture(op.class):
			return true
		case op.class != isa.ClassGlobal && op.class != isa.ClassReadOnly:
		case l.takes && (g.CacheGlobalLoads || op.machine.Effect.Memory.Cache == isa.CacheAll):
			return true
		}
	}
	return false
}

// cachedLoad sends a load from global memory through a cache of the SMX.
func (s *lsu) cachedLoad(sc *warpScheduler, w *warp, op *operation, a *access, through *dataCache) engine.Cycle {
	l, c := &s.loadStore, &w.gridState.Counters
	a.cached, l.globals = true, true
	l.transactions = memory.Coalesce(&a.Access, through.line, &l.parts, l.transactions[:0])
	if s.config.Ideal.Coalescing {
		l.transactions = memory.Pack(l.transactions, &a.Access, through.line)
	}
	sectors := 0
	for i := range l.transactions {
		sectors += bits.OnesCount8(l.transactions[i].Sectors)
	}
	s.ledger.tally(w.gridState, &c.GlobalLoad, op, &a.Access, len(l.transactions), sectors)
	passes := len(l.transactions) // unlike a load past L1, a hit is not issued again for its first line
	sc.replay(w.gridState, &c.GlobalReplays, s.now, passes)
	start := l.book(w.gridState, op.class, s.now, int64(passes)*l.line)
	hits := uint32(0)
	for i := range l.transactions {
		t := &l.transactions[i]
		if s.lookUp(a, through, t, start+engine.Cycle(int64(i)*l.line/ticks), &c.L1Global) == cache.Hit {
			hits |= t.Lanes
		}
	}
	if a.remaining > 0 { // read hits now, misses when they arrive: a store in between is younger
		s.port.Load(&a.Access, hits)
		a.taken |= hits
	}
	return s.afterLookUp(w, op, a, start+through.latency+engine.Cycle(int64(passes-1)*l.line/ticks))
}

// overwrite makes L1 forget the lines of global memory that an access writes past it, from a cycle on. Older loads that wait for these
// lines must read the old data: they get it from L2 themselves.
func (s *lsu) overwrite(transactions []memory.Transaction, served engine.Cycle) {
	l := &s.loadStore
	for i := range transactions {
		line := transactions[i].Line &^ uint64(l.l1.line-1)
		l.released = l.l1.Overwrite(line, l.released[:0])
		for _, waiter := range l.released {
			if a := l.accesses[waiter]; a.Space == isa.SpaceGlobal {
				l.askL2(a, line, served)
			}
		}
	}
}

// askL2 requests from L2 a load's lanes in a line of L1 that have not been read.
func (l *loadStore) askL2(a *access, line uint64, served engine.Cycle) {
	lanes := lanesIn(&a.Access, line, l.l1.line) &^ a.taken
	for at := line; lanes != 0 && at < line+uint64(l.l1.line); at += configs.LineBytes {
		t := memory.Transaction{Line: at, Lanes: lanes & lanesIn(&a.Access, at, configs.LineBytes)}
		if t.Lanes == 0 {
			continue
		}
		for m := t.Lanes; m != 0; m &= m - 1 {
			t.Sectors |= 1 << (a.Address[bits.TrailingZeros32(m)&31] % configs.LineBytes / memory.SectorBytes)
		}
		a.taken |= t.Lanes
		l.requestForAccess(a, memory.RequestLoad, l.l1.source, []memory.Transaction{t}, served, 0, 0)
	}
}

// lanesIn returns the lanes of an access whose addresses are in a line.
func lanesIn(a *exec.Access, line uint64, bytes int) (lanes uint32) {
	for m := a.Active; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m) & 31; a.Address[lane]-line < uint64(bytes) {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// readHere reads a load's lanes in a line that L1 holds, unless they have been read.
func (s *lsu) readHere(a *access, through *dataCache, line uint64) {
	if through != &s.loadStore.l1 || a.Space != isa.SpaceGlobal {
		return
	}
	if lanes := lanesIn(&a.Access, line, through.line) &^ a.taken; lanes != 0 {
		s.port.Load(&a.Access, lanes)
		a.taken |= lanes
	}
}

// invalidateGlobal evicts global memory from L1 and empties the read-only caches, so that stores of other SMXs are seen. It happens at the
// start of a grid, and when a wait for a grid ends.
func (l *loadStore) invalidateGlobal() {
	if l.globals {
		l.globals = l.l1.Pending() > 0
		l.l1.Forget(func(line uint64) bool { return line < memory.LocalBase })
	}
	for i := range l.readOnly {
		l.readOnly[i].InvalidateAll()
	}
}

// local carries out an access to local memory through L1. It takes effect at once, since no other thread can see it.
func (s *lsu) local(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	l, c := &s.loadStore, &w.gridState.Counters
	bytes := s.localBytes(w.gridState.Grid)
	if fault := a.ApplyLocal(w.Local, bytes); fault != nil {
		s.accessFault(w, op, fault)
		return 0
	}
	op.bound.Complete(&w.Warp, &a.Access, a.Active)
	// 4-byte word n of the 32 lanes is in line n of the warp's part of local memory.
	base := memory.LocalBase + w.gridState.Grid.LocalOffset + uint64((s.ID*s.config.SMX.Warps+int(w.WarpID))*bytes)*32
	var seen [32]uint64
	lines := seen[:0]
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for word := a.Address[lane] / 4; word <= (a.Address[lane]+uint64(a.Bytes)-1)/4; word++ {
			line := base + word*128
			line -= line % uint64(l.l1.line)
			known := false
			for _, seenLine := range lines {
				known = known || seenLine == line
			}
			if !known {
				lines = append(lines, line)
			}
		}
	}
	store := a.Kind == exec.AccessStore
	traffic := &c.LocalLoad
	if store {
		traffic = &c.LocalStore
	}
	s.ledger.tally(w.gridState, traffic, op, &a.Access, len(lines), 4*len(lines))
	sc.replay(w.gridState, &c.LocalReplays, s.now, len(lines))
	start := l.book(w.gridState, op.class, s.now, int64(len(lines))*l.line)
	a.cached = true
	for i, line := range lines {
		served := start + engine.Cycle(int64(i)*l.line/ticks)
		if !store {
			s.lookUp(a, &l.l1, &memory.Transaction{Line: line, Sectors: 1}, served, &c.L1Local)
			continue
		}
		kept, _, evicted := l.l1.Write(a.lineOf(line), 1)
		if !kept {
			l.requestForCache(a.gridState, &l.l1, a.requestOf(line, memory.RequestWriteBack), 0, served)
		}
		s.evict(a.gridState, &l.l1, evicted, served)
	}
	return s.afterLookUp(w, op, a, start+l.l1.latency+engine.Cycle(int64(len(lines)-1)*l.line/ticks))
}

// lookUp looks up a line of an access in a cache, and fetches what is missing and what the cache's prefetcher names.
func (s *lsu) lookUp(
	a *access, through *dataCache, t *memory.Transaction, served engine.Cycle, count *stats.CacheCount,
) (status cache.Status) {
	status = s.lookFor(a, through, t, served, count)
	if through.chosen {
		s.loadStore.tellPolicies(a, through, t.Line, status, served)
	}
	return status
}

// lookFor is lookUp without prefetcher and bypass.
func (s *lsu) lookFor(
	a *access, through *dataCache, t *memory.Transaction, served engine.Cycle, count *stats.CacheCount,
) (status cache.Status) {
	l, line, parts := &s.loadStore, t.Line, through.parts(t.Sectors)
	byOperation := &a.gridState.Operations[a.operation.index].Memory.Cache
	count.Accesses++
	byOperation.Accesses++
	status, missing := through.Access(a.lineOf(line), parts, uint64(a.tag))
	if s.observer != nil {
		s.observeLookup(a, through, line, parts, status)
	}
	switch status {
	case cache.Hit:
		count.Hits++
		byOperation.Hits++
		return status
	case cache.Stall:
		through.waiting.Push(stalled{a, line, parts})
		*l.heldBy(through)++
	case cache.Overtaken:
		l.askL2(a, line, served)
		return status
	}
	a.remaining++
	a.warp.misses++
	if missing != 0 {
		l.fetchMissing(a, through, line, missing, served)
	}
	return status
}

// afterLookUp completes an access that hit everywhere, at the given cycle. One that missed completes with its last response.
func (s *lsu) afterLookUp(w *warp, op *operation, a *access, hit engine.Cycle) engine.Cycle {
	if a.remaining > 0 {
		w.outstanding++
		return never
	}
	if a.Space == isa.SpaceGlobal || a.Space == isa.SpaceTexture {
		s.port.Load(&a.Access, a.Active)
		op.bound.Complete(&w.Warp, &a.Access, a.Active)
	}
	s.loadStore.release(a)
	return hit
}

// requestOf returns the request of an access for a line of a cache.
func (a *access) requestOf(line uint64, kind memory.RequestKind) memory.Request {
	return memory.Request{Kind: kind, PC: a.operation.index, Warp: int16(a.warp.WarpID), Line: line}
}

// fetchMissing asks L2 for parts of a line that an access has missed. Global memory for L1 is read at L2, in order with the stores that
// arrive there.
func (l *loadStore) fetchMissing(a *access, through *dataCache, line uint64, parts uint8, served engine.Cycle) {
	r := a.requestOf(line, memory.RequestFill)
	if through == &l.l1 && a.Space == isa.SpaceGlobal {
		r.Access, r.Lanes = &a.Access, lanesIn(&a.Access, line, through.line)
		a.taken |= r.Lanes
	}
	l.requestForCache(a.gridState, through, r, parts, served)
}

// requestForCache asks L2 for parts of a line, or sends it a line that is written through, with parts 0. A line that spans two of L2 takes
// a request for each. A part in both comes with the second.
func (l *loadStore) requestForCache(h *GridState, through *dataCache, r memory.Request, parts uint8, served engine.Cycle) {
	line, lanes := r.Line, r.Lanes
	const lineBytes = configs.LineBytes
	asked := uint8(0xff)
	if parts != 0 {
		asked = through.sectors(parts)
	}
	for end := lineBytes; end-lineBytes < through.line; end += lineBytes {
		sectors := asked >> ((end - lineBytes) / memory.SectorBytes) & (1<<(lineBytes/memory.SectorBytes) - 1)
		if through.line < lineBytes {
			sectors = sectors & (1<<(through.line/memory.SectorBytes) - 1) << (line % configs.LineBytes / memory.SectorBytes)
		}
		if sectors == 0 {
			continue
		}
		come := parts & uint8(1<<(end/through.sector)-1)
		parts &^= come
		r.Issued, r.Account, r.Source, r.Sectors = served+l.latency, h.account, through.source, sectors
		if r.Access != nil && through.line > lineBytes {
			r.Lanes = lanes & lanesIn(r.Access, line&^(lineBytes-1)+uint64(end-lineBytes), lineBytes)
		}
		r.Line, r.Tag = line&^(lineBytes-1)+uint64(end-lineBytes), uint32(l.takeFill(fill{h, through, line, come}))
		l.requests.add(&r)
		l.pending++
		h.pending++
	}
}

// takeFill returns a tag for a fill.
func (d *dataCaches) takeFill(f fill) int {
	if n := len(d.noFill); n > 0 {
		tag := d.noFill[n-1]
		d.noFill = d.noFill[:n-1]
		d.fills[tag] = f
		return tag
	}
	d.fills = append(d.fills, f)
	return len(d.fills) - 1
}

// evict sends an evicted line to L2 if it is dirty, and reports it to the policies.
func (s *lsu) evict(h *GridState, through *dataCache, evicted cache.Eviction, served engine.Cycle) {
	if evicted.Dirty != 0 {
		r := memory.Request{Kind: memory.RequestWriteBack, PC: cache.Unknown, Warp: cache.Unknown, Line: evicted.Line}
		s.loadStore.requestForCache(h, through, r, 0, served)
	}
	if evicted.Valid == 0 {
		return
	}
	if s.listeners != nil {
		s.listeners.evicted(through, evicted.Line)
	}
	if through.chosen {
		through.tellOfEviction(evicted.Line)
	}
}

// filled takes a line that has arrived, or the acknowledgement of a written line.
func (s *lsu) filled(tag uint32) {
	l := &s.loadStore
	f := l.fills[tag]
	l.noFill = append(l.noFill, int(tag))
	if f.parts == 0 {
		return
	}
	var evicted cache.Eviction
	l.released, evicted = f.cache.Fill(f.line, f.parts, l.released[:0])
	served := max(s.now, engine.Cycle(l.free/ticks)) // further requests leave behind those queued already
	s.evict(f.gridState, f.cache, evicted, served)
	if p := f.cache.prefetcher; p != nil {
		p.Filled(f.line)
	}
	for _, waiter := range l.released {
		s.readHere(l.accesses[waiter], f.cache, f.line)
		s.partArrived(l.accesses[waiter])
	}
	for f.cache.waiting.Len() > 0 {
		again := f.cache.waiting.First()
		status, missing := f.cache.Access(again.access.lineOf(again.line), again.parts, uint64(again.access.tag))
		if status == cache.Stall {
			break
		}
		f.cache.waiting.Pop()
		*l.heldBy(f.cache)--
		switch {
		case status == cache.Hit:
			s.readHere(again.access, f.cache, again.line)
			s.partArrived(again.access)
		case status == cache.Overtaken: // it waits for this part instead
			l.askL2(again.access, again.line, served)
			s.partArrived(again.access)
		case missing != 0:
			l.fetchMissing(again.access, f.cache, again.line, missing, served)
		}
	}
}

// heldBy returns the count of waiting transactions that block others: for the texture units, that of their slice.
func (l *loadStore) heldBy(through *dataCache) *int {
	if through.source == memory.SourceReadOnly {
		return &through.held
	}
	return &l.held
}
