package value

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// JoinLoads makes one load of 8 or 16 bytes of several loads of neighbouring words, where the address is known to be
// aligned: multiples and shifts of thread numbers are, and what counts on from them in a loop; pointers from parameters are not.
func JoinLoads(f *Function) error {
	v := f.newValues()
	defer v.release()
	known := newZeroBits(len(v.of))
	known.counters = &counterBits{assumed: newZeroBits(len(v.of))}
	for _, b := range f.Blocks {
		if err := f.Stopped(); err != nil {
			return err
		}
		j := &loadJoiner{
			f: f, values: v, known: known, runs: map[runKey]*loadRun{}, open: map[isa.Space][]*loadRun{},
			bases: map[isa.Register]int{}, joined: map[*isa.Instruction]*isa.Instruction{},
		}
		j.block(b)
	}
	return nil
}

// loadJoiner joins the loads of one block.
type loadJoiner struct {
	f      *Function
	values *values
	known  *zeroBits
	runs   map[runKey]*loadRun
	open   map[isa.Space][]*loadRun // in their order
	begun  int
	bases  map[isa.Register]int // of how many runs a register is the base
	place  map[*isa.Instruction]int
	joined map[*isa.Instruction]*isa.Instruction // what stands in the place of a load, nil for nothing
}

// runKey is what the loads of a run have in common.
type runKey struct {
	base  isa.Operand
	space isa.Space
}

// loadRun is a set of loads from one base that nothing between them may change.
type loadRun struct {
	runKey
	number int
	loads  []*isa.Instruction
}

func (j *loadJoiner) block(b *Block) {
	for _, i := range b.Instructions {
		m := i.Memory
		switch {
		case i.Op == isa.OpBar || i.Op == isa.OpMembar || i.Op == isa.OpFence || i.Op == isa.OpCall || i.Guard.Present && i.Terminator():
			j.flush(b, isa.SpaceNone)
		case m == nil || m.Texture != nil || i.Op == isa.OpCvta || i.Op == isa.OpIsspacep:
		case i.Op != isa.OpLd:
			j.flush(b, m.Space)
		case joinable(i):
			j.add(runKey{m.Base, m.Space}, i)
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

func (j *loadJoiner) add(key runKey, i *isa.Instruction) {
	r := j.runs[key]
	if r == nil {
		r = &loadRun{runKey: key, number: j.begun}
		j.begun++
		j.runs[key], j.open[key.space] = r, append(j.open[key.space], r)
		if virtual.IsRegister(&key.base) {
			j.bases[virtual.Whole(key.base.Register)]++
		}
	}
	r.loads = append(r.loads, i)
}

// flush ends the runs of a space, of all spaces if it is generic or none.
func (j *loadJoiner) flush(b *Block, space isa.Space) {
	runs := j.open[space]
	if space == isa.SpaceNone || space == isa.SpaceGeneric {
		runs = nil
		for _, list := range j.open {
			runs = append(runs, list...)
		}
		slices.SortFunc(runs, func(a, b *loadRun) int { return a.number - b.number })
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

// joinable reports a plain load of one 32-bit word.
func joinable(i *isa.Instruction) bool {
	m := i.Memory
	return len(i.Dst) == 1 && i.Dst[0].Kind == isa.OperandRegister && i.Dst[0].Type.Bytes() == 4 && i.Type.Bytes() == 4 &&
		!i.Guard.Present && m.Order == isa.OrderWeak &&
		m.Cache == isa.CacheDefault && !m.Uniform && (m.Space == isa.SpaceShared || m.Space == isa.SpaceGlobal || m.Space == isa.SpaceLocal)
}

// joinRun replaces groups of neighbouring loads of a run by vector loads, in the place of the first.
func (j *loadJoiner) joinRun(b *Block, r *loadRun) {
	if len(r.loads) < 2 {
		return
	}
	byOffset := map[int64]*isa.Instruction{}
	var offsets []int64
	for _, i := range r.loads {
		if !j.values.single(i.Dst[0].Register) || byOffset[i.Memory.Offset] != nil {
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

func (j *loadJoiner) joinGroup(b *Block, byOffset map[int64]*isa.Instruction, offsets []int64) {
	if j.place == nil {
		j.place = make(map[*isa.Instruction]int, len(b.Instructions))
		for n, i := range b.Instructions {
			j.place[i] = n
		}
	}
	first := byOffset[offsets[0]]
	vector := virtual.Clone(first)
	vector.Dst, vector.Memory.Vector = nil, uint8(len(offsets))
	for _, o := range offsets {
		i := byOffset[o]
		vector.Dst = append(vector.Dst, i.Dst[0])
		j.joined[i] = nil
		if j.place[i] < j.place[first] {
			first = i
		}
	}
	vector.Line = first.Line
	j.joined[first] = vector
}

// allZeros is the number of low zero bits of 0, and what is as good.
const allZeros = 62

// counterBits finds how many low bits are certainly zero in registers of several writers, as loops count on.
type counterBits struct {
	writers map[isa.Register][]*isa.Instruction // nil until one is asked for
	assumed *zeroBits
}

// zerosOfCounter returns how many low bits of a counter are certainly zero: as many as each writer leaves if the register itself had all.
// Every operation that zerosOf knows keeps at least the least of what its sources have.
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

// zeroBits are the registers of which it is known how many low bits are zero.
type zeroBits struct {
	bits  []uint8
	since []int32 // by register: in which turn that was found
	turn  int32
	// counters, if any, are looked at when they are asked for.
	counters *counterBits
}

func newZeroBits(registers int) *zeroBits {
	return &zeroBits{bits: make([]uint8, registers), since: make([]int32, registers), turn: 1}
}

// forget takes all out.
func (z *zeroBits) forget() { z.turn++ }

func (z *zeroBits) get(r isa.Register) (n int, ok bool) {
	if int(r) >= len(z.bits) || z.since[r] != z.turn {
		return 0, false
	}
	return int(z.bits[r]), true
}

func (z *zeroBits) set(r isa.Register, n int) {
	if int(r) < len(z.bits) {
		z.bits[r], z.since[r] = uint8(n), z.turn
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
