package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// UnrollLoops writes the turns of a loop one after another where the driver's compiler does, as recorded on a GPU (testdata/unrolling):
// the loop is one block, a counter goes from a number to a number by a step that is added or subtracted, the loop ends by the comparison of
// the counter behind its step, and the turns are short or few. A loop whose only inner loops were unrolled is one block then.
//
// Turns of loops of unknown length are written out in groups where that decides what fuses (crossing.go).
//
// Loops stay that hold a call, inlined or not, a fence, or a rounded division or root, and those of .pragma "nounroll".
func UnrollLoops(f *Function) error {
	for {
		unrolled := false
		for _, b := range slices.Clone(f.Blocks) {
			if err := f.Stopped(); err != nil {
				return err
			}
			unrolled = f.ByID[b.ID] == b && (f.unroll(b) || f.unrollOpen(b)) || unrolled
		}
		if !unrolled {
			return nil
		}
		f.flowGraph = nil
		for _, clean := range []func(*Function) error{SplitValues, PropagateCopies, RemoveDeadButCalls} {
			if err := clean(f); err != nil {
				return err
			}
		}
	}
}

// A loop of n turns of s instructions each, its counter and branch left out, is unrolled if n·s·(s+shortTurn) is at most unrolledWork, or
// n·s at most fewTurns. On a GPU the most turns of 1, 4, 8, 16, 32, 64 and 128 multiply-adds were 3591, 519, 243, 69, 20, 6 and 2; this
// gives 3750, 625, 216, 67, 19, 5 and 2.
const (
	unrolledWork = 22500
	shortTurn    = 5
	fewTurns     = 380
)

func mayUnroll(turns, instructions int) bool {
	return turns*instructions*(instructions+shortTurn) <= unrolledWork || turns*instructions <= fewTurns
}

// weight is how many instructions one counts as: on a GPU loops of guarded multiply-adds, of 64-bit additions and of atomic operations had
// as many turns as if these were two, two and ten.
func weight(i *isa.Instruction) int {
	switch {
	case i.Op == isa.OpAtom || i.Op == isa.OpRed:
		return 10
	case i.Guard.Present && i.Op != isa.OpBra, i.Op == isa.OpAdd && i.Type.Bytes() == 8 && !i.Type.Float():
		return 2
	}
	return 1
}

// unroll writes out the turns of a loop of one block, and joins it with the blocks before and behind it that only it lies between.
func (f *Function) unroll(b *Block) bool {
	turns := f.turns(b)
	if turns == 0 {
		return false
	}
	body := b.Instructions[:len(b.Instructions)-1]
	cloner := &virtual.Cloner{}
	all := make([]*isa.Instruction, 0, turns*len(body))
	known := f.numbersBefore(b)
	for range turns {
		for _, i := range body {
			i = cloner.Clone(i)
			known.fold(i)
			all = append(all, i)
		}
	}
	b.Instructions = all
	b.Successors = slices.DeleteFunc(b.Successors, func(id isa.BlockID) bool { return id == b.ID })
	b.Predecessors = slices.DeleteFunc(b.Predecessors, func(id isa.BlockID) bool { return id == b.ID })
	if before := f.ByID[b.Predecessors[0]]; len(b.Predecessors) == 1 && len(before.Successors) == 1 {
		f.join(before, b)
		b = before
	}
	if behind := f.ByID[b.Successors[0]]; len(behind.Predecessors) == 1 {
		f.join(b, behind)
	}
	return true
}

// join appends a block to the only one before it, which goes nowhere else.
func (f *Function) join(before, b *Block) {
	if n := len(before.Instructions); n > 0 && before.Instructions[n-1].Op == isa.OpBra {
		before.Instructions = before.Instructions[:n-1]
	}
	before.Instructions = append(before.Instructions, b.Instructions...)
	before.Successors, before.Reconverge = b.Successors, b.Reconverge
	for _, id := range b.Successors {
		list := f.ByID[id].Predecessors
		list[slices.Index(list, b.ID)] = before.ID
	}
	for _, other := range f.Blocks {
		if other.Reconverge == b.ID {
			other.Reconverge = before.ID
		}
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(other *Block) bool { return other == b })
	f.ByID[b.ID] = nil
}

