package lower

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Verify lowers a kernel and checks, apart from the code that made it, that every value arrives where it is used: that
// scheduling left each use the definition it had, and each pair of memory operations that may meet its order; and that on every
// path a physical register still holds a virtual one's value when an operation reads it.
func Verify(p *isa.Program, kernel *isa.Function, o Options) error {
	err := verify(p, kernel, o)
	if e := (*Error)(nil); errors.As(err, &e) && !o.NoSchedule { // as Program does
		o.NoSchedule = true
		err = verify(p, kernel, o)
	}
	return err
}

func verify(p *isa.Program, kernel *isa.Function, o Options) error {
	f := newFunction(context.Background(), p, kernel, 0, o.withDefaults())
	for n := range Passes {
		var before map[*operation]sourcesOf
		if name := Passes[n].Name; name == "schedule" || name == "reschedule" {
			before = f.usesInBlocks()
		}
		if err := f.runPass(&Passes[n]); err != nil {
			return err
		}
		if before == nil {
			continue
		}
		after := f.usesInBlocks()
		for op, uses := range before {
			if !slices.Equal(uses.values, after[op].values) || !maps.Equal(uses.memory, after[op].memory) {
				return fmt.Errorf("kernel %s: scheduling changed what %v reads", kernel.Name, op)
			}
		}
	}
	if err := f.verifySlowPaths(); err != nil {
		return err
	}
	return f.verifyRegisters()
}

// verifySlowPaths checks that a slow path's operations stand together: warps that need none of them skip so many.
func (f *function) verifySlowPaths() error {
	for _, b := range f.blocks {
		left := map[*slowGroup]int{}
		var within *slowGroup
		for _, op := range b.operations {
			if within != nil && op.slow != within {
				return fmt.Errorf("kernel %s: %v stands among the operations of a slow path", f.kernel.Name, op)
			}
			if within = nil; op.slow == nil {
				continue
			}
			if _, begun := left[op.slow]; !begun {
				left[op.slow] = op.slow.path.Length
			}
			if left[op.slow]--; left[op.slow] > 0 {
				within = op.slow
			}
		}
	}
	return nil
}

// sourcesOf is where an operation's values come from within its block: the operation that made each slot it reads, nil for
// the block's start; and the accesses before it that it may meet.
type sourcesOf struct {
	values []*operation
	memory map[*operation]bool
}

// usesInBlocks finds every operation's sources by going through each block in its present order.
func (f *function) usesInBlocks() map[*operation]sourcesOf {
	s := f.newSlots()
	all := map[*operation]sourcesOf{}
	for _, b := range f.blocks {
		writer := map[int32]*operation{}
		var carry *operation
		var accesses []*operation
		for _, op := range b.operations {
			u := sourcesOf{memory: map[*operation]bool{}}
			functionalView.uses(f, s, op, func(slot int32) { u.values = append(u.values, writer[slot]) })
			if op.Effect != nil && readsCarry(op.Effect) {
				u.values = append(u.values, carry)
			}
			if i := op.Effect; i != nil && i.Memory != nil && op.Class.Memory() {
				for _, before := range accesses {
					if conflict(before.Effect, i) {
						u.memory[before] = true
					}
				}
				accesses = append(accesses, op)
			}
			functionalView.definitions(f, s, op, func(slot int32) { writer[slot] = op })
			if op.Effect != nil && writesCarry(op.Effect) {
				carry = op
			}
			all[op] = u
		}
	}
	return all
}

// conflict reports two accesses of which one writes what the other may touch: the plain rule, by space alone but for known addresses.
func conflict(a, b *isa.Instruction) bool {
	reads := func(i *isa.Instruction) bool { return i.Op == isa.OpLd || i.Op == isa.OpSuld || readsTexture(i) }
	if reads(a) && reads(b) {
		return false
	}
	x, y := a.Memory, b.Memory
	if x.Space != y.Space && x.Space != isa.SpaceGeneric && y.Space != isa.SpaceGeneric {
		return false
	}
	if x.Space == y.Space && x.Base.Kind == isa.OperandImmediate && y.Base.Kind == isa.OperandImmediate {
		from := func(m *isa.Memory) int64 { return int64(m.Base.Immediate) + m.Offset }
		bytes := func(i *isa.Instruction) int64 { return int64(i.Type.Bytes() * max(len(i.Dst), len(i.Src), 1)) }
		return from(x) < from(y)+bytes(b) && from(y) < from(x)+bytes(a)
	}
	return x.Base.Kind != y.Base.Kind || x.Offset == y.Offset
}

// verifyRegisters follows, for each slot, whether its physical register holds its value; a slot that no path has written
// holds nothing that could be lost.
func (f *function) verifyRegisters() error {
	s := f.newSlots()
	place := make([]int, s.count())
	at := map[int][]int32{} // slots by place; predicates behind the registers
	for slot, r := range s.owner {
		if f.colours[r] < 0 {
			continue
		}
		place[slot] = int(f.colours[r]) + int(int32(slot)-s.first[r])
		if f.predicate(r) {
			place[slot] += 1000
		}
		at[place[slot]] = append(at[place[slot]], int32(slot))
	}
	lost := map[isa.BlockID]bitset{} // at the start of blocks
	for _, b := range f.blocks {
		lost[b.id] = newBitset(s.count())
	}
	var failure error
	for changed := true; changed && failure == nil; {
		changed = false
		for _, b := range f.blocks {
			now := newBitset(s.count())
			now.copyFrom(lost[b.id])
			halves := map[int32]isa.Guard{} // slots that the lanes of one guard have written
			for _, op := range b.operations {
				functionalView.uses(f, s, op, func(slot int32) {
					half, begun := halves[slot]
					if now.has(slot) && failure == nil && (!begun || half != op.Guard) {
						failure = fmt.Errorf("kernel %s: block %d: %v reads %s, whose register %d something else has overwritten", f.kernel.Name, b.id, op, f.registers[s.owner[slot]].Name, place[slot])
					}
				})
				to, from, copies := f.copied(s, op)
				functionalView.definitions(f, s, op, func(slot int32) {
					if copies && slot == to && place[to] == place[from] {
						if !now.has(from) {
							now.remove(to)
						}
						return
					}
					for _, other := range at[place[slot]] {
						if other != slot {
							now.add(other)
							delete(halves, other)
						}
					}
					maps.DeleteFunc(halves, func(_ int32, g isa.Guard) bool { return s.first[whole(g.Register)] == slot })
					half, begun := halves[slot]
					if op.overwrites() || begun && half.Register == op.Guard.Register && half.Negate != op.Guard.Negate {
						now.remove(slot)
					} else {
						halves[slot] = op.Guard
					}
				})
			}
			for _, next := range b.successors {
				changed = lost[next].union(now) || changed
			}
		}
	}
	return failure
}
