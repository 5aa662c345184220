package check

import (
	"encoding/binary"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// touch is an access that is being looked at.
type touch struct {
	c      *Checker
	w      *warp
	e      *observe.Access
	shadow *shadow
	block  *block // of shared memory; nil for global
	site   *site
	base   record // what is less lies in the past
	own    record // without its lane
	lane   int
	// at is the address of the bytes that are looked at now, count how many, and part the first of them in the lane's access.
	at    uint64
	count uint8
	part  uint8
}

// access looks at an access of shared or global memory.
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
	t := touch{c: c, w: w, e: e, shadow: s, block: in, site: &c.sites[number], own: newRecord(w.number, 0, uint32(w.clock), number)}
	t.base = record(w.block.grid.base) << warpShift
	if in != nil {
		t.base = record(in.first) << warpShift
	}
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

// signal carries out what a strong access does to the order: it acquires what it reads, and releases what a fence before it covers.
func (t *touch) signal() {
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
}

// loads looks at each word that a load reads.
func (t *touch) loads() {
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
		reads := t.shadow.records(&p.reads)
		for part := uint8(0); part < t.e.Bytes; part += 4 {
			i := (first + uint64(part)) % pageBytes / 4
			if p.writes != nil {
				wr := p.writes[i]
				if wr.warp() == splitMark {
					t.bytes(p, i, first+uint64(part), own)
					continue
				}
				if wr >= t.base && (wr.warp() != t.w.number || wr.lane() != t.lane) {
					t.at, t.count, t.part = first+uint64(part), 4, part
					t.against(wr, own)
				}
			}
			switch r := reads[i]; {
			case r < t.base:
				reads[i] = own
			case r.warp() == t.w.number:
				// Lanes that have read it before and nothing but lockstep has ordered since count on.
				if r.lane() != t.lane && (r.ofSeveral() == own.ofSeveral() || t.w.clockOf(r) >= t.w.synced) {
					reads[i] = own.ofSeveral()
				} else if !t.outweighs(r) {
					reads[i] = own
				}
			default:
				reads[i] = t.addReader(r, own)
			}
		}
	}
}

// outweighs reports a weak read of the warp that a strong one is not to replace: it conflicts with more.
func (t *touch) outweighs(r record) bool { return t.site.strong && !t.c.sites[r.site()].strong }

// stores looks at each word that a store or an atomic writes.
func (t *touch) stores() {
	var p *page
	number := ^uint64(0)
	for m := t.e.Active; m != 0; m &= m - 1 {
		t.lane = bits.TrailingZeros32(m) & 31
		own := t.own | record(t.lane)<<laneShift
		first := t.e.Address[t.lane]
		if n := first >> pageShift; n != number {
			p, number = t.shadow.page(first), n
		}
		writes := t.shadow.records(&p.writes)
		if t.e.Bytes < 4 {
			t.bytes(p, first%pageBytes/4, first, own)
			continue
		}
		for part := uint8(0); part < t.e.Bytes; part += 4 {
			i := (first + uint64(part)) % pageBytes / 4
			wr, r := writes[i], record(0)
			if p.reads != nil {
				r = p.reads[i]
			}
			switch {
			case wr.warp() == splitMark:
				t.bytes(p, i, first+uint64(part), own)
				continue
			case t.mine(wr) && t.mine(r) && (wr < t.base || !t.site.strong):
				writes[i] = own
			default:
				t.at, t.count, t.part = first+uint64(part), 4, part
				writes[i] = t.write(wr, r, own)
			}
			if r != 0 {
				p.reads[i] = 0
			}
			if t.c.timed {
				t.at, t.count, t.part = first+uint64(part), 4, part
				t.note(p)
			}
		}
	}
}

// note keeps what a lane stores, where the memory has it later than the event says.
func (t *touch) note(p *page) {
	if t.block != nil || t.e.Kind != exec.AccessStore {
		return
	}
	if p.values == nil {
		p.values = new([pageBytes]byte)
	}
	copy(p.values[t.at%pageBytes:], t.stored(t.lane))
}

// mine reports a record that a store of the lane comes after: of the past, or of the lane itself.
func (t *touch) mine(r record) bool {
	return r < t.base || r.warp() == t.w.number && r.lane() == t.lane
}

