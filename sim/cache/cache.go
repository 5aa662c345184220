package cache

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/hostcache"
)

// Spec describes a cache.
type Spec struct {
	// Sets and Ways give the number of lines; neither needs to be a power of two.
	Sets, Ways int
	// LineBytes is the size of a line, a power of two.
	LineBytes int
	// SectorBytes is the unit of valid and dirty state: a power of two, at most 8 sectors in a line; 0: the whole line.
	SectorBytes int
	// Policy is a replacement policy, with its parameters.
	Policy configs.Policy
	// HashSets folds the upper address bits into the set index. Otherwise the lowest bits alone select the set.
	HashSets bool
	// MissRegisters is the number of miss status holding registers (MSHRs), so of lines that may be in flight at once; 0 for a cache
	// without MSHRs.
	MissRegisters int
	// MissMerges is the most accesses that can wait for one line; 0 means one.
	MissMerges int
	// WriteBack keeps written sectors dirty in the cache. Otherwise writes pass through and only update lines that are present.
	WriteBack bool
	// WriteAllocate allocates a line that is written and not present.
	WriteAllocate bool
}

// Status is the result of an access.
type Status uint8

// Statuses.
const (
	// Hit: every sector is present.
	Hit Status = iota
	// MissNew: a miss register was taken; the owner fetches the sectors that Access returned.
	MissNew
	// MissMerged: the line is in flight; the owner fetches the sectors that Access returned, often none.
	MissMerged
	// Stall: no miss register is free, or its waiters are full. Nothing changed; the owner tries again after a Fill.
	Stall
	// Overtaken: the data in flight are older than a write reported by Overwrite. Nothing changed; the owner asks the next level.
	Overtaken
)

// Eviction is an evicted line. Line is valid only if Valid is not zero.
type Eviction struct {
	Line uint64
	// Valid and Dirty are the sectors that it held and those that must be written back.
	Valid, Dirty uint8
}

// lineState is the sectors of a line that are valid and those that are dirty.
type lineState struct{ valid, dirty uint8 }

const noLine = ^uint64(0)

// Cache is one cache. A line is named by the address of its first byte, a multiple of LineBytes.
type Cache struct {
	spec       Spec
	ways       int
	sets       uint64
	setMask    uint64 // sets - 1 if sets is a power of two, else 0
	setBits    uint   // bits of setMask
	powerOfTwo bool
	lineShift  uint
	tags       []uint64    // by set·ways + way; a cache with several rows a set has none before its first line
	rows       []row       // rows of a set are adjacent
	perSet     int         // rows of a set
	policy     Replacement // nil if ordered
	ordered    bool        // the policy is "lru", and the rows have its state
	byLine     *lineTable  // index of the lines, for several rows a set
	misses     mshrFile
	owners     *Owners // nil until Owners is called
}

// Owners are the accesses that brought the lines of a cache.
type Owners struct {
	of       []Access // by set·ways + way; empty before the first line
	last, by Access   // of the latest eviction
}

// New makes an empty cache. The error names the fault in the spec.
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
	newPolicy, parameters, err := replacements.Choose(string(spec.Policy))
	if err != nil {
		return nil, err
	}
	c := &Cache{
		spec: spec, ways: spec.Ways, sets: uint64(spec.Sets), lineShift: uint(bits.TrailingZeros(uint(spec.LineBytes))),
		perSet: (spec.Ways + rowWays - 1) / rowWays,
		misses: newMSHRFile(spec.MissRegisters, max(1, spec.MissMerges)),
	}
	if spec.Sets&(spec.Sets-1) == 0 {
		c.powerOfTwo, c.setMask, c.setBits = true, uint64(spec.Sets-1), uint(bits.Len(uint(spec.Sets-1)))
	}
	if c.perSet > 1 {
		// Most kernels do not use those of an SMX's caches that have this many ways, which take most of its memory. Build them later. The
		// policy of one set tells a restored checkpoint which kind to expect.
		c.byLine, c.policy = noLines, newPolicy(ReplacementSpec{parameters, 1, spec.Ways})
		return c, nil
	}
	c.ordered = spec.Policy == lruName
	c.build()
	return c, nil
}

// build allocates the lines.
func (c *Cache) build() {
	lines := c.spec.Sets * c.spec.Ways
	c.tags, c.rows = make([]uint64, lines), make([]row, c.spec.Sets*c.perSet)
	if c.perSet > 1 {
		c.byLine = newLineTable(lines)
	}
	if !c.ordered {
		c.renewPolicy()
	}
	c.empty()
}

