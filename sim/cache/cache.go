package cache

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/internal/hostcache"
)

// Spec says what a cache is.
type Spec struct {
	// Sets and Ways give the number of lines; neither needs to be a power of two.
	Sets, Ways int
	// LineBytes is what one tag covers, a power of two.
	LineBytes int
	// SectorBytes is the unit of valid and dirty state: a power of two, at most 8 sectors in a line. 0: the whole line.
	SectorBytes int
	// Policy is the name of a replacement policy.
	Policy string
	// HashSets spreads lines over sets by folding the upper address bits in, instead of by the lowest bits alone.
	HashSets bool
	// MissRegisters is the number of miss status holding registers (MSHRs): lines that may be in flight at once; 0 for a cache without
	// them.
	MissRegisters int
	// MissMerges is the number of accesses that wait for one line, at most; 0 means one.
	MissMerges int
	// WriteBack keeps written sectors dirty in the cache; otherwise writes pass through and only update what is there.
	WriteBack bool
	// WriteAllocate gives a written line a place in the cache when it has none.
	WriteAllocate bool
}

// Status is how an access went.
type Status uint8

// Statuses.
const (
	// Hit: every sector is there.
	Hit Status = iota
	// MissNew: a miss register was taken; the owner fetches the sectors that Access returned.
	MissNew
	// MissMerged: the line is in flight; the owner fetches the sectors that Access returned, often none.
	MissMerged
	// Stall: no miss register or no room to wait; nothing changed, the owner tries again after a Fill.
	Stall
	// Overtaken: the line is in flight as it was before a write that Overwrite told of; nothing changed, the owner asks the next level.
	Overtaken
)

// Eviction is a line that had to go. Line is meaningful only when Valid is not zero.
type Eviction struct {
	Line uint64
	// Valid and Dirty are the sectors that it held and those that must be written back.
	Valid, Dirty uint8
}

// lineState are the sectors of a line that the cache holds, and of those the ones that it has to write back.
type lineState struct{ valid, dirty uint8 }

const noLine = ^uint64(0)

// Cache is one cache. Lines are named by the address of their first byte, any multiple of LineBytes.
type Cache struct {
	spec       Spec
	ways       int
	sets       uint64
	setMask    uint64 // sets - 1 where that is a power of two, otherwise 0 and sets is divided by
	powerOfTwo bool
	lineShift  uint
	tags       []uint64    // by set·ways + way
	state      []lineState // as tags
	live       []int32     // lines in use, by set
	policy     Replacement
	byLine     *lineTable // where to find a line, for caches of many ways
	misses     mshrFile
}

// manyWays is the associativity from which a hash finds lines faster than a look at each way.
const manyWays = 24

// New makes an empty cache. The error names what in the spec cannot be.
func New(spec Spec) (*Cache, error) {
	if spec.SectorBytes == 0 {
		spec.SectorBytes = spec.LineBytes
	}
	switch {
	case spec.Sets < 1 || spec.Ways < 1:
		return nil, fmt.Errorf("cache: %d sets of %d ways", spec.Sets, spec.Ways)
	case spec.LineBytes < 1 || spec.LineBytes&(spec.LineBytes-1) != 0:
		return nil, fmt.Errorf("cache: lines of %d bytes are not a power of two", spec.LineBytes)
	case spec.SectorBytes < 1 || spec.SectorBytes&(spec.SectorBytes-1) != 0 ||
		spec.SectorBytes > spec.LineBytes || spec.LineBytes/spec.SectorBytes > 8:
		return nil, fmt.Errorf("cache: sectors of %d bytes in lines of %d: a line has 1, 2, 4 or 8 sectors",
			spec.SectorBytes, spec.LineBytes)
	case spec.MissRegisters < 0 || spec.MissMerges < 0:
		return nil, fmt.Errorf("cache: %d miss registers with %d merges", spec.MissRegisters, spec.MissMerges)
	}
	policy, err := NewReplacement(spec.Policy, spec.Sets, spec.Ways)
	if err != nil {
		return nil, err
	}
	lines := spec.Sets * spec.Ways
	c := &Cache{
		spec: spec, ways: spec.Ways, sets: uint64(spec.Sets), lineShift: uint(bits.TrailingZeros(uint(spec.LineBytes))),
		tags: make([]uint64, lines), state: make([]lineState, lines), live: make([]int32, spec.Sets),
		policy: policy, misses: newMSHRFile(spec.MissRegisters, max(1, spec.MissMerges)),
	}
	if spec.Sets&(spec.Sets-1) == 0 {
		c.powerOfTwo, c.setMask = true, uint64(spec.Sets-1)
	}
	for i := range c.tags {
		c.tags[i] = noLine
	}
	if spec.Ways >= manyWays {
		c.byLine = newLineTable(lines)
	}
	return c, nil
}