// write holds a write against what was before, and returns the record that the memory has now.
func (t *touch) write(wr, r, own record) record {
	found := wr >= t.base && t.conflicts(wr, own)
	found = r >= t.base && t.conflicts(r, own) || found
	if found {
		if t.e.Kind == exec.AccessStore && !t.changes() {
			return wr // what is there already
		}
		if wr >= t.base {
			t.against(wr, own)
		}
		if r >= t.base {
			t.against(r, own)
		}
	}
	if t.site.strong && wr >= t.base {
		return t.addWriter(wr, own)
	}
	return own
}

// addWriter keeps a strong write beside what it does not race with and others may: the last weak write, and a strong one of another block, or
// of another warp where the memory is a block's.
func (t *touch) addWriter(wr, own record) record {
	var weak, strong record
	keep := func(r record) bool {
		switch {
		case r < t.base:
		case !t.c.sites[r.site()].strong:
			weak = r
		case t.apart(r):
			strong = r // the oldest, as the last come first
		}
		return true
	}
	if wr.warp() != listMark {
		keep(wr)
	} else if !t.c.lists.past(wr.number()) {
		t.c.lists.each(wr.number(), keep)
	}
	if weak == 0 && strong == 0 {
		return own
	}
	n := uint32(0)
	for _, r := range []record{weak, strong} {
		if r != 0 {
			n = t.c.lists.with(n, r)
		}
	}
	return mark(listMark, t.c.lists.with(n, own))
}

// apart reports a record of another block, or of another warp where the memory is a block's.
func (t *touch) apart(r record) bool {
	o := t.c.ownerOf(r)
	if o == nil {
		return false
	}
	return o.block != t.w.block || t.block != nil && int(o.index) != t.w.index
}

// readerCache is the last answer of addReader: lanes of an access mostly ask the same.
type readerCache struct {
	from, own, to record
	replaces      bool
}

// addReader adds a reader to those that nothing orders, and returns the record of them all.
func (t *touch) addReader(r, own record) record {
	c := t.c
	from, several := r, own.ofSeveral()
	if r.warp() < splitMark {
		from = r.ofSeveral()
	}
	if c.reader.from != from || c.reader.own != several {
		c.reader = readerCache{from: from, own: several}
		c.reader.to, c.reader.replaces = t.readers(from, several)
	}
	if c.reader.replaces {
		return own
	}
	return c.reader.to
}

// readers is what addReader remembers. It replaces what lies in the past.
func (t *touch) readers(from, own record) (to record, replaces bool) {
	c := t.c
	if from.warp() != listMark {
		if c.before(from, t.w) || !t.otherWarp(from) {
			return 0, true
		}
		return mark(listMark, c.lists.with(c.lists.with(0, from), own)), false
	}
	n := from.number()
	if c.lists.past(n) {
		return 0, true
	}
	if longer, ok := c.lists.longer[list{n, own}]; ok {
		return mark(listMark, longer), false
	}
	var others []record
	c.lists.each(n, func(r record) bool {
		if r.warp() != own.warp() && r >= t.base {
			others = append(others, r)
		}
		return true
	})
	same := uint32(0)
	for i := len(others) - 1; i >= 0; i-- {
		same = c.lists.with(same, others[i])
	}
	joint := c.lists.with(same, own)
	c.lists.longer[list{n, own}] = joint
	return mark(listMark, joint), false
}

// otherWarp reports a record that is not one of the warp's own, under whatever number.
func (t *touch) otherWarp(r record) bool {
	if r.warp() == t.w.number {
		return false
	}
	o := t.c.ownerOf(r)
	return o == nil || o.block != t.w.block || int(o.index) != t.w.index
}

// bytes looks at bytes of a word one by one: at those of a small access, or at all of a word that is kept byte by byte.
func (t *touch) bytes(p *page, i, first uint64, own record) {
	writes, reads := t.shadow.records(&p.writes), t.shadow.records(&p.reads)
	cells := t.shadow.split(&writes[i], &reads[i])
	from, n := uint8(first%4), min(t.e.Bytes, 4)
	for k := from; k < from+n; k++ {
		t.at, t.count, t.part = first-uint64(from)+uint64(k), 1, uint8(first+uint64(k)-uint64(from)-t.e.Address[t.lane])
		wr, r := cells[k], cells[4+k]
		if t.e.Kind != exec.AccessLoad {
			if t.mine(wr) && t.mine(r) && (wr < t.base || !t.site.strong) {
				cells[k] = own
			} else {
				cells[k] = t.write(wr, r, own)
			}
			cells[4+k] = 0
			if t.c.timed {
				t.note(p)
			}
			continue
		}
		if wr >= t.base && (wr.warp() != t.w.number || wr.lane() != t.lane) {
			t.against(wr, own)
		}
		switch {
		case r < t.base || r.warp() == t.w.number:
			cells[4+k] = own
		default:
			cells[4+k] = t.addReader(r, own)
		}
	}
	if n == 4 {
		t.shadow.join(&writes[i], &reads[i])
	}
}