// renewPolicy makes a new policy; New has checked its name.
func (c *Cache) renewPolicy() {
	newPolicy, parameters, err := replacements.Choose(string(c.spec.Policy))
	if err != nil {
		panic(fmt.Errorf("cache: its policy is gone: %w", err))
	}
	c.policy = newPolicy(ReplacementSpec{parameters, c.spec.Sets, c.spec.Ways})
}

// Reset returns the cache to its state after New.
func (c *Cache) Reset() {
	if c.misses.registers == nil && c.Empty() {
		return // it has never had a line
	}
	c.misses = newMSHRFile(c.spec.MissRegisters, max(1, c.spec.MissMerges))
	if len(c.tags) == 0 {
		return
	}
	c.empty()
	if c.byLine != nil {
		c.byLine.empty()
	}
	if p, ok := c.policy.(resetter); ok {
		p.reset()
	} else if !c.ordered {
		c.renewPolicy()
	}
}

// empty removes every line from the sets.
func (c *Cache) empty() {
	for i := range c.tags {
		c.tags[i] = noLine
	}
	clear(c.rows)
	for i := range c.rows {
		c.rows[i].order = inOrder
	}
}

// Owners returns the accesses that brought the cache's lines. The cache records them from the first call on, which must precede the first
// line.
func (c *Cache) Owners() *Owners {
	if c.owners == nil {
		c.owners = &Owners{}
	}
	return c.owners
}

// Set returns the set of a line, for the methods that take one.
func (c *Cache) Set(line uint64) int {
	number := line >> (c.lineShift & 63)
	if c.spec.HashSets {
		number ^= number>>17 ^ number>>31
		if c.setMask != 0 {
			number ^= number>>(c.setBits&63) ^ number>>(2*c.setBits&63)
		}
	}
	if c.powerOfTwo {
		return int(number & c.setMask)
	}
	return int(number % c.sets)
}

// first returns the first row of a set.
func (c *Cache) first(set int) *row { return &c.rows[set*c.perSet] }

// at returns the state of a way of a set.
func (c *Cache) at(set, way int) *lineState {
	return &c.rows[set*c.perSet+way/rowWays].state[way%rowWays]
}

// find returns the way of a line in its set, -1 if absent.
func (c *Cache) find(line uint64, set int) int {
	if c.byLine != nil {
		if i := c.byLine.find(line); i >= 0 {
			return i - set*c.ways
		}
		return -1
	}
	signs, pattern := &c.rows[set].signs, sign(line)*eachByte
	first := set * c.ways
	// Bit 7 of each byte stands for ways 0 to 7, bit 6 for ways 8 to 15.
	for m := alike(signs[0], pattern) | alike(signs[1], pattern)>>1; m != 0; m &= m - 1 {
		at := bits.TrailingZeros64(m)
		if way := at>>3 + ^at&1<<3; c.tags[first+way] == line {
			return way
		}
	}
	return -1
}

// used reports an access to a present line to the policy.
func (c *Cache) used(set, way int, a Access) {
	if c.ordered {
		c.rows[set].use(way)
		return
	}
	c.policy.Used(set, way, a)
}

// HostPrefetch fetches into the host's caches what an access to a set will need.
func (c *Cache) HostPrefetch(set int) {
	if len(c.tags) > 0 {
		hostcache.Lines(c.first(set), &c.tags[set*c.ways], &c.tags[set*c.ways+c.ways-1])
	}
}

// Lookup looks up sectors of a line without taking an MSHR, and returns those that are present. The line, if present, counts as used.
func (c *Cache) Lookup(a Access, sectors uint8) (hit uint8) {
	set := c.Set(a.Line)
	if way := c.find(a.Line, set); way >= 0 {
		hit = c.at(set, way).valid & sectors
		c.used(set, way, a)
	}
	return hit
}

// Touch uses a line and returns its place, from 0 to Sets·Ways-1; -1 if it is absent. The owner may index data of its own by place. Touch
// counts nothing.
func (c *Cache) Touch(line uint64) int {
	set := c.Set(line)
	way := c.find(line, set)
	if way < 0 {
		return -1
	}
	c.used(set, way, Unattributed(line))
	return set*c.ways + way
}