// Reset makes the cache as New has made it.
func (c *Cache) Reset() {
	if c.misses.registers == nil && !slices.ContainsFunc(c.live, func(lines int32) bool { return lines > 0 }) {
		return // no line has come into it
	}
	for i := range c.tags {
		c.tags[i] = noLine
	}
	clear(c.state)
	clear(c.live)
	if c.byLine != nil {
		c.byLine.empty()
	}
	c.misses = newMSHRFile(c.spec.MissRegisters, max(1, c.spec.MissMerges))
	if p, ok := c.policy.(resetter); ok {
		p.reset()
		return
	}
	policy, err := NewReplacement(c.spec.Policy, c.spec.Sets, c.spec.Ways)
	if err != nil {
		panic(fmt.Errorf("cache: its policy is gone: %w", err))
	}
	c.policy = policy
}

// Spec returns what the cache was made from.
func (c *Cache) Spec() Spec { return c.spec }

// set returns the set of a line.
func (c *Cache) set(line uint64) int {
	number := line >> c.lineShift
	if c.spec.HashSets {
		number ^= number>>17 ^ number>>31
		if c.powerOfTwo && c.setMask != 0 {
			width := uint(bits.Len64(c.setMask))
			number ^= number>>width ^ number>>(2*width)
		}
	}
	if c.powerOfTwo {
		return int(number & c.setMask)
	}
	return int(number % c.sets)
}

// find returns the index of a line's tag, or -1.
func (c *Cache) find(line uint64, set int) int {
	if c.byLine != nil {
		return c.byLine.find(line)
	}
	start := set * c.ways
	for i, tag := range c.tags[start : start+c.ways] {
		if tag == line {
			return start + i
		}
	}
	return -1
}

// Near has the host bring near what an access to a line will need, so that it is there when the access comes. It changes nothing.
func (c *Cache) Near(line uint64) {
	set := c.set(line)
	start := set * c.ways
	if c.byLine != nil {
		c.byLine.near(line)
	} else {
		hostcache.Value(&c.tags[start], 8*c.ways)
	}
	hostcache.Value(&c.state[start], 1)
	if p, ok := c.policy.(nearer); ok {
		p.near(set)
	}
}

// Lookup looks for sectors of a line without taking an MSHR: hit are those that are there. The line, if present,
// counts as used.
func (c *Cache) Lookup(a Access, sectors uint8) (hit uint8) {
	set := c.set(a.Line)
	i := c.find(a.Line, set)
	if i >= 0 {
		hit = c.state[i].valid & sectors
		c.policy.Used(set, i-set*c.ways, a)
	}
	return hit
}

// Touch uses a line and returns its place, a number from 0 to Sets·Ways-1 under which the owner may keep something of its own
// about it; -1 when the line is not there. Nothing is counted.
func (c *Cache) Touch(line uint64) int {
	set := c.set(line)
	i := c.find(line, set)
	if i >= 0 {
		c.policy.Used(set, i-set*c.ways, Nobody(line))
	}
	return i
}

// Place puts a whole line in, if it is not there, and returns its place.
func (c *Cache) Place(line uint64) int {
	c.install(Nobody(line), 0xff, 0)
	return c.find(line, c.set(line))
}

// MarkDirty makes sectors of a line that is there dirty, as an operation carried out in the cache does. fresh says that the line had none
// before; so has one that is not there.
func (c *Cache) MarkDirty(line uint64, sectors uint8) (fresh bool) {
	i := c.find(line, c.set(line))
	if i < 0 {
		return true
	}
	fresh = c.state[i].dirty == 0
	c.state[i].dirty |= sectors & c.state[i].valid
	return fresh
}

// CleanLine marks a line clean and returns the sectors that were dirty, which are the owner's to write back.
func (c *Cache) CleanLine(line uint64) (dirty uint8) {
	if i := c.find(line, c.set(line)); i >= 0 && c.state[i].dirty != 0 {
		dirty, c.state[i].dirty = c.state[i].dirty, 0
	}
	return dirty
}

// Probe returns what the cache holds of a line; it changes nothing.
func (c *Cache) Probe(line uint64) (valid, dirty uint8) {
	if i := c.find(line, c.set(line)); i >= 0 {
		return c.state[i].valid, c.state[i].dirty
	}
	return 0, 0
}

// Access carries out a load of sectors of a line on behalf of waiter. On Hit nothing more is to be done. On MissNew and MissMerged
// the waiter comes back from the Fill that completes its sectors, and fetch are the sectors to ask the next level for (the
// others are here or in flight). On Stall and Overtaken nothing happened.
func (c *Cache) Access(a Access, sectors uint8, waiter uint64) (status Status, fetch uint8) {
	set := c.set(a.Line)
	i := c.find(a.Line, set)
	var hit uint8
	if i >= 0 {
		hit = c.state[i].valid & sectors
	}
	if missing := sectors &^ hit; missing != 0 {
		status, fetch = c.misses.add(a, missing, waiter)
		if status == Stall || status == Overtaken {
			return status, 0
		}
	}
	if i >= 0 {
		c.policy.Used(set, i-set*c.ways, a)
	}
	return status, fetch
}

