package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

const (
	// recomputedLimit is the most operations that recompute a value.
	recomputedLimit = 3
	// recomputedRoom: values are recomputed if a loop needs more registers than full occupancy leaves, less this many. Scheduling and
	// register pairs add about this many.
	recomputedRoom = 8
)

// RecomputeBehindLoops recomputes small values behind a loop that does not read them, from values that are live there anyway, if the loop
// needs more registers than full occupancy leaves. Then the loop needs no registers for them. In clang's code, values for several loops and
// the code around them are computed once before all. The registers of such kernels show that nvcc does not keep them: of FORMA's stencils,
// grad-2d has 27 registers with nvcc, and had 45 here without this pass.
func RecomputeBehindLoops(f *Function) error {
	if len(f.graph().Loops) == 0 {
		return nil
	}
	v := f.newValues()
	defer v.release()
	r := &recomputing{f: f, values: v, edges: f.flow(), recomputed: map[placed]isa.Register{}}
	r.live = f.liveRegisters(func(r isa.Register) bool { return !f.IsPredicate(r) })
	if r.findCrowded(); len(r.crowded) == 0 {
		return nil
	}
	for reg := range v.of {
		if w := &v.of[reg]; w.writers != 1 || w.uses == 0 || !r.small(w.writer) {
			continue
		}
		if err := f.Stopped(); err != nil {
			return err
		}
		r.value(isa.Register(reg))
	}
	for _, c := range slices.Backward(r.waiting) { // a computation that reads another's result is later in the list
		first := slices.IndexFunc(c.in.Instructions, func(i *isa.Instruction) bool {
			return slices.ContainsFunc(r.values.reads(i), func(read isa.Register) bool { return virtual.Whole(read) == c.Dst[0].Register })
		})
		if first >= 0 { // what was to read it may not have been computed after all
			c.in.Instructions = slices.Insert(c.in.Instructions, first, c.Instruction)
		}
	}
	return nil
}

// recomputing is the state of the pass.
type recomputing struct {
	f          *Function
	values     *values
	edges      flow.Blocks
	live       [][]int32 // by block: the registers that are live at its end, ascending
	crowded    []*flow.Loop
	recomputed map[placed]isa.Register // the new registers, by value and place
	waiting    []computation           // not yet inserted
}

// computation is an instruction to insert in a block, before the first reader of its result.
type computation struct {
	*isa.Instruction
	in *Block
}

// placed is a value and the block that recomputes it: before its first reader there or, if end is set, at the block's end.
type placed struct {
	value isa.Register
	block *Block
	end   bool
}

// findCrowded finds the loops that need more registers than full occupancy leaves, less recomputedRoom.
func (r *recomputing) findCrowded() {
	found := map[*flow.Loop]bool{}
	for _, b := range r.f.Blocks {
		l := r.values.graph.Inner[b.ID]
		if l == nil || found[l] || r.maxLive(b) <= r.f.Options.Share()-recomputedRoom {
			continue
		}
		for ; l != nil && !found[l]; l = l.Outer {
			found[l] = true
			r.crowded = append(r.crowded, l)
		}
	}
}

// maxLive returns the most words that are live at once in a block.
func (r *recomputing) maxLive(b *Block) (most int) {
	live, words := map[isa.Register]bool{}, 0
	begin := func(reg isa.Register) {
		if reg = virtual.Whole(reg); !live[reg] && !r.f.IsPredicate(reg) {
			live[reg] = true
			words += r.f.Words(reg)
			most = max(most, words)
		}
	}
	for _, reg := range r.live[b.ID] {
		begin(isa.Register(reg))
	}
	for _, i := range slices.Backward(b.Instructions) {
		for _, reg := range r.values.definitions(i) {
			if reg = virtual.Whole(reg); live[reg] && !i.Guard.Present {
				delete(live, reg)
				words -= r.f.Words(reg)
			}
		}
		for _, reg := range r.values.reads(i) {
			begin(reg)
		}
	}
	return most
}

// liveBehind reports a register that is live at a block's end.
func (r *recomputing) liveBehind(b isa.BlockID, reg isa.Register) bool {
	_, live := slices.BinarySearch(r.live[b], int32(reg))
	return live
}

