package value

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// JoinWords joins loads or stores of adjacent words into one access of 8 or 16 bytes, if the address is known to be aligned. Multiples and
// shifts of thread numbers are, and counters in loops that start from them; pointers from parameters are not.
func JoinWords(f *Function) error {
	v := f.newValues()
	defer v.release()
	known := newZeroBits(len(v.of))
	known.counters = &counterBits{assumed: newZeroBits(len(v.of))}
	for _, b := range f.Blocks {
		if err := f.Stopped(); err != nil {
			return err
		}
		j := &joiner{
			f: f, values: v, known: known, runs: map[runKey]*run{}, open: map[isa.Space][]*run{},
			bases: map[isa.Register]int{}, joined: map[*isa.Instruction]*isa.Instruction{},
		}
		j.block(b)
	}
	return nil
}

// joiner joins the loads and the stores of one block.
type joiner struct {
	f      *Function
	values *values
	known  *zeroBits
	runs   map[runKey]*run
	open   map[isa.Space][]*run // in program order: loads from several bases, or stores to one
	begun  int
	bases  map[isa.Register]int // how many runs have the register as base
	place  map[*isa.Instruction]int
	joined map[*isa.Instruction]*isa.Instruction // replacement of an access, nil to remove it
}

// runKey is what the accesses of a run have in common.
type runKey struct {
	op    isa.Opcode
	base  isa.Operand
	space isa.Space
}

// run is a set of loads from one base with no write between them that may change them, or of stores to one base with no access between them
// that may see them.
type run struct {
	runKey
	number int
	words  []*isa.Instruction
}

func (j *joiner) block(b *Block) {
	for _, i := range b.Instructions {
		m := i.Memory
		switch {
		case i.Op == isa.OpBar || i.Op == isa.OpMembar || i.Op == isa.OpFence || i.Op == isa.OpCall || i.Guard.Present && i.Terminator():
			j.flush(b, isa.SpaceNone)
		case m == nil || m.Texture != nil || i.Op == isa.OpCvta || i.Op == isa.OpIsspacep:
		case joinable(i):
			key := runKey{i.Op, m.Base, m.Space}
			if open := j.open[m.Space]; len(open) > 0 && (i.Op != isa.OpLd || open[0].op != isa.OpLd) && open[0].runKey != key {
				j.flush(b, m.Space)
			}
			j.add(key, i)
		case i.Op != isa.OpLd || j.stores(m.Space):
			j.flush(b, m.Space)
		}
		j.f.Definitions(i, func(r isa.Register, _ int) {
			if j.bases[virtual.Whole(r)] > 0 {
				j.flush(b, isa.SpaceNone)
			}
		})
	}
	j.flush(b, isa.SpaceNone)
	if len(j.joined) == 0 {
		return
	}
	kept := b.Instructions[:0]
	for _, i := range b.Instructions {
		if vector, joined := j.joined[i]; !joined {
			kept = append(kept, i)
		} else if vector != nil {
			kept = append(kept, vector)
		}
	}
	clear(b.Instructions[len(kept):])
	b.Instructions = kept
}

func (j *joiner) add(key runKey, i *isa.Instruction) {
	r := j.runs[key]
	if r == nil {
		r = &run{runKey: key, number: j.begun}
		j.begun++
		j.runs[key], j.open[key.space] = r, append(j.open[key.space], r)
		if virtual.IsRegister(&key.base) {
			j.bases[virtual.Whole(key.base.Register)]++
		}
	}
	r.words = append(r.words, i)
}

// flush ends the runs of a space; the runs of all spaces if it is generic or none.
func (j *joiner) flush(b *Block, space isa.Space) {
	runs := j.open[space]
	if space == isa.SpaceNone || space == isa.SpaceGeneric {
		runs = nil
		for _, list := range j.open {
			runs = append(runs, list...)
		}
		slices.SortFunc(runs, func(a, b *run) int { return a.number - b.number })
		clear(j.open)
	}
	delete(j.open, space)
	for _, r := range runs {
		j.joinRun(b, r)
		delete(j.runs, r.runKey)
		if virtual.IsRegister(&r.base) {
			j.bases[virtual.Whole(r.base.Register)]--
		}
	}
}