// Place inserts a whole line, if it is absent, and returns its place.
func (c *Cache) Place(line uint64) int {
	c.install(Unattributed(line), 0xff)
	set := c.Set(line)
	return set*c.ways + c.find(line, set)
}

// MarkDirty makes sectors of a present line dirty, as an operation carried out in the cache does. fresh: the line had no dirty sector
// before, or is absent.
func (c *Cache) MarkDirty(line uint64, sectors uint8) (fresh bool) {
	set := c.Set(line)
	way := c.find(line, set)
	if way < 0 {
		return true
	}
	state := c.at(set, way)
	fresh = state.dirty == 0
	state.dirty |= sectors & state.valid
	return fresh
}

// CleanLine marks a line clean and returns the sectors that were dirty. The owner writes them back.
func (c *Cache) CleanLine(line uint64) (dirty uint8) { return c.CleanIn(c.Set(line), line) }

// CleanIn is CleanLine for a line with a known set.
func (c *Cache) CleanIn(set int, line uint64) (dirty uint8) {
	if way := c.find(line, set); way >= 0 {
		state := c.at(set, way)
		dirty, state.dirty = state.dirty, 0
	}
	return dirty
}

// Probe returns the sectors of a line that are valid and dirty. It changes nothing.
func (c *Cache) Probe(line uint64) (valid, dirty uint8) { return c.ProbeIn(c.Set(line), line) }

// ProbeIn is Probe for a line with a known set.
func (c *Cache) ProbeIn(set int, line uint64) (valid, dirty uint8) {
	if way := c.find(line, set); way >= 0 {
		state := c.at(set, way)
		return state.valid, state.dirty
	}
	return 0, 0
}

// Access carries out a load of sectors of a line on behalf of waiter. A Hit is complete. On MissNew and MissMerged the owner fetches the
// sectors in fetch from the next level (the others are present or in flight), and the Fill that completes the waiter's sectors returns the
// waiter. On Stall and Overtaken nothing has changed.
func (c *Cache) Access(a Access, sectors uint8, waiter uint64) (status Status, fetch uint8) {
	return c.AccessIn(c.Set(a.Line), a, sectors, waiter)
}

// AccessIn is Access for a line with a known set.
func (c *Cache) AccessIn(set int, a Access, sectors uint8, waiter uint64) (status Status, fetch uint8) {
	way := c.find(a.Line, set)
	var hit uint8
	if way >= 0 {
		hit = c.at(set, way).valid & sectors
	}
	if missing := sectors &^ hit; missing != 0 {
		status, fetch = c.misses.add(a, missing, waiter)
		if status == Stall || status == Overtaken {
			return status, 0
		}
	}
	switch {
	case way < 0:
	case c.ordered:
		c.rows[set].use(way)
	default:
		c.policy.Used(set, way, a)
	}
	return status, fetch
}

// Prefetch requests sectors of a line that no access waits for, and returns those to fetch. It returns none if they are present or in
// flight, or if no MSHR is free, since a prefetch never delays an access.
func (c *Cache) Prefetch(line uint64, sectors uint8) (fetch uint8) {
	missing := sectors
	set := c.Set(line)
	if way := c.find(line, set); way >= 0 {
		missing &^= c.at(set, way).valid
	}
	if missing == 0 {
		return 0
	}
	return c.misses.prefetch(line, missing)
}

// Fill inserts sectors of a line, unless a write has overtaken them. It appends the waiters that now have all their sectors to released,
// and frees the line's miss register when nothing waits any more. It returns the evicted line.
func (c *Cache) Fill(line uint64, sectors uint8, released []uint64) ([]uint64, Eviction) {
	var eviction Eviction
	r := c.misses.find(line)
	switch {
	case r == nil:
		return released, c.install(Unattributed(line), sectors)
	case !r.overtaken:
		eviction = c.install(r.access, sectors)
	}
	return c.misses.release(r, sectors, released), eviction
}

// Insert inserts sectors of a line without a miss, as the most recently used line, and returns the evicted line.
func (c *Cache) Insert(line uint64, sectors uint8) Eviction {
	c.Touch(line)
	return c.install(Unattributed(line), sectors)
}

// Write carries out a store of sectors of a line, which become valid. kept: the cache holds the data, because it writes back, and the line
// is present or was allocated. Otherwise the owner sends the store on. fresh: the line had no dirty sector before.
func (c *Cache) Write(a Access, sectors uint8) (kept, fresh bool, eviction Eviction) {
	return c.WriteIn(c.Set(a.Line), a, sectors)
}

