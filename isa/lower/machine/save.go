package machine

import "github.com/keplersim/keplersim/isa"

// SaveAcrossCalls adds a device function's stores and loads of the registers that the calling convention makes it save. They carry only
// timing, since a call moves the register window.
func SaveAcrossCalls(f *Function) error {
	if f.Kernel.Kernel {
		return nil
	}
	words := f.liveAcrossCalls()
	if words == 0 {
		return nil
	}
	at := f.FrameBytes
	f.FrameBytes += 4 * words
	access := func(x *Builder, like *Operation, op isa.Opcode, mnemonic string) {
		for n := range words {
			i := &isa.Instruction{Op: op, Type: isa.B32, Line: like.Line, Guard: like.Guard,
				Memory: &isa.Memory{Space: isa.SpaceLocal, Base: isa.Imm(uint64(at+4*n), isa.U64), Vector: 1}}
			if op == isa.OpLd {
				i.Dst = []isa.Operand{{Kind: isa.OperandSink, Type: isa.B32}}
			} else {
				i.Src = []isa.Operand{isa.Imm(0, isa.B32)}
			}
			x.Simple(i, mnemonic, isa.ClassLocal).PTXCount = 0
		}
	}
	for n, b := range f.Blocks {
		x := &Builder{Function: f}
		for k, op := range b.Operations {
			if op.Control == isa.ControlReturn {
				access(x, op, isa.OpLd, "LDL")
			}
			x.Out = append(x.Out, op)
			if n == 0 && k == 0 {
				access(x, op, isa.OpSt, "STL")
			}
		}
		b.Operations = x.Out
	}
	return nil
}

// liveAcrossCalls returns the most registers that are live across one call.
func (f *Function) liveAcrossCalls() int {
	s := f.NewSlots()
	l := f.NewLiveness(s, FunctionalView)
	most := 0
	for _, b := range f.Blocks {
		l.Walk(b, func(n int, op *Operation, live *LiveSet) {
			if op.Control != isa.ControlCall {
				return
			}
			words := live.Registers
			counted := map[int32]bool{}
			for _, slot := range l.Definitions(b, n) {
				if live.Has(slot) && !s.Predicate[slot] && !counted[slot] {
					counted[slot] = true
					words--
				}
			}
			most = max(most, words)
		})
	}
	return most
}