// copied reports a store of a word that was loaded only for it. If registers are short, other words would need moves to become adjacent.
func (j *joiner) copied(store *isa.Instruction) bool {
	d := j.values.definition(word(store))
	return d != nil && d.Op == isa.OpLd && j.values.of[word(store).Register].uses == 1
}

// stores reports that there are pending stores that an access to a space may see.
func (j *joiner) stores(space isa.Space) bool {
	if space != isa.SpaceGeneric {
		return len(j.open[space]) > 0 && j.open[space][0].op == isa.OpSt
	}
	for _, list := range j.open {
		if len(list) > 0 && list[0].op == isa.OpSt {
			return true
		}
	}
	return false
}

// word returns the register that a one-word load writes or a one-word store reads.
func word(i *isa.Instruction) *isa.Operand {
	list := i.Dst
	if i.Op == isa.OpSt {
		list = i.Src
	}
	if len(list) != 1 || list[0].Kind != isa.OperandRegister || list[0].Type.Bytes() != 4 ||
		list[0].Register != virtual.Whole(list[0].Register) {
		return nil
	}
	return &list[0]
}

// joinable reports a plain load or store of one 32-bit word.
func joinable(i *isa.Instruction) bool {
	m := i.Memory
	return (i.Op == isa.OpLd || i.Op == isa.OpSt) && word(i) != nil && i.Type.Bytes() == 4 &&
		!i.Guard.Present && m.Order == isa.OrderWeak &&
		m.Cache == isa.CacheDefault && !m.Uniform && (m.Space == isa.SpaceShared || m.Space == isa.SpaceGlobal || m.Space == isa.SpaceLocal)
}

// joinRun replaces groups of adjacent words by vectors: loads at the place of the first, stores at that of the last.
func (j *joiner) joinRun(b *Block, r *run) {
	if len(r.words) < 2 {
		return
	}
	byOffset := map[int64]*isa.Instruction{}
	var offsets []int64
	for _, i := range r.words {
		if again := byOffset[i.Memory.Offset] != nil; again && r.op == isa.OpSt {
			return // two stores to one word: keep their order
		} else if again || !j.values.single(word(i).Register) || r.op == isa.OpSt && !j.copied(i) {
			continue
		}
		byOffset[i.Memory.Offset] = i
		offsets = append(offsets, i.Memory.Offset)
	}
	slices.Sort(offsets)
	alignment := j.values.zeros(&r.base, j.known, 0)
	for n := 0; n < len(offsets); {
		size := 0
		for _, want := range []int{4, 2} {
			if bits.TrailingZeros64(uint64(offsets[n])|1<<min(alignment, 62)) >= bits.TrailingZeros(uint(4*want)) &&
				consecutive(offsets[n:], want) {
				size = want
				break
			}
		}
		if size == 0 {
			n++
			continue
		}
		j.joinGroup(b, byOffset, offsets[n:n+size])
		n += size
	}
}

func consecutive(offsets []int64, n int) bool {
	for k := 1; k < n; k++ {
		if k >= len(offsets) || offsets[k] != offsets[0]+int64(4*k) {
			return false
		}
	}
	return true
}

func (j *joiner) joinGroup(b *Block, byOffset map[int64]*isa.Instruction, offsets []int64) {
	if j.place == nil {
		j.place = make(map[*isa.Instruction]int, len(b.Instructions))
		for n, i := range b.Instructions {
			j.place[i] = n
		}
	}
	kept := byOffset[offsets[0]]
	vector := virtual.Clone(kept)
	list := &vector.Dst
	if kept.Op == isa.OpSt {
		list = &vector.Src
	}
	*list, vector.Memory.Vector = nil, uint8(len(offsets))
	for _, o := range offsets {
		i := byOffset[o]
		*list = append(*list, *word(i))
		j.joined[i] = nil
		if (j.place[i] < j.place[kept]) == (i.Op == isa.OpLd) {
			kept = i
		}
	}
	vector.Line = kept.Line
	j.joined[kept] = vector
}

// allZeros is the number of low zero bits of 0, in effect unlimited.
const allZeros = 62