// WriteIn is Write for a line with a known set.
func (c *Cache) WriteIn(set int, a Access, sectors uint8) (kept, fresh bool, eviction Eviction) {
	if way := c.find(a.Line, set); way >= 0 {
		state := c.at(set, way)
		c.used(set, way, a)
		fresh = state.dirty == 0
		if c.spec.WriteBack {
			state.valid |= sectors
			state.dirty |= sectors
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

// install makes sectors of a line valid, and allocates the line if it is absent.
func (c *Cache) install(a Access, sectors uint8) Eviction {
	set := c.Set(a.Line)
	if way := c.find(a.Line, set); way >= 0 {
		c.at(set, way).valid |= sectors
		return Eviction{}
	}
	return c.takeIn(a, set, sectors, 0)
}

// takeIn allocates an absent line in its set.
func (c *Cache) takeIn(a Access, set int, sectors, dirty uint8) (eviction Eviction) {
	if len(c.tags) == 0 {
		c.build()
	}
	tags, first := c.tags[set*c.ways:][:c.ways], c.first(set)
	way := 0
	switch {
	case int(first.live) < c.ways:
		for tags[way] != noLine {
			way++
		}
		first.live++
	case c.ordered:
		way = first.last(c.ways)
	default:
		way = c.policy.Victim(set, a)
	}
	state := c.at(set, way)
	if tags[way] != noLine {
		eviction = Eviction{Line: tags[way], Valid: state.valid, Dirty: state.dirty}
		if c.byLine != nil {
			c.byLine.remove(eviction.Line)
		}
	}
	c.owners.note(c.spec.Sets*c.ways, set*c.ways+way, a)
	tags[way], *state = a.Line, lineState{sectors, dirty}
	if c.byLine != nil {
		c.byLine.insert(a.Line, set*c.ways+way)
	} else {
		first.put(way, sign(a.Line))
	}
	if c.ordered {
		first.use(way)
	} else {
		c.policy.Filled(set, way, a)
	}
	return eviction
}

// LastEvicted returns the access that had brought the line evicted last, and the one that replaced it.
func (o *Owners) LastEvicted() (owner, by Access) { return o.last, o.by }

// note records the access that brings a line to one of a cache's places.
func (o *Owners) note(places, place int, a Access) {
	if o == nil {
		return
	}
	if o.of == nil {
		o.of = make([]Access, places)
	}
	o.last, o.by, o.of[place] = o.of[place], a, a
}

// Invalidate removes a line and returns its state. The owner writes its dirty sectors back.
func (c *Cache) Invalidate(line uint64) Eviction {
	set := c.Set(line)
	way := c.find(line, set)
	if way < 0 {
		return Eviction{}
	}
	state := c.at(set, way)
	eviction := Eviction{Line: line, Valid: state.valid, Dirty: state.dirty}
	c.drop(set, way)
	return eviction
}

// Overwrite removes a line that is written past the cache. Data in flight of it are older than the write, so no later access may use them.
// Overwrite appends the accesses that already wait for them to waiters.
func (c *Cache) Overwrite(line uint64, waiters []uint64) []uint64 {
	c.Invalidate(line)
	return c.misses.overtake(line, waiters)
}

// Forget removes the lines that a function selects, without writing anything back. Those in flight are dropped when they arrive.
func (c *Cache) Forget(named func(line uint64) bool) {
	for i, line := range c.tags {
		if line != noLine && named(line) {
			c.drop(i/c.ways, i%c.ways)
		}
	}
	c.misses.overtakeAll(named)
}

func (c *Cache) drop(set, way int) {
	tag, first := &c.tags[set*c.ways+way], c.first(set)
	if c.byLine != nil {
		c.byLine.remove(*tag)
	} else {
		first.put(way, 0)
	}
	*tag, *c.at(set, way) = noLine, lineState{}
	first.live--
}

// InvalidateAll removes every line without writing anything back. Misses in flight stay in flight.
func (c *Cache) InvalidateAll() {
	for i := range c.tags {
		if c.tags[i] != noLine {
			c.drop(i/c.ways, i%c.ways)
		}
	}
}

// Empty reports that no line is in use.
func (c *Cache) Empty() bool {
	for i := range c.rows {
		if c.rows[i].live > 0 {
			return false
		}
	}
	return true
}

// Pending returns the number of lines in flight.
func (c *Cache) Pending() int { return c.misses.used }
