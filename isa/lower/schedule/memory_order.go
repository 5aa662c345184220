package schedule

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// memoryOrder keeps the order of a block's memory accesses that may conflict. Two conflict if one of them writes, unless they have one base
// and disjoint offsets, or different spaces. Each access gets only a few edges, however many accesses there are. Accesses with other bases
// are joined: a join is a unit without operations that completes as soon as all it depends on has. Of accesses with its own base only the
// last that touched its bytes count; those depend on the earlier ones.
type memoryOrder struct {
	d       *dependences
	spaces  map[isa.Space]*spaceOrder
	ordered int // the last atomic, volatile or ordered access, -1 for none: these keep their order
	since   []int32
}

// spaceOrder is the accesses to one space since the last fence.
type spaceOrder struct {
	all, stores accessLog
	bases       map[baseKey]*baseOrder
	other       map[isa.Space]*joined // what accesses to this space wait for in other spaces
}

// baseKey distinguishes addresses in registers, whose values are unknown. Constant addresses share one key.
type baseKey struct {
	kind     isa.OperandKind
	register isa.Register
	symbol   int32
	version  int32 // how often the register had been written
}

// baseOrder is the accesses with one base.
type baseOrder struct {
	words  map[int64]*wordOrder // by offset / 4
	joined joined
	// Indices in the space's logs of its accesses since the last join.
	inAll, inStores []int
}

// wordOrder is the last store to a word and the loads since; per byte once an access touches only part of the word.
type wordOrder struct {
	lastAccess
	bytes *[4]lastAccess
}

type lastAccess struct {
	store int32 // -1 for none
	loads []int32
}

// joined has joins of the accesses to a space with other bases: all of those before index allAt of its log, and the stores before storesAt.
type joined struct {
	all, stores     *unit
	allAt, storesAt int
}

func newMemoryOrder(d *dependences) *memoryOrder {
	return &memoryOrder{d: d, spaces: map[isa.Space]*spaceOrder{}, ordered: -1}
}

// fence makes a unit follow all accesses, and forgets them: later accesses wait for the fence.
func (m *memoryOrder) fence(n int) {
	for _, before := range m.since {
		m.d.edge(int(before), n, 0)
	}
	m.since, m.ordered = m.since[:0], -1
	clear(m.spaces)
}

// access makes a unit follow the accesses that it may conflict with.
func (m *memoryOrder) access(n int, i *isa.Instruction, versions []int32) {
	m.since = append(m.since, int32(n))
	if i.Memory.Order != isa.OrderWeak || i.Memory.Cache == isa.CacheVolatile || i.Op == isa.OpAtom {
		m.d.edge(m.ordered, n, 0)
		m.ordered = n
	}
	if i.Memory.Space == isa.SpaceConst {
		return
	}
	load := i.Op == isa.OpLd || i.Op == isa.OpSuld || virtual.ReadsTexture(i)
	key := baseKey{kind: i.Memory.Base.Kind, register: i.Memory.Base.Register, symbol: i.Memory.Base.Symbol}
	offset := i.Memory.Offset
	switch i.Memory.Base.Kind {
	case isa.OperandRegister:
		key.version = versions[virtual.Whole(key.register)]
	case isa.OperandImmediate:
		offset += int64(i.Memory.Base.Immediate)
	}
	s := m.space(i.Memory.Space)
	b := s.bases[key]
	if b == nil {
		b = &baseOrder{words: map[int64]*wordOrder{}}
		s.bases[key] = b
	}
	m.otherSpaces(n, i.Memory.Space, s, load)
	m.otherBases(n, s, b, load)
	bytes := i.Type.Bytes() * max(len(i.Dst), 1)
	if i.Op == isa.OpSt {
		bytes = i.Type.Bytes() * max(len(i.Src), 1)
	}
	m.sameBase(n, b, offset, int64(bytes), load)
	b.inAll = append(b.inAll, len(s.all.units))
	s.all.units = append(s.all.units, m.d.units[n])
	if !load {
		b.inStores = append(b.inStores, len(s.stores.units))
		s.stores.units = append(s.stores.units, m.d.units[n])
	}
}

func (m *memoryOrder) space(space isa.Space) *spaceOrder {
	s := m.spaces[space]
	if s == nil {
		s = &spaceOrder{bases: map[baseKey]*baseOrder{}, other: map[isa.Space]*joined{}}
		m.spaces[space] = s
	}
	return s
}

