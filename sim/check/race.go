package check

import (
	"encoding/binary"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// accessCheck checks one access.
type accessCheck struct {
	c       *Checker
	w       *warp
	e       *observe.Access
	shadow  *shadow
	block   *block // block of the shared memory; nil for global
	site    *site
	base    record // lower records happen before
	own     record // its record without the lane
	several record // its record for several lanes
	lane    int
	// at is the address of the current bytes, count their number, and part their offset in the lane's access.
	at    uint64
	count uint8
	part  uint8
	// wide: the lane represents all active ones, which read the same.
	wide bool
	// Results to reuse. Records of the warp in unordered, from its clock on, are known to be unordered; readers are those of the previous
	// word.
	unordered orderedUpTo
	readers   [2]uint32
}

// access checks an access to shared or global memory.
func (c *Checker) access(w *warp, e *observe.Access, s *shadow, in *block) {
	if e.Kind > exec.AccessReduction || e.Image != nil {
		return
	}
	if c.set.Has(finding.Memory) && in == nil {
		c.exact(w, e)
	}
	if c.set.Has(finding.Init) {
		c.initialised(w, e, s)
	}
	if !c.set.Has(finding.Races | finding.Sync) {
		return
	}
	number := c.siteOf(w, e)
	t := accessCheck{c: c, w: w, e: e, shadow: s, block: in, site: &c.sites[number], own: newRecord(w.number, 0, uint32(w.clock), number)}
	t.base = record(w.block.grid.base) << warpShift
	if in != nil {
		t.base = record(in.first) << warpShift
	}
	t.several = t.own.ofSeveral()
	if t.site.strong {
		t.signal()
	} else if c.timed && len(c.logs) > 0 && w.waits.address != 0 {
		c.acquire(w, w.waits)
	}
	if e.Kind == exec.AccessLoad {
		t.loads()
	} else {
		t.stores()
	}
}

// signal applies a strong access to the order: it acquires what it reads, and releases what an earlier fence covers.
func (t *accessCheck) signal() {
	c, w, e := t.c, t.w, t.e
	releases := e.Kind != exec.AccessLoad && (w.fencedBlock != nil || e.Order >= isa.OrderRelease)
	if !releases && len(c.logs) == 0 {
		return
	}
	for m := e.Active; m != 0; m &= m - 1 {
		v := variable{t.block, e.Address[bits.TrailingZeros32(m)&31]}
		if e.Kind != exec.AccessStore {
			c.acquire(w, v)
			w.waits = v
		}
		if releases {
			c.release(w, v, e.Order >= isa.OrderRelease)
		}
	}
	t.own = newRecord(w.number, 0, uint32(w.clock), t.own.site())
	t.several = t.own.ofSeveral()
}

// loads checks each word that a load reads. If all lanes read the same words, one represents them.
func (t *accessCheck) loads() {
	var p *page
	number := ^uint64(0)
	active := t.e.Active
	if t.e.Bytes >= 4 && t.e.Shape.Within(0) && active&(active-1) != 0 {
		active, t.wide = active&-active, true
	}
	for ; active != 0; active &= active - 1 {
		t.lane = bits.TrailingZeros32(active) & 31
		own := t.own | record(t.lane)<<laneShift
		if t.wide {
			own = t.several
		}
		first := t.e.Address[t.lane]
		if n := first >> pageShift; n != number {
			p, number = t.shadow.page(first), n
		}
		if t.e.Bytes < 4 {
			t.bytes(p, first%pageBytes/4, first, own)
			continue
		}
		t.shadow.records(&p.Reads)
		for part := uint8(0); part < t.e.Bytes; part += 4 {
			i := (first + uint64(part)) % pageBytes / 4
			if t.ownWrite(p, i, own) || t.unwritten(p, i) && t.onlyRead(p, i, own) {
				continue
			}
			if p.Writes != nil && p.Writes[i].warp() == splitMark {
				t.bytes(p, i, first+uint64(part), own)
				continue
			}
			t.at, t.count, t.part = first+uint64(part), 4, part
			c := p.at(i)
			t.read(&c, own)
			t.shadow.keep(p, i, &c)
			t.readers = [2]uint32{c.read.warp(), c.read2.warp()}
		}
	}
}

// ownWrite reports whether the lane itself has written a word last, at its present clock. Its later reads and weak writes at this clock
// then need no record: what they conflict with, the first write does, too.
func (t *accessCheck) ownWrite(p *page, i uint64, own record) bool {
	return p.Writes != nil && p.Writes[i]>>siteBits == own>>siteBits && empty(p.Strong, i) && empty(p.Strong2, i) && !t.site.strong
}

// empty reports whether a list has no record of a word.
func empty(list *[pageWords]record, i uint64) bool { return list == nil || list[i] == 0 }

// onlyRead records the read of a word whose writes all happen before. It reports false if other readers need a closer look.
func (t *accessCheck) onlyRead(p *page, i uint64, own record) bool {
	switch r := p.Reads[i]; {
	case t.ordered(r):
		p.Reads[i] = own
	case r.ofSeveral() == t.several:
		p.Reads[i] = t.sameRead(r, own)
	default:
		return t.knownReaders(p, i, r)
	}
	return true
}

// unwritten reports whether all writes to a word happen before, or are the lane's own.
func (t *accessCheck) unwritten(p *page, i uint64) bool {
	if p.Writes != nil {
		if r := p.Writes[i]; r >= t.base && (r.warp() != t.w.number || r.lane() != t.lane || t.wide) && !t.ordered(r) {
			return false
		}
	}
	return (p.Strong == nil || t.ordered(p.Strong[i])) && (p.Strong2 == nil || t.ordered(p.Strong2[i]))
}

// knownReaders reports whether a word that r has read has the same two readers as the access's previous word, which needed no update, or a
// second reader in the same instruction.
func (t *accessCheck) knownReaders(p *page, i uint64, r record) bool {
	if p.Reads2 == nil {
		return false
	}
	r2 := p.Reads2[i]
	return r2.ofSeveral() == t.several || r.warp() == t.readers[0] && r2.warp() == t.readers[1] && r.warp() != t.w.number &&
		r2.warp() != t.w.number
}

// ordered reports whether a record of another warp happens before.
func (t *accessCheck) ordered(r record) bool {
	if r < t.base {
		return true
	}
	n := r.warp()
	if n == t.w.number || n == splitMark || n == t.unordered.warp && r.clock() >= t.unordered.clock {
		return false
	}
	known := &t.w.ordered[n%orderedKept]
	if known.warp == n && r.clock() <= known.clock {
		return true
	}
	if !t.c.before(r, t.w) {
		t.unordered = orderedUpTo{n, r.clock()}
		return false
	}
	*known = orderedUpTo{n, r.clock()}
	return true
}

// sameRead merges reads by lanes of one instruction.
func (t *accessCheck) sameRead(r, own record) record {
	if r.lane() != t.lane {
		return t.several
	}
	return own
}

// read compares a read with earlier writes, and records it.
func (t *accessCheck) read(c *cell, own record) {
	t.against(c.write, own)
	t.against(c.strong, own)
	t.against(c.strong2, own)
	switch {
	case t.ordered(c.read):
		c.read = own
	case c.read.warp() == t.w.number:
		c.read = t.reread(c.read, own)
	case c.read2.warp() == t.w.number && c.read2 >= t.base:
		c.read2 = t.reread(c.read2, own)
	case !t.otherWarp(c.read):
		c.read = own
	case t.ordered(c.read2) || !t.otherWarp(c.read2) || !t.apart(c.read2, c.read) && t.apart(own, c.read):
		c.read2 = own
	}
}

// reread returns the record to keep of two reads of the warp.
func (t *accessCheck) reread(r, own record) record {
	switch {
	case r.lane() != t.lane && (r.ofSeveral() == t.several || t.w.clockOf(r) >= t.w.synced):
		return t.several // lanes whose earlier reads only lockstep has ordered still count
	case t.site.strong && !t.c.sites[r.site()].strong:
		return r // a weak read conflicts with more
	}
	return own
}

// apart reports whether records are of two blocks.
func (t *accessCheck) apart(a, b record) bool {
	first, second := t.c.ownerOf(a), t.c.ownerOf(b)
	return first != nil && second != nil && first.block != second.block
}

// stores checks each word that a store or an atomic writes.
func (t *accessCheck) stores() {
	var p *page
	number := ^uint64(0)
	for m := t.e.Active; m != 0; m &= m - 1 {
		t.lane = bits.TrailingZeros32(m) & 31
		own := t.own | record(t.lane)<<laneShift
		first := t.e.Address[t.lane]
		if n := first >> pageShift; n != number {
			p, number = t.shadow.page(first), n
		}
		if t.e.Bytes < 4 {
			t.bytes(p, first%pageBytes/4, first, own)
			continue
		}
		for part := uint8(0); part < t.e.Bytes; part += 4 {
			i := (first + uint64(part)) % pageBytes / 4
			t.at, t.count, t.part = first+uint64(part), 4, part
			switch {
			case t.ownWrite(p, i, own) && empty(p.Reads, i) && empty(p.Reads2, i):
			case p.Writes != nil && p.Writes[i].warp() == splitMark:
				t.bytes(p, i, t.at, own)
				continue
			case t.alone(p, i, own):
				if t.site.strong {
					t.shadow.records(&p.Strong)[i] = own
				} else {
					t.shadow.keep(p, i, &cell{write: own})
				}
			default:
				c := p.at(i)
				t.write(&c, own)
				t.shadow.keep(p, i, &c)
			}
			if t.c.timed {
				t.note(p)
			}
		}
	}
}

// alone reports whether all records of a word happen before, or for an atomic are this warp's atomics. For another store they may be the
// lane's own.
func (t *accessCheck) alone(p *page, i uint64, own record) bool {
	past := func(list *[pageWords]record) bool {
		return list == nil || list[i]>>laneShift == own>>laneShift && !t.site.strong || t.ordered(list[i])
	}
	if !past(p.Reads) || !past(p.Reads2) || !past(p.Writes) || !past(p.Strong2) {
		return false
	}
	return past(p.Strong) || t.site.atomic && p.Strong[i].warp() == t.w.number
}

// note saves a lane's stored value if memory gets it later than the event.
func (t *accessCheck) note(p *page) {
	if t.block != nil || t.e.Kind != exec.AccessStore {
		return
	}
	if p.values == nil {
		p.values = new([pageBytes]byte)
	}
	copy(p.values[t.at%pageBytes:], t.stored(t.lane))
}

// write compares a write with earlier accesses, and records it.
func (t *accessCheck) write(c *cell, own record) {
	before := [...]record{c.write, c.read, c.read2, c.strong, c.strong2}
	found := false
	for _, r := range before {
		found = r >= t.base && t.lookAt(r, own, false) || found
	}
	if found {
		if t.e.Kind == exec.AccessStore && !t.changes() {
			return // the value is there already
		}
		for _, r := range before {
			t.against(r, own)
		}
	}
	c.read, c.read2 = 0, 0
	switch {
	case !t.site.strong:
		c.write, c.strong, c.strong2 = own, 0, 0
	case c.strong < t.base || !t.otherWarp(c.strong):
		c.strong = own
	case c.strong2 < t.base || !t.otherWarp(c.strong2) || !t.apart(c.strong2, c.strong) && t.apart(own, c.strong):
		c.strong2 = own
	}
}

// otherWarp reports whether a record is another warp's, under any number.
func (t *accessCheck) otherWarp(r record) bool {
	if r.warp() == t.w.number {
		return false
	}
	o := t.c.ownerOf(r)
	return o == nil || o.block != t.w.block || int(o.index) != t.w.index
}

// bytes checks single bytes of a word: those of a small access, or all of a split word.
func (t *accessCheck) bytes(p *page, i, first uint64, own record) {
	cells := t.shadow.split(p, i)
	from, n := uint8(first%4), min(t.e.Bytes, 4)
	for k := from; k < from+n; k++ {
		t.at, t.count, t.part = first-uint64(from)+uint64(k), 1, uint8(first+uint64(k)-uint64(from)-t.e.Address[t.lane])
		if t.e.Kind == exec.AccessLoad {
			t.read(&cells[k], own)
			continue
		}
		t.write(&cells[k], own)
		if t.c.timed {
			t.note(p)
		}
	}
	if n == 4 {
		t.shadow.join(p, i)
	}
}

// changes reports whether a store changes the value in memory.
func (t *accessCheck) changes() bool {
	var old [4]byte
	if p := t.shadow.find(t.at); t.c.timed && p != nil && p.values != nil {
		copy(old[:t.count], p.values[t.at%pageBytes:])
	} else if t.block != nil {
		if t.at+uint64(t.count) > uint64(len(t.block.memory)) {
			return true
		}
		copy(old[:t.count], t.block.memory[t.at:])
	} else if t.c.memory.Read(t.at, old[:t.count]) != nil {
		return true
	}
	return !equal(old[:t.count], t.stored(t.lane))
}

// stored returns what a lane stores to the current bytes.
func (t *accessCheck) stored(lane int) []byte {
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], t.e.Data[t.part/4&3][lane])
	return word[t.part%4 : t.part%4+t.count]
}