// changes reports that a store changes what is there.
func (t *touch) changes() bool {
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

// stored is what a lane stores to the bytes that are looked at.
func (t *touch) stored(lane int) []byte {
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], t.e.Data[t.part/4&3][lane])
	return word[t.part%4 : t.part%4+t.count]
}

func equal(a, b []byte) bool { return string(a) == string(b) }

// against reports the access with the first of some earlier ones that it conflicts with.
func (t *touch) against(r, own record) { t.look(r, own, true) }

// conflicts reports whether there is one.
func (t *touch) conflicts(r, own record) bool { return t.look(r, own, false) }

// mostTold bounds how much of a list is told of where one of it conflicts: others may be of other lines.
const mostTold = 16

func (t *touch) look(r, own record, tell bool) (found bool) {
	if r.warp() == listMark {
		if !t.c.lists.past(r.number()) {
			left := mostTold
			t.c.lists.each(r.number(), func(one record) bool {
				found = one >= t.base && t.lookAt(one, own, tell) || found
				if found {
					left--
				}
				return !found || tell && left > 0
			})
		}
		return found
	}
	return t.lookAt(r, own, tell)
}

// lookAt holds the access against an earlier one.
func (t *touch) lookAt(r, own record, tell bool) bool {
	if !t.otherWarp(r) {
		return t.withinWarp(r, own, tell)
	}
	if !t.c.set.Has(finding.Races) || t.c.sites[r.site()].strong && t.site.strong || t.c.before(r, t.w) {
		return false
	}
	if tell {
		rule := finding.RaceGrid
		switch o := t.c.ownerOf(r); {
		case o.block == t.w.block:
			rule = finding.RaceBlock
		case o.block.grid != t.w.block.grid:
			rule = finding.RaceStreams
		}
		t.report(rule, r, own)
	}
	return true
}

// withinWarp holds the access against one of the same warp.
func (t *touch) withinWarp(r, own record, tell bool) bool {
	first := &t.c.sites[r.site()]
	if r.lane() == t.lane || (t.site.atomic || first.atomic) && t.site.strong && first.strong {
		return false
	}
	clock := t.w.clockOf(r)
	if r.warp() != t.w.number {
		clock = uint64(t.c.ownerOf(r).high)<<clockBits | uint64(r.clock())
	}
	if r.clock() == own.clock() && r.site() == own.site() && r.warp() == own.warp() && t.e.Kind == exec.AccessStore {
		if same, differs := t.sameInstruction(); same {
			if differs && tell && t.c.set.Has(finding.Races) {
				t.report(finding.RaceLanes, r, own)
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
		if tell {
			t.report(finding.RaceWarp, r, own)
		}
		return true
	}
	if !tell || t.e.Kind == exec.AccessLoad {
		t.warn(r, own)
	}
	return false
}

// warn tells of accesses that the lockstep of a warp alone orders.
func (t *touch) warn(r, own record) {
	if t.c.set.Has(finding.Sync) {
		t.report(finding.WarpSynchronous, r, own)
	}
}

// sameInstruction looks for a lane before this one that stores to the same bytes in the same instruction.
func (t *touch) sameInstruction() (same, differs bool) {
	for m := t.e.Active & (1<<t.lane - 1); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if t.e.Address[lane]+uint64(t.part) == t.at {
			same, differs = true, differs || !equal(t.stored(lane), t.stored(t.lane))
		}
	}
	return same, differs
}

// pair is what findings are counted by: the rule and the places.
type pair struct {
	rule          *finding.Rule
	first, second int // lines, 0 for none
}

// report tells of two accesses, or counts them where the two places have been told of.
func (t *touch) report(rule *finding.Rule, r, own record) {
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

// past is what an access did, in words.
var past = map[string]string{"reads": "has read", "writes": "has written", "changes atomically": "has changed atomically"}

// nameOf names global memory.
func (c *Checker) nameOf(space isa.Space, address uint64) string {
	if space != isa.SpaceGlobal {
		return ""
	}
	return c.memory.Describe(address)
}