// otherSpaces makes an access wait for those to other spaces that may be the same memory: a generic address reaches all.
func (m *memoryOrder) otherSpaces(n int, space isa.Space, s *spaceOrder, load bool) {
	for _, name := range meetingSpaces(space) {
		other := m.spaces[name]
		if other == nil {
			continue
		}
		j := s.other[name]
		if j == nil {
			j = &joined{}
			s.other[name] = j
		}
		if load {
			j.stores = m.join(n, j.stores, &other.stores, j.storesAt, nil)
			j.storesAt = len(other.stores.units)
			m.wait(n, j.stores)
		} else {
			j.all = m.join(n, j.all, &other.all, j.allAt, nil)
			j.allAt = len(other.all.units)
			m.wait(n, j.all)
		}
	}
}

// meetingSpaces returns the other spaces that accesses to a space may conflict with.
func meetingSpaces(space isa.Space) []isa.Space {
	if space != isa.SpaceGeneric {
		return []isa.Space{isa.SpaceGeneric}
	}
	var others []isa.Space
	for s := range isa.SpaceSurface + 1 {
		if s != isa.SpaceGeneric && s != isa.SpaceConst {
			others = append(others, s)
		}
	}
	return others
}

// otherBases makes an access wait for those to its space with other bases.
func (m *memoryOrder) otherBases(n int, s *spaceOrder, b *baseOrder, load bool) {
	j := &b.joined
	if load {
		j.stores = m.join(n, j.stores, &s.stores, j.storesAt, b.inStores)
		j.storesAt, b.inStores = len(s.stores.units), b.inStores[:0]
		m.wait(n, j.stores)
	} else {
		j.all = m.join(n, j.all, &s.all, j.allAt, b.inAll)
		j.allAt, b.inAll = len(s.all.units), b.inAll[:0]
		m.wait(n, j.all)
	}
}

// sameBase makes an access wait for those with its base that touched its bytes.
func (m *memoryOrder) sameBase(n int, b *baseOrder, offset, bytes int64, load bool) {
	for at := offset; at < offset+bytes; {
		w := b.words[at>>2]
		if w == nil {
			w = &wordOrder{lastAccess: lastAccess{store: -1}}
			b.words[at>>2] = w
		}
		end := min(at&^3+4, offset+bytes)
		if end-at == 4 && w.bytes == nil {
			m.touch(n, &w.lastAccess, load)
			at = end
			continue
		}
		if w.bytes == nil {
			w.bytes = &[4]lastAccess{}
			for k := range w.bytes {
				w.bytes[k] = lastAccess{w.store, append([]int32(nil), w.loads...)}
			}
		}
		for ; at < end; at++ {
			m.touch(n, &w.bytes[at&3], load)
		}
	}
}

func (m *memoryOrder) touch(n int, a *lastAccess, load bool) {
	m.d.edge(int(a.store), n, 0)
	if load {
		a.loads = append(a.loads, int32(n))
		return
	}
	for _, before := range a.loads {
		m.d.edge(int(before), n, 0)
	}
	a.store, a.loads = int32(n), a.loads[:0]
}

// wait makes a unit follow a join or a unit; nil is none.
func (m *memoryOrder) wait(n int, before *unit) {
	if before != nil {
		m.d.edge(before.position, n, 0)
	}
}

// join returns a unit that completes after a previous join and the log's accesses from an index on, except own ones. It returns nil if
// there are none.
func (m *memoryOrder) join(n int, before *unit, log *accessLog, from int, own []int) *unit {
	var parts []*unit
	if before != nil {
		parts = append(parts, before)
	}
	for _, skip := range own {
		if skip >= from {
			parts = log.cover(m.d, n, parts, from, skip)
			from = skip + 1
		}
	}
	parts = log.cover(m.d, n, parts, from, len(log.units))
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return m.d.join(n, parts)
}

// accessLog lists accesses in order. Each aligned group of 2, 4, 8 ... of them has a join.
type accessLog struct {
	units []*unit
	joins [][]*unit // by logarithm of the size, less 1; made on first use
}

// cover appends the fewest units that cover the accesses from one index up to another.
func (l *accessLog) cover(d *dependences, n int, parts []*unit, from, to int) []*unit {
	for from < to {
		level := 0
		for from>>level&1 == 0 && from+2<<level <= to {
			level++
		}
		parts = append(parts, l.node(d, n, level, from>>level))
		from += 1 << level
	}
	return parts
}

// node returns the unit that covers 2^level accesses, from index·2^level on.
func (l *accessLog) node(d *dependences, n, level, index int) *unit {
	if level == 0 {
		return l.units[index]
	}
	for len(l.joins) < level {
		l.joins = append(l.joins, nil)
	}
	for len(l.joins[level-1]) <= index {
		l.joins[level-1] = append(l.joins[level-1], nil)
	}
	if l.joins[level-1][index] == nil {
		l.joins[level-1][index] = d.join(n, []*unit{l.node(d, n, level-1, 2*index), l.node(d, n, level-1, 2*index+1)})
	}
	return l.joins[level-1][index]
}