func equal(a, b []byte) bool { return string(a) == string(b) }

// against reports the access with an earlier one that it conflicts with.
func (t *accessCheck) against(r, own record) {
	if r >= t.base {
		t.lookAt(r, own, true)
	}
}

// lookAt compares the access with an earlier one.
func (t *accessCheck) lookAt(r, own record, report bool) bool {
	if !t.otherWarp(r) {
		return t.withinWarp(r, own, report)
	}
	if !t.c.set.Has(finding.Races) || t.c.sites[r.site()].strong && t.site.strong || t.ordered(r) {
		return false
	}
	if report {
		rule := finding.RaceGrid
		switch o := t.c.ownerOf(r); {
		case o.block == t.w.block:
			rule = finding.RaceBlock
		case o.block.grid != t.w.block.grid:
			rule = finding.RaceStreams
			if o.block.grid.root() == t.w.block.grid.root() {
				rule = finding.RaceNested
			}
		}
		t.report(rule, r)
	}
	return true
}

// withinWarp compares the access with one of the same warp.
func (t *accessCheck) withinWarp(r, own record, report bool) bool {
	first := &t.c.sites[r.site()]
	if t.wide && r.lane() == t.lane { // another lane with the same read
		t.lane = bits.TrailingZeros32(t.e.Active &^ (1 << t.lane))
	}
	if r.lane() == t.lane || (t.site.atomic || first.atomic) && t.site.strong && first.strong {
		return false
	}
	clock := t.w.clockOf(r)
	if r.warp() != t.w.number {
		clock = uint64(t.c.ownerOf(r).high)<<clockBits | uint64(r.clock())
	}
	if r.clock() == own.clock() && r.site() == own.site() && r.warp() == own.warp() && t.e.Kind == exec.AccessStore {
		if same, differs := t.sameInstruction(); same {
			differs = differs && !t.site.strong
			if differs && report && t.c.set.Has(finding.Races) {
				t.report(finding.RaceLanes, r)
			}
			return differs
		}
	}
	if clock < t.w.synced {
		return false
	}
	if !t.w.lockstep(clock, r.lane(), t.lane) {
		if t.site.strong && first.strong || !t.c.set.Has(finding.Races) {
			return false
		}
		if report {
			t.report(finding.RaceWarp, r)
		}
		return true
	}
	if !report || t.e.Kind == exec.AccessLoad {
		t.warn(r)
	}
	return false
}