// small reports an instruction that is one operation on 32-bit integers and may run anywhere.
func (r *recomputing) small(i *isa.Instruction) bool {
	switch i.Op {
	case isa.OpAdd, isa.OpSub, isa.OpMin, isa.OpMax, isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot, isa.OpShl, isa.OpShr, isa.OpMov:
	default:
		return false
	}
	if len(i.Dst) != 1 || number(i) || !r.values.movable(i) {
		return false
	}
	d := i.Dst[0]
	special := slices.ContainsFunc(i.Src, func(o isa.Operand) bool { return o.Kind == isa.OperandSpecial })
	whole := d.Register == virtual.Whole(d.Register) && !r.f.IsPredicate(d.Register) && r.f.Words(d.Register) == 1
	return whole && !special && !i.Type.Float()
}

// value recomputes one value before its readers behind loops that do not read it.
func (r *recomputing) value(reg isa.Register) {
	home, users := r.values.of[reg].home, r.values.usersOf(reg)
	g := r.values.graph
	var passed []*flow.Loop // crowded loops that only carry the value through
	for _, l := range r.crowded {
		read := func(u user) bool { return g.Contains(l, u.home.ID) }
		if !g.Contains(l, home.ID) && r.liveBehind(l.Header(), reg) && !slices.ContainsFunc(users, read) {
			passed = append(passed, l)
		}
	}
	if len(passed) == 0 {
		return
	}
	for _, u := range users {
		at := placed{reg, u.home, false}
		if l := r.regionOf(u.home, home); l != nil {
			entries := g.Entries(r.edges, l)
			if len(entries) != 1 {
				continue
			}
			at = placed{reg, r.f.ByID[entries[0].ID], true}
		}
		behind := func(l *flow.Loop) bool {
			return !g.Contains(l, at.block.ID) && g.Number[l.Header()] < g.Number[at.block.ID]
		}
		if at.block == home || !slices.ContainsFunc(passed, behind) {
			continue
		}
		if other, ok := r.at(at, recomputedLimit); ok {
			virtual.Rename(u.Instruction, func(read isa.Register) isa.Register {
				if virtual.Whole(read) == reg {
					return read&^virtual.RegisterMask | other
				}
				return read
			})
		}
	}
}

// regionOf returns the outermost loop around a block that does not contain home, nil for none.
func (r *recomputing) regionOf(b, home *Block) (outermost *flow.Loop) {
	for l := r.values.graph.Inner[b.ID]; l != nil && !r.values.graph.Contains(l, home.ID); l = l.Outer {
		outermost = l
	}
	return outermost
}

// liveAt reports a value that is live at its place anyway.
func (r *recomputing) liveAt(p placed) bool {
	readHere := func(u user) bool { return u.home == p.block }
	return r.liveBehind(p.block.ID, p.value) || !p.end && slices.ContainsFunc(r.values.usersOf(p.value), readHere)
}

// at recomputes a value at a place in at most most operations, and returns its new register. ok is false if that needs a value that is not
// live there anyway.
func (r *recomputing) at(p placed, most int) (isa.Register, bool) {
	if other, ok := r.recomputed[p]; ok {
		return other, true
	}
	i := r.values.of[p.value].writer
	if most == 0 || !r.small(i) {
		return 0, false
	}
	c := virtual.Clone(i)
	ok := true
	c.Sources(func(o *isa.Operand) {
		if !ok || !virtual.IsRegister(o) {
			return
		}
		operand := placed{virtual.Whole(o.Register), p.block, p.end}
		if _, there := r.recomputed[operand]; !there && r.liveAt(operand) {
			return
		}
		var from isa.Register
		if from, ok = r.at(operand, most-1); ok {
			o.Register = o.Register&^virtual.RegisterMask | from
		}
	})
	if !ok {
		return 0, false
	}
	c.Dst[0].Register = r.f.Temporary(r.f.Registers[p.value].Type)
	if p.end {
		insertAtEnd(p.block, c)
	} else {
		r.waiting = append(r.waiting, computation{c, p.block})
	}
	r.recomputed[p] = c.Dst[0].Register
	return c.Dst[0].Register, true
}
