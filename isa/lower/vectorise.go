package lower

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// joinLoads makes one load of 8 or 16 bytes of several loads of neighbouring words, where the address is known to be
// aligned: multiples and shifts of thread numbers are, and what counts on from them in a loop; pointers from parameters are not.
func joinLoads(f *function) error {
	v := f.newValues()
	known := v.zerosOfCounters()
	for _, b := range f.blocks {
		f.joinLoadsOf(b, v, known)
	}
	return nil
}

// loadRun is a set of loads from one base that nothing between them may change.
type loadRun struct {
	base  isa.Operand
	space isa.Space
	loads []*isa.Instruction
}

func (f *function) joinLoadsOf(b *block, v *values, known map[isa.Register]int) {
	var runs []*loadRun
	flush := func(space isa.Space) {
		kept := runs[:0]
		for _, r := range runs {
			if space == isa.SpaceNone || space == isa.SpaceGeneric || r.space == space {
				f.joinRun(b, r, v, known)
			} else {
				kept = append(kept, r)
			}
		}
		runs = kept
	}
	for _, i := range slices.Clone(b.instructions) {
		m := i.Memory
		switch {
		case i.Op == isa.OpBar || i.Op == isa.OpMembar || i.Op == isa.OpFence || i.Op == isa.OpCall || i.Guard.Present && i.Terminator():
			flush(isa.SpaceNone)
		case m == nil || m.Texture != nil || i.Op == isa.OpCvta || i.Op == isa.OpIsspacep:
		case i.Op != isa.OpLd:
			flush(m.Space)
		case joinable(i):
			r := findRun(runs, m)
			if r == nil {
				r = &loadRun{base: m.Base, space: m.Space}
				runs = append(runs, r)
			}
			r.loads = append(r.loads, i)
		}
		f.definitions(i, func(r isa.Register, _ int) {
			if slices.ContainsFunc(runs, func(l *loadRun) bool { return register(&l.base) && whole(l.base.Register) == whole(r) }) {
				flush(isa.SpaceNone)
			}
		})
	}
	flush(isa.SpaceNone)
}

func findRun(runs []*loadRun, m *isa.Memory) *loadRun {
	for _, r := range runs {
		if r.space == m.Space && r.base == m.Base {
			return r
		}
	}
	return nil
}

// joinable reports a plain load of one 32-bit word.
func joinable(i *isa.Instruction) bool {
	m := i.Memory
	return len(i.Dst) == 1 && i.Dst[0].Kind == isa.OperandRegister && i.Dst[0].Type.Bytes() == 4 && i.Type.Bytes() == 4 && !i.Guard.Present && m.Order == isa.OrderWeak &&
		m.Cache == isa.CacheDefault && !m.Uniform && (m.Space == isa.SpaceShared || m.Space == isa.SpaceGlobal || m.Space == isa.SpaceLocal)
}

// joinRun replaces groups of neighbouring loads of a run by vector loads, in the place of the first.
func (f *function) joinRun(b *block, r *loadRun, v *values, known map[isa.Register]int) {
	byOffset := map[int64]*isa.Instruction{}
	var offsets []int64
	for _, i := range r.loads {
		if !v.single(i.Dst[0].Register) || byOffset[i.Memory.Offset] != nil {
			continue
		}
		byOffset[i.Memory.Offset] = i
		offsets = append(offsets, i.Memory.Offset)
	}
	slices.Sort(offsets)
	alignment := v.zeros(&r.base, known, 0)
	for n := 0; n < len(offsets); {
		size := 0
		for _, want := range []int{4, 2} {
			if bits.TrailingZeros64(uint64(offsets[n])|1<<min(alignment, 62)) >= bits.TrailingZeros(uint(4*want)) && consecutive(offsets[n:], want) {
				size = want
				break
			}
		}
		if size == 0 {
			n++
			continue
		}
		f.joinGroup(b, byOffset, offsets[n:n+size])
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

func (f *function) joinGroup(b *block, byOffset map[int64]*isa.Instruction, offsets []int64) {
	first := -1
	vector := cloneInstruction(byOffset[offsets[0]])
	vector.Dst, vector.Memory.Vector = nil, uint8(len(offsets))
	remove := map[*isa.Instruction]bool{}
	for _, o := range offsets {
		i := byOffset[o]
		remove[i] = true
		vector.Dst = append(vector.Dst, i.Dst[0])
		if at := slices.Index(b.instructions, i); first < 0 || at < first {
			first = at
		}
	}
	vector.Line = b.instructions[first].Line
	b.instructions[first] = vector
	b.instructions = slices.DeleteFunc(b.instructions, func(i *isa.Instruction) bool { return remove[i] })
}

// allZeros is the number of low zero bits of 0, and what is as good.
const allZeros = 62

// zerosOfCounters is how many low bits are certainly zero in registers of several writers, as loops count on: as many as each writer
// leaves if the register itself had all. Every operation that zerosOf knows keeps at least the least of what its sources have.
func (v *values) zerosOfCounters() map[isa.Register]int {
	writers := map[isa.Register][]*isa.Instruction{}
	var counters []isa.Register
	for _, b := range v.f.blocks {
		for _, i := range b.instructions {
			v.f.definitions(i, func(r isa.Register, _ int) {
				if r = whole(r); v.writers[r] > 1 {
					if writers[r] == nil {
						counters = append(counters, r)
					}
					writers[r] = append(writers[r], i)
				}
			})
		}
	}
	known := map[isa.Register]int{}
	for _, r := range counters {
		n := allZeros
		for _, i := range writers[r] {
			n = min(n, v.zerosOf(i, map[isa.Register]int{r: allZeros}, 0))
		}
		known[r] = n
	}
	return known
}

// zeros is how many low bits of an operand are certainly zero.
func (v *values) zeros(o *isa.Operand, known map[isa.Register]int, depth int) int {
	if o.Kind == isa.OperandImmediate {
		if o.Immediate == 0 {
			return allZeros
		}
		return bits.TrailingZeros64(o.Immediate)
	}
	if !register(o) || o.Register != whole(o.Register) {
		return 0
	}
	if n, ok := known[o.Register]; ok {
		return n
	}
	d := v.definition(o)
	if d == nil || depth > 12 {
		return 0
	}
	n := v.zerosOf(d, known, depth)
	known[o.Register] = n
	return n
}

// zerosOf is how many low bits of an instruction's only result are certainly zero.
func (v *values) zerosOf(d *isa.Instruction, known map[isa.Register]int, depth int) int {
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
