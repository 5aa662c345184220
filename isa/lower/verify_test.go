package lower

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/target"
	"github.com/keplersim/keplersim/isa/lower/value"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Verify lowers a kernel and checks the result, independently of the code that made it. Scheduling must leave each use its definition, and
// each pair of memory accesses that may overlap its order. On every path, a physical register must still hold a virtual register's value
// when an operation reads it.
func Verify(p *isa.Program, kernel *isa.Function, o target.Options) error {
	return scheduledOrNot(o, func(o target.Options) error { return verify(p, kernel, o) })
}

func verify(p *isa.Program, kernel *isa.Function, o target.Options) error {
	var before map[*machine.Operation]sourcesOf
	f, err := runPasses(value.New(context.Background(), p, kernel, 0, o.WithDefaults()), watcher{
		before: func(pass string, f form) {
			if before = nil; ordersOperations[pass] {
				before = usesInBlocks(operationsOf(f))
			}
		},
		after: func(_ string, f form) error {
			if before == nil {
				return nil
			}
			after := usesInBlocks(operationsOf(f))
			for op, uses := range before {
				if !slices.Equal(uses.values, after[op].values) || !maps.Equal(uses.memory, after[op].memory) {
					return fmt.Errorf("kernel %s: scheduling changed what %v reads", kernel.Name, op)
				}
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	if err := verifySlowPaths(f); err != nil {
		return err
	}
	return verifyRegisters(f)
}

// ordersOperations names the passes that only reorder operations.
var ordersOperations = map[string]bool{"relieve": true, "schedule": true, "reschedule": true}

// operationsOf returns the operations of a form that has operations.
func operationsOf(f form) *machine.Function {
	if a, ok := f.(*machine.Allocated); ok {
		return a.Function
	}
	return f.(*machine.Function)
}

// verifySlowPaths checks that a slow path's operations are contiguous: warps that need none of them skip them as one run.
func verifySlowPaths(f *machine.Allocated) error {
	for _, b := range f.Blocks {
		left := map[*machine.SlowPath]int{}
		var within *machine.SlowPath
		for _, op := range b.Operations {
			if within != nil && op.Path != within {
				return fmt.Errorf("kernel %s: %v stands among the operations of a slow path", f.Kernel.Name, op)
			}
			if within = nil; op.Path == nil {
				continue
			}
			if _, begun := left[op.Path]; !begun {
				left[op.Path] = op.Path.Path.Length
			}
			if left[op.Path]--; left[op.Path] > 0 {
				within = op.Path
			}
		}
	}
	return nil
}

// sourcesOf lists where an operation's values come from within its block. The list values has the writer of each slot that it reads, nil
// for the block's start. The set memory has the earlier accesses that it may conflict with.
type sourcesOf struct {
	values []*machine.Operation
	memory map[*machine.Operation]bool
}

// usesInBlocks finds every operation's sources by a walk through each block in its present order.
func usesInBlocks(f *machine.Function) map[*machine.Operation]sourcesOf {
	s := f.NewSlots()
	all := map[*machine.Operation]sourcesOf{}
	for _, b := range f.Blocks {
		writer := map[int32]*machine.Operation{}
		var carry *machine.Operation
		var accesses []*machine.Operation
		for _, op := range b.Operations {
			u := sourcesOf{memory: map[*machine.Operation]bool{}}
			for _, slot := range machine.FunctionalView.Uses(s, op, nil) {
				u.values = append(u.values, writer[slot])
			}
			if op.Effect != nil && virtual.ReadsCarry(op.Effect) {
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
			for _, slot := range machine.FunctionalView.Definitions(s, op, nil) {
				writer[slot] = op
			}
			if op.Effect != nil && virtual.WritesCarry(op.Effect) {
				carry = op
			}
			all[op] = u
		}
	}
	return all
}

// conflict reports two accesses that may overlap, at least one of them a write. The rule is plain: by space, except for known addresses.
func conflict(a, b *isa.Instruction) bool {
	reads := func(i *isa.Instruction) bool {
		return i.Op == isa.OpLd || i.Op == isa.OpSuld || virtual.ReadsTexture(i)
	}
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

// verifyRegisters checks for each slot whether its physical register holds its value. A slot that no path has written has nothing to lose.
// A partly written value may be spilled as a whole: only a later read counts.
func verifyRegisters(f *machine.Allocated) error {
	s := f.NewSlots()
	place := make([]int, s.Count())
	at := map[int][]int32{} // slots by place; predicates behind the registers
	for slot, r := range s.Owner {
		if f.Colours[r] < 0 {
			continue
		}
		place[slot] = int(f.Colours[r]) + int(int32(slot)-s.First[r])
		if f.IsPredicate(r) {
			place[slot] += 1000
		}
		at[place[slot]] = append(at[place[slot]], int32(slot))
	}
	words := s.Count() + (f.FrameBytes+3)/4
	lost := map[isa.BlockID]bitset.Set{} // at the start of blocks
	for _, b := range f.Blocks {
		lost[b.ID] = bitset.New(words)
	}
	var failure error
	for changed := true; changed && failure == nil; {
		changed = false
		for _, b := range f.Blocks {
			now := bitset.New(words)
			now.CopyFrom(lost[b.ID])
			halves := map[int32]isa.Guard{} // slots that lanes have written under one guard
			for _, op := range b.Operations {
				home := int32(0) // word of local memory; numbered behind the slots
				if op.Spill {
					home = int32(s.Count()) + int32(int64(op.Effect.Memory.Base.Immediate)+op.Effect.Memory.Offset)/4
				}
				for n, slot := range machine.FunctionalView.Uses(s, op, nil) {
					if _, begun := halves[slot]; op.Spill && now.Has(slot) && !begun {
						now.Add(home + int32(n))
					} else if op.Spill {
						now.Remove(home + int32(n))
					}
				}
				for _, slot := range machine.FunctionalView.Uses(s, op, nil) {
					half, begun := halves[slot]
					if now.Has(slot) && !op.Spill && failure == nil && (!begun || half != op.Guard) {
						failure = fmt.Errorf("kernel %s: block %d: %v reads %s, whose register %d something else has overwritten",
							f.Kernel.Name, b.ID, op, f.Registers[s.Owner[slot]].Name, place[slot])
					}
				}
				to, from, copies := f.Copied(s, op)
				for n, slot := range machine.FunctionalView.Definitions(s, op, nil) {
					if copies && slot == to && place[to] == place[from] {
						if !now.Has(from) {
							now.Remove(to)
						}
						continue
					}
					for _, other := range at[place[slot]] {
						if other != slot {
							now.Add(other)
							delete(halves, other)
						}
					}
					maps.DeleteFunc(halves, func(_ int32, g isa.Guard) bool { return s.First[virtual.Whole(g.Register)] == slot })
					half, begun := halves[slot]
					if op.Overwrites() || begun && half.Register == op.Guard.Register && half.Negate != op.Guard.Negate {
						now.Remove(slot)
					} else {
						halves[slot] = op.Guard
					}
					if op.Spill && now.Has(home+int32(n)) {
						now.Add(slot)
					}
				}
			}
			for _, next := range b.Successors {
				changed = lost[next].Union(now) || changed
			}
		}
	}
	return failure
}