// loopControl is what the step, the comparison and the branch of a loop take off its size.
const loopControl = -3

// turns returns how often a block runs that is a loop and shall be unrolled; 0 for one that shall not.
func (f *Function) turns(b *Block) int {
	end := f.counting(b)
	if end == nil {
		return 0
	}
	size := loopControl
	for _, i := range b.Instructions {
		size += weight(i)
	}
	known := f.numbersBefore(b)
	for turns := 1; size <= 0 || mayUnroll(turns, size); turns++ {
		for _, i := range b.Instructions[:len(b.Instructions)-1] {
			known.visit(i)
		}
		again, ok := known.compare(end)
		switch {
		case !ok || size <= 0:
			return 0
		case !again:
			return turns
		}
	}
	return 0
}

// counting returns the comparison that ends a loop of one block by its counter, nil if the block is none or stays as it is.
func (f *Function) counting(b *Block) *isa.Instruction {
	n := len(b.Instructions)
	if b.rolled || n == 0 || len(b.Successors) != 2 || !slices.Contains(b.Predecessors, b.ID) || len(b.Predecessors) < 2 {
		return nil
	}
	branch := b.Instructions[n-1]
	if branch.Op != isa.OpBra || !branch.Guard.Present || branch.Guard.Negate || branch.Targets[0] != b.ID {
		return nil
	}
	if slices.ContainsFunc(b.Instructions, func(i *isa.Instruction) bool { return parts(i) || i.Stretch != branch.Stretch }) {
		return nil
	}
	ends := f.writers(b, branch.Guard.Register)
	if len(ends) != 1 {
		return nil
	}
	end := ends[0]
	if end.Op != isa.OpSetp || end.Type.Float() || len(end.Src) != 2 || len(end.Dst) != 1 || !f.counts(b, end) {
		return nil
	}
	return end
}

// counts reports that a comparison is of a counter behind its step.
func (f *Function) counts(b *Block, end *isa.Instruction) bool {
	stepped := false
	for n := range end.Src {
		o := &end.Src[n]
		if o.Kind != isa.OperandRegister {
			continue
		}
		for _, step := range f.writers(b, o.Register) {
			if step.Op != isa.OpAdd && step.Op != isa.OpSub || slices.Index(b.Instructions, step) > slices.Index(b.Instructions, end) {
				return false
			}
			stepped = true
		}
	}
	return stepped
}

// writers returns the instructions of a block that write a register.
func (f *Function) writers(b *Block, r isa.Register) (all []*isa.Instruction) {
	for _, i := range b.Instructions {
		f.Definitions(i, func(d isa.Register, _ int) {
			if virtual.Whole(d) == r {
				all = append(all, i)
			}
		})
	}
	return all
}

// knownNumbers are the numbers that registers hold.
type knownNumbers map[isa.Register]uint64

// numbersBefore returns the numbers that registers hold when a loop of one block begins: those that the blocks on the only way to it
// leave.
func (f *Function) numbersBefore(loop *Block) knownNumbers {
	var way []*Block
	for b := loop; b != nil && len(way) < numbersFrom; {
		var from *Block
		for _, id := range b.Predecessors {
			switch {
			case id == b.ID && b == loop:
			case from != nil || id == b.ID:
				return knownOn(way)
			default:
				from = f.ByID[id]
			}
		}
		if from == nil || slices.Contains(way, from) || from == loop {
			break
		}
		way = append(way, from)
		b = from
	}
	return knownOn(way)
}

// numbersFrom is how many blocks in front of a loop are looked through for numbers.
const numbersFrom = 16

func knownOn(way []*Block) knownNumbers {
	known := knownNumbers{}
	for _, b := range slices.Backward(way) {
		for _, i := range b.Instructions {
			known.visit(i)
		}
	}
	return known
}

