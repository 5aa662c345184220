package decode

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// passPredicates replaces predicates that calls pass and return by 32-bit words, 1 for true: calling conventions have only general
// registers. Inlined calls need no words.
func (l *linker) passPredicates() {
	called := l.calledFunctions()
	words := map[*isa.Prototype]bool{}
	for _, b := range l.bodies {
		if b == nil {
			continue
		}
		if !b.function.Kernel && called[b.index] {
			b.takePredicates()
		}
		if !slices.ContainsFunc(b.items, item.calls) {
			continue
		}
		items := b.items
		b.items = nil
		for _, it := range items {
			if !it.calls() {
				b.items = append(b.items, it)
				continue
			}
			if p := it.ins.Call.Prototype; p != nil && !words[p] {
				words[p] = true
				asWords(p.Parameters)
				asWords(p.Returns)
			}
			b.callWithWords(it)
		}
	}
	for _, f := range l.program.Functions {
		if !f.Defined {
			asWords(f.Parameters)
			asWords(f.Returns)
		}
	}
}

func asWords(list []isa.Parameter) {
	for k := range list {
		if list[k].Type == isa.Pred {
			list[k].Type, list[k].Bytes = isa.U32, 4
		}
	}
}

// word adds a 32-bit register.
func (b *body) word() isa.Register {
	b.function.Registers = append(b.function.Registers, isa.VirtualRegister{Type: isa.U32})
	return isa.Register(len(b.function.Registers) - 1)
}

// toWord returns the instruction that sets a word to 1 if a predicate is true, else to 0.
func toWord(word isa.Register, predicate isa.Operand, line isa.LineIndex) *isa.Instruction {
	return &isa.Instruction{Op: isa.OpSelp, Type: isa.U32, Dst: []isa.Operand{isa.Reg(word, isa.U32)},
		Src: []isa.Operand{isa.Imm(1, isa.U32), isa.Imm(0, isa.U32), predicate}, Line: line}
}

// fromWord returns the instruction that sets a predicate to whether a word is nonzero.
func fromWord(predicate isa.Operand, word isa.Register, line isa.LineIndex) *isa.Instruction {
	return &isa.Instruction{Op: isa.OpSetp, Type: isa.U32, Mod: isa.Modifiers{Compare: isa.NE}, Dst: []isa.Operand{predicate},
		Src: []isa.Operand{isa.Reg(word, isa.U32), isa.Imm(0, isa.U32)}, Line: line}
}

// takePredicates is the callee's side: it turns words into predicates at the function's beginning, and predicates into words before each
// return.
func (b *body) takePredicates() {
	f := b.function
	var first, last []*isa.Instruction
	for k := range f.Parameters {
		if p := &f.Parameters[k]; p.InReg && p.Type == isa.Pred {
			word := b.word()
			first = append(first, fromWord(isa.Predicate(p.Register, false), word, f.Line))
			p.Type, p.Bytes, p.Register = isa.U32, 4, word
		}
	}
	for k := range f.Returns {
		if p := &f.Returns[k]; p.InReg && p.Type == isa.Pred {
			word := b.word()
			last = append(last, toWord(word, isa.Predicate(p.Register, false), f.Line))
			p.Type, p.Bytes, p.Register = isa.U32, 4, word
		}
	}
	if len(first)+len(last) == 0 {
		return
	}
	items := b.items
	b.items = nil
	for _, i := range first {
		b.emit(i)
	}
	for _, it := range items {
		if it.ins != nil && it.ins.Op == isa.OpRet {
			for _, i := range last {
				each := *i
				each.Line = it.ins.Line
				b.emit(&each)
			}
		}
		b.items = append(b.items, it)
	}
}

// callWithWords is the caller's side.
func (b *body) callWithWords(it item) {
	call := it.ins
	for _, a := range call.Call.Arguments {
		if a.Operand >= 0 && call.Src[a.Operand].Kind == isa.OperandPredicate {
			word := b.word()
			b.emit(toWord(word, call.Src[a.Operand], call.Line))
			call.Src[a.Operand] = isa.Reg(word, isa.U32)
		}
	}
	var after []*isa.Instruction
	for _, r := range call.Call.Returns {
		if r.Operand >= 0 && call.Dst[r.Operand].Kind == isa.OperandPredicate {
			word := b.word()
			i := fromWord(call.Dst[r.Operand], word, call.Line)
			i.Guard = call.Guard
			after = append(after, i)
			call.Dst[r.Operand] = isa.Reg(word, isa.U32)
		}
	}
	b.items = append(b.items, it)
	for _, i := range after {
		b.emit(i)
	}
}
