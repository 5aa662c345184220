package decode

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// parameterSet is a set of parameters by index; the few kernels with more than 256 have the rest left out.
type parameterSet [4]uint64

func (s *parameterSet) has(k int) bool { return k < 256 && s[k/64]>>(k%64)&1 != 0 }

func (s *parameterSet) add(k int) {
	if k < 256 {
		s[k/64] |= 1 << (k % 64)
	}
}

// union adds o to s and reports whether that changed s.
func (s *parameterSet) union(o *parameterSet) bool {
	before := *s
	for i := range s {
		s[i] |= o[i]
	}
	return *s != before
}

// and returns what two sets have in common.
func (s *parameterSet) and(o *parameterSet) (both parameterSet) {
	for i := range s {
		both[i] = s[i] & o[i]
	}
	return both
}

func (s *parameterSet) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// inferPointers marks the kernel's parameters whose values reach the address of an access, and notes the type and
// direction of those accesses. Values flow from loads of parameters through moves, cvta, sums, selections and the addends of
// multiply-adds. Control flow is left out of account: a register's parameters are those of all its definitions. Of several parameters in
// one address those are meant that the kernel converts by cvta; the others are offsets in bytes.
func inferPointers(f *isa.Function, addressBytes int) {
	sources := make([]parameterSet, len(f.Registers))
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, i := range b.Instructions {
				changed = flow(f, i, sources, addressBytes) || changed
			}
		}
	}
	converted := convertedParameters(f, sources)
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			if !accesses(i) || i.Memory.Base.Kind != isa.OperandRegister {
				continue
			}
			meant := sources[i.Memory.Base.Register]
			if some := meant.and(&converted); some != (parameterSet{}) {
				meant = some
			}
			for k := range f.Parameters {
				if meant.has(k) {
					notePointer(&f.Parameters[k], i)
				}
			}
		}
	}
}

// convertedParameters returns those that a cvta takes as they are.
func convertedParameters(f *isa.Function, sources []parameterSet) (all parameterSet) {
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			if i.Op == isa.OpCvta && i.Src[0].Kind == isa.OperandRegister {
				if s := &sources[i.Src[0].Register]; s.count() == 1 {
					all.union(s)
				}
			}
		}
	}
	return all
}

// accesses reports instructions that read or write memory through a pointer.
func accesses(i *isa.Instruction) bool {
	switch i.Op {
	case isa.OpLd, isa.OpSt, isa.OpAtom, isa.OpRed:
		switch i.Memory.Space {
		case isa.SpaceGlobal, isa.SpaceGeneric, isa.SpaceConst:
			return true
		}
	}
	return false
}

// notePointer notes what an access says of a pointer.
func notePointer(p *isa.Parameter, i *isa.Instruction) {
	p.Pointer = true
	if p.Space == isa.SpaceNone {
		p.Space = isa.SpaceGlobal
	}
	if p.Pointee == isa.TypeNone || p.Pointee.Kind() == isa.KindBits && i.Type.Bytes() == p.Pointee.Bytes() {
		p.Pointee = i.Type
	}
	p.Stored = p.Stored || i.Op != isa.OpLd
}

// flow carries parameters from an instruction's sources to its destinations and reports whether anything changed.
func flow(f *isa.Function, i *isa.Instruction, sources []parameterSet, addressBytes int) bool {
	changed := false
	from := func(operands ...isa.Operand) {
		for _, d := range i.Dst {
			for _, s := range operands {
				if d.Kind == isa.OperandRegister && s.Kind == isa.OperandRegister {
					changed = sources[d.Register].union(&sources[s.Register]) || changed
				}
			}
		}
	}
	switch i.Op {
	case isa.OpLd:
		if i.Memory.Space != isa.SpaceParam || i.Memory.Base.Kind != isa.OperandNone || i.Type.Bytes() != addressBytes {
			return false
		}
		for n, d := range i.Dst {
			k := parameterAt(f, int(i.Memory.Offset)+n*i.Type.Bytes())
			if k < 0 || d.Kind != isa.OperandRegister {
				continue
			}
			var one parameterSet
			one.add(k)
			changed = sources[d.Register].union(&one) || changed
		}
	case isa.OpMov, isa.OpCvta, isa.OpAdd, isa.OpAddc:
		from(i.Src...)
	case isa.OpSub, isa.OpSubc:
		from(i.Src[0])
	case isa.OpSelp, isa.OpSlct, isa.OpMin, isa.OpMax:
		from(i.Src[:2]...)
	case isa.OpMad, isa.OpMad24:
		from(i.Src[2])
	case isa.OpAnd, isa.OpOr:
		from(i.Src...)
	case isa.OpCvt:
		if i.Type.Bytes() >= addressBytes && !i.Type.Float() && !i.From.Float() {
			from(i.Src...)
		}
	}
	return changed
}

// parameterAt returns the scalar parameter at an offset, -1 when there is none: pieces of a structure are no pointers that a
// caller could bind a buffer to.
func parameterAt(f *isa.Function, offset int) int {
	for k := range f.Parameters {
		if p := &f.Parameters[k]; p.Offset == offset && p.Count == 1 {
			return k
		}
	}
	return -1
}