// warn reports accesses that only the lockstep of a warp orders.
func (t *accessCheck) warn(r record) {
	if t.c.set.Has(finding.Sync) {
		t.report(finding.WarpSynchronous, r)
	}
}

// sameInstruction finds a lower lane that stores to the same bytes in the same instruction.
func (t *accessCheck) sameInstruction() (same, differs bool) {
	for m := t.e.Active & (1<<t.lane - 1); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if t.e.Address[lane]+uint64(t.part) == t.at {
			same, differs = true, differs || !equal(t.stored(lane), t.stored(t.lane))
		}
	}
	return same, differs
}

// pair is the key for counting findings: the rule and the places.
type pair struct {
	rule          *finding.Rule
	first, second int // lines, 0 for none
}

// report reports two accesses, or counts them if the two places have been reported.
func (t *accessCheck) report(rule *finding.Rule, r record) {
	c := t.c
	key := pair{rule, c.sites[r.site()].line, t.site.line}
	if f := c.pairs[key]; f != nil {
		f.Count++
		return
	}
	first := &c.sites[r.site()]
	f := &finding.Finding{Rule: rule, Space: t.e.Space, Address: t.at, Bytes: int(t.count), Name: c.nameOf(t.e.Space, t.at), Count: 1}
	now := c.place(t.site, t.w.block.grid)
	name(&now, t.w.block, t.w.index, t.lane)
	f.Places = append(f.Places, now)
	if o := c.ownerOf(r); o != nil && first.program != nil {
		before := c.place(first, o.block.grid)
		before.Does = past[before.Does]
		name(&before, o.block, int(o.index), r.lane())
		f.Places = append(f.Places, before)
	}
	c.pairs[key] = f
	c.found.add(f)
}

// past has the past tense of Does.
var past = map[string]string{"reads": "has read", "writes": "has written", "changes atomically": "has changed atomically"}

// nameOf names global memory.
func (c *Checker) nameOf(space isa.Space, address uint64) string {
	if space != isa.SpaceGlobal {
		return ""
	}
	return c.memory.Describe(address)
}