// Prefetch asks for sectors of a line that no access waits for, and returns those to fetch: none when they are here or in flight, or when
// no MSHR is free, since a prefetch never holds up an access.
func (c *Cache) Prefetch(line uint64, sectors uint8) (fetch uint8) {
	missing := sectors
	if i := c.find(line, c.set(line)); i >= 0 {
		missing &^= c.state[i].valid
	}
	if missing == 0 {
		return 0
	}
	return c.misses.prefetch(line, missing)
}

// Fill puts sectors of a line in, unless a write has overtaken them, appends to released the waiters that now have all their sectors, and
// gives the line's miss register back when none waits any more. The line that had to make room is returned.
func (c *Cache) Fill(line uint64, sectors uint8, released []uint64) ([]uint64, Eviction) {
	var eviction Eviction
	r := c.misses.find(line)
	switch {
	case r == nil:
		return released, c.install(Nobody(line), sectors, 0)
	case !r.overtaken:
		eviction = c.install(r.access, sectors, 0)
	}
	return c.misses.release(r, sectors, released), eviction
}

// Insert puts sectors of a line in that nobody asked for, as the line used last, and returns what had to make room.
func (c *Cache) Insert(line uint64, sectors uint8) Eviction {
	c.Touch(line)
	return c.install(Nobody(line), sectors, 0)
}

// Write carries out a store of sectors of a line. kept says that the cache has taken the data (it writes back, and the line is
// there or was given a place); otherwise the owner sends the store on. Sectors count as valid once written. fresh says that the line had no
// dirty sector before.
func (c *Cache) Write(a Access, sectors uint8) (kept, fresh bool, eviction Eviction) {
	set := c.set(a.Line)
	i := c.find(a.Line, set)
	if i >= 0 {
		c.policy.Used(set, i-set*c.ways, a)
		fresh = c.state[i].dirty == 0
		if c.spec.WriteBack {
			c.state[i].valid |= sectors
			c.state[i].dirty |= sectors
		}
		return c.spec.WriteBack, fresh, Eviction{}
	}
	if !c.spec.WriteAllocate {
		return false, true, Eviction{}
	}
	var dirty uint8
	if c.spec.WriteBack {
		dirty = sectors
	}
	return c.spec.WriteBack, true, c.takeIn(a, set, sectors, dirty)
}

// install makes sectors of a line valid, evicting if the line has no place yet.
func (c *Cache) install(a Access, sectors, dirty uint8) Eviction {
	set := c.set(a.Line)
	if i := c.find(a.Line, set); i >= 0 {
		c.state[i].valid |= sectors
		c.state[i].dirty |= dirty
		return Eviction{}
	}
	return c.takeIn(a, set, sectors, dirty)
}

// takeIn gives a line that has no place one in its set.
func (c *Cache) takeIn(a Access, set int, sectors, dirty uint8) (eviction Eviction) {
	start := set * c.ways
	var i int
	if int(c.live[set]) < c.ways {
		i = start
		for c.tags[i] != noLine {
			i++
		}
		c.live[set]++
	} else {
		i = start + c.policy.Victim(set, a)
		eviction = Eviction{Line: c.tags[i], Valid: c.state[i].valid, Dirty: c.state[i].dirty}
		if c.byLine != nil {
			c.byLine.remove(eviction.Line)
		}
	}
	c.tags[i], c.state[i] = a.Line, lineState{sectors, dirty}
	if c.byLine != nil {
		c.byLine.insert(a.Line, i)
	}
	c.policy.Filled(set, i-start, a)
	return eviction
}

// Invalidate drops a line and returns what it held; its dirty sectors are the owner's to write back.
func (c *Cache) Invalidate(line uint64) Eviction {
	set := c.set(line)
	i := c.find(line, set)
	if i < 0 {
		return Eviction{}
	}
	eviction := Eviction{Line: line, Valid: c.state[i].valid, Dirty: c.state[i].dirty}
	c.drop(i, set)
	return eviction
}

// Overwrite drops a line that is written past the cache. What is in flight of it is as before the write, and stays for nobody who asks from
// now on; those who wait for it already are appended to waiters.
func (c *Cache) Overwrite(line uint64, waiters []uint64) []uint64 {
	c.Invalidate(line)
	return c.misses.overtake(line, waiters)
}

// Forget drops the lines that a function names, without writing anything back; so does what is in flight of them when it has come.
func (c *Cache) Forget(named func(line uint64) bool) {
	for i, line := range c.tags {
		if line != noLine && named(line) {
			c.drop(i, i/c.ways)
		}
	}
	c.misses.overtakeAll(named)
}

func (c *Cache) drop(i, set int) {
	if c.byLine != nil {
		c.byLine.remove(c.tags[i])
	}
	c.tags[i], c.state[i] = noLine, lineState{}
	c.live[set]--
}

// InvalidateAll drops every line without writing anything back. Misses in flight stay in flight.
func (c *Cache) InvalidateAll() {
	for i := range c.tags {
		if c.tags[i] != noLine {
			c.drop(i, i/c.ways)
		}
	}
}

// Empty reports that no line is in use.
func (c *Cache) Empty() bool {
	return !slices.ContainsFunc(c.live, func(lines int32) bool { return lines > 0 })
}

// Pending returns the number of lines in flight.
func (c *Cache) Pending() int { return c.misses.used }