// counterBits finds how many low bits are certainly zero in registers with several writers, such as counters of loops.
type counterBits struct {
	writers map[isa.Register][]*isa.Instruction // nil until needed
	assumed *zeroBits
}

// zerosOfCounter returns how many low bits of a counter are certainly zero: as many as each writer leaves if the register starts with all.
// Every operation that zerosOf knows keeps at least the minimum of its sources.
func (v *values) zerosOfCounter(r isa.Register, c *counterBits) int {
	if c.writers == nil {
		c.writers = map[isa.Register][]*isa.Instruction{}
		for _, b := range v.f.Blocks {
			for _, i := range b.Instructions {
				for _, r := range v.definitions(i) {
					if r = virtual.Whole(r); v.of[r].writers > 1 {
						c.writers[r] = append(c.writers[r], i)
					}
				}
			}
		}
	}
	n := allZeros
	for _, i := range c.writers[r] {
		c.assumed.forget()
		c.assumed.set(r, allZeros)
		n = min(n, v.zerosOf(i, c.assumed, 0))
	}
	return n
}

// zeroBits records how many low bits of registers are known to be zero.
type zeroBits struct {
	bits       []uint8
	since      []int32 // by register: the generation in which its bits were found
	generation int32
	// counters, if not nil, finds the bits of counters on demand.
	counters *counterBits
}

func newZeroBits(registers int) *zeroBits {
	return &zeroBits{bits: make([]uint8, registers), since: make([]int32, registers), generation: 1}
}

// forget forgets all registers.
func (z *zeroBits) forget() { z.generation++ }

func (z *zeroBits) get(r isa.Register) (n int, ok bool) {
	if int(r) >= len(z.bits) || z.since[r] != z.generation {
		return 0, false
	}
	return int(z.bits[r]), true
}

func (z *zeroBits) set(r isa.Register, n int) {
	if int(r) < len(z.bits) {
		z.bits[r], z.since[r] = uint8(n), z.generation
	}
}

// zeros returns how many low bits of an operand are certainly zero.
func (v *values) zeros(o *isa.Operand, known *zeroBits, depth int) int {
	if o.Kind == isa.OperandImmediate {
		if o.Immediate == 0 {
			return allZeros
		}
		return bits.TrailingZeros64(o.Immediate)
	}
	if !virtual.IsRegister(o) || o.Register != virtual.Whole(o.Register) {
		return 0
	}
	if n, ok := known.get(o.Register); ok {
		return n
	}
	if known.counters != nil && int(o.Register) < len(v.of) && v.of[o.Register].writers > 1 {
		n := v.zerosOfCounter(o.Register, known.counters)
		known.set(o.Register, n)
		return n
	}
	d := v.definition(o)
	if d == nil || depth > 12 {
		return 0
	}
	n := v.zerosOf(d, known, depth)
	known.set(o.Register, n)
	return n
}

// zerosOf returns how many low bits of an instruction's only result are certainly zero.
func (v *values) zerosOf(d *isa.Instruction, known *zeroBits, depth int) int {
	if len(d.Dst) != 1 || d.Type.Float() {
		return 0
	}
	source := func(n int) int { return v.zeros(&d.Src[n], known, depth+1) }
	n := 0
	switch d.Op {
	case isa.OpMov:
		if len(d.Src) == 1 {
			n = source(0)
		}
	case isa.OpCvt:
		if !d.From.Float() && !d.Mod.Saturate {
			n = source(0)
		}
	case isa.OpAdd, isa.OpSub, isa.OpOr, isa.OpXor:
		n = min(source(0), source(1))
	case isa.OpAnd:
		n = max(source(0), source(1))
	case isa.OpSelp:
		n = min(source(0), source(1))
	case isa.OpShl:
		if d.Src[1].Kind == isa.OperandImmediate {
			n = source(0) + int(min(d.Src[1].Immediate, allZeros))
		}
	case isa.OpMul:
		if d.Mod.Half != isa.Hi {
			n = source(0) + source(1)
		}
	case isa.OpMad:
		if d.Mod.Half != isa.Hi {
			n = min(source(0)+source(1), source(2))
		}
	}
	return min(n, allZeros)
}