// fold makes a move of an instruction whose result is a number.
func (k knownNumbers) fold(i *isa.Instruction) {
	k.visit(i)
	if len(i.Dst) != 1 || i.Dst[0].Kind != isa.OperandRegister || i.Guard.Present {
		return
	}
	if n, ok := k[i.Dst[0].Register]; ok {
		t := i.Dst[0].Type
		i.Op, i.Type, i.From, i.Mod, i.Src = isa.OpMov, t, isa.TypeNone, isa.Modifiers{}, []isa.Operand{isa.Imm(n, t)}
	}
}

// visit notes what an instruction writes.
func (k knownNumbers) visit(i *isa.Instruction) {
	n, ok := k.result(i)
	for d := range i.Dst {
		if virtual.IsRegister(&i.Dst[d]) {
			delete(k, virtual.Whole(i.Dst[d].Register))
		}
	}
	if ok {
		k[i.Dst[0].Register] = bitsOf(n, i.Dst[0].Type)
	}
}

// bitsOf returns a number's low bits.
func bitsOf(n uint64, t isa.Type) uint64 {
	unused := 64 - 8*t.Bytes()
	return n << unused >> unused
}

// extended returns a number of a type in 64 bits.
func extended(n uint64, t isa.Type) uint64 {
	unused := 64 - 8*t.Bytes()
	if t.Signed() {
		return uint64(int64(n<<unused) >> unused)
	}
	return n << unused >> unused
}

// source returns the number that an operand is, as one of a type.
func (k knownNumbers) source(o *isa.Operand, t isa.Type) (uint64, bool) {
	switch {
	case o.Kind == isa.OperandImmediate && !o.Negate:
		return extended(o.Immediate, t), true
	case o.Kind == isa.OperandRegister && !o.Negate:
		n, ok := k[o.Register]
		return extended(n, t), ok
	}
	return 0, false
}

// result returns the number that an instruction computes of numbers.
func (k knownNumbers) result(i *isa.Instruction) (uint64, bool) {
	if i.Guard.Present || len(i.Dst) != 1 || i.Dst[0].Kind != isa.OperandRegister || len(i.Src) == 0 || len(i.Src) > 2 ||
		i.Dst[0].Register != virtual.Whole(i.Dst[0].Register) || i.Type.Float() || i.From.Float() ||
		i.Mod.Saturate || i.Mod.CarryOut || i.Dst[0].Type.Bytes() < 4 || i.Dst[0].Type.Bytes() > 8 {
		return 0, false
	}
	t := i.Type
	if i.Op == isa.OpCvt {
		t = i.From
	}
	if t.Bytes() == 0 || t.Bytes() > 8 {
		return 0, false
	}
	var s [2]uint64
	for n := range i.Src {
		var ok bool
		if s[n], ok = k.source(&i.Src[n], t); !ok {
			return 0, false
		}
	}
	switch {
	case i.Op == isa.OpMov && len(i.Src) == 1:
		return s[0], true
	case i.Op == isa.OpCvt:
		return extended(s[0], i.Type), true
	case len(i.Src) != 2:
		return 0, false
	case i.Op == isa.OpAdd:
		return s[0] + s[1], true
	case i.Op == isa.OpSub:
		return s[0] - s[1], true
	case i.Op == isa.OpMul && i.Mod.Half != isa.Hi:
		return s[0] * s[1], true
	case i.Op == isa.OpShl && s[1] < uint64(8*t.Bytes()):
		return s[0] << s[1], true
	}
	return 0, false
}

// compare returns what a comparison of whole numbers gives.
func (k knownNumbers) compare(i *isa.Instruction) (holds, known bool) {
	a, ok := k.source(&i.Src[0], i.Type)
	b, both := k.source(&i.Src[1], i.Type)
	if i.Guard.Present || !ok || !both {
		return false, false
	}
	less := a < b
	if i.Type.Signed() {
		less = int64(a) < int64(b)
	}
	switch i.Mod.Compare {
	case isa.EQ:
		return a == b, true
	case isa.NE:
		return a != b, true
	case isa.LT, isa.LO:
		return less, true
	case isa.LE, isa.LS:
		return less || a == b, true
	case isa.GT, isa.HI:
		return !less && a != b, true
	case isa.GE, isa.HS:
		return !less, true
	}
	return false, false
}
