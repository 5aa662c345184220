package decode

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// parameterSet is a set of arguments by index; it ignores those from 256 on, which few kernels have.
type parameterSet [4]uint64

// argument is a kernel's parameter, or a member of a struct parameter.
type argument struct {
	parameter, member int // member is -1 for the whole
}

// arguments are the arguments of a kernel.
type arguments struct {
	list      []argument
	at        map[int]int             // index in list by offset in the parameter space
	constants map[isa.Register]uint64 // registers with constant addresses in the parameter space, for a kernel with struct parameters
}

// offset returns the offset in the parameter space that a load reads, and whether it is known.
func (p *arguments) offset(i *isa.Instruction) (int, bool) {
	if i.Op != isa.OpLd || i.Memory.Space != isa.SpaceParam {
		return 0, false
	}
	base, known := uint64(0), i.Memory.Base.Kind == isa.OperandNone
	if i.Memory.Base.Kind == isa.OperandRegister {
		base, known = p.constants[i.Memory.Base.Register]
	}
	return int(base) + int(i.Memory.Offset), known
}

// constants returns the registers that are written once, with a constant: by a move or by a sum of constants.
func constants(f *isa.Function) map[isa.Register]uint64 {
	writes := make([]int, len(f.Registers))
	known := map[isa.Register]uint64{}
	value := func(o isa.Operand) (uint64, bool) {
		if o.Kind == isa.OperandRegister {
			v, ok := known[o.Register]
			return v, ok
		}
		return o.Immediate, o.Kind == isa.OperandImmediate
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			for _, d := range i.Dst {
				if d.Kind == isa.OperandRegister {
					writes[d.Register]++
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, i := range b.Instructions {
				if i.Op != isa.OpMov && i.Op != isa.OpAdd || i.Guard.Present || len(i.Dst) != 1 || i.Dst[0].Kind != isa.OperandRegister {
					continue
				}
				sum, all := uint64(0), true
				for _, s := range i.Src {
					v, ok := value(s)
					sum, all = sum+v, all && ok
				}
				if _, before := known[i.Dst[0].Register]; all && !before && writes[i.Dst[0].Register] == 1 {
					known[i.Dst[0].Register] = sum
					changed = true
				}
			}
		}
	}
	return known
}

// newArguments finds the kernel's parameters. For struct parameters it finds, and records, the members that the kernel reads.
func newArguments(f *isa.Function) *arguments {
	p := &arguments{at: map[int]int{}}
	if slices.ContainsFunc(f.Parameters, func(p isa.Parameter) bool { return p.Count > 1 }) {
		p.constants = constants(f)
	}
	for k := range f.Parameters {
		if f.Parameters[k].Count == 1 {
			p.at[f.Parameters[k].Offset] = len(p.list)
			p.list = append(p.list, argument{k, -1})
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			if offset, ok := p.offset(i); ok {
				for n := range i.Dst {
					noteMember(f, offset+n*i.Type.Bytes(), i.Type)
				}
			}
		}
	}
	for k := range f.Parameters {
		parameter := &f.Parameters[k]
		slices.SortFunc(parameter.Members, func(a, b isa.Member) int { return a.Offset - b.Offset })
		for m := range parameter.Members {
			p.at[parameter.Offset+parameter.Members[m].Offset] = len(p.list)
			p.list = append(p.list, argument{k, m})
		}
	}
	return p
}

// noteMember records that a kernel reads a type at an offset, if a struct is there. Of overlapping reads the first counts.
func noteMember(f *isa.Function, offset int, t isa.Type) {
	for k := range f.Parameters {
		p := &f.Parameters[k]
		inside := offset - p.Offset
		if p.Count == 1 || inside < 0 || inside+t.Bytes() > p.Bytes {
			continue
		}
		overlaps := func(m isa.Member) bool { return inside < m.Offset+m.Type.Bytes() && m.Offset < inside+t.Bytes() }
		if !slices.ContainsFunc(p.Members, overlaps) {
			p.Members = append(p.Members, isa.Member{Offset: inside, Type: t})
		}
	}
}

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

// and returns the intersection of two sets.
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

// inferPointers marks the kernel's parameters, and members of structs, whose values reach the address of an access, with the type and
// direction of these accesses. Values flow from parameter loads through moves, cvta, sums, selections and the addends of multiply-adds. The
// analysis ignores control flow: a register has the parameters of all its definitions. If several parameters reach one address, it marks
// those that a cvta converts; the others are byte offsets.
func inferPointers(f *isa.Function, addressBytes int) {
	sources, of := make([]parameterSet, len(f.Registers)), newArguments(f)
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, i := range b.Instructions {
				changed = of.propagate(i, sources, addressBytes) || changed
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
			for n, one := range of.list {
				if meant.has(n) {
					notePointer(f, one, i)
				}
			}
		}
	}
}

// convertedParameters returns the parameters that are converted by a cvta directly.
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

// accesses reports an instruction that accesses memory through a pointer.
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

// notePointer records what an access shows about a pointer.
func notePointer(f *isa.Function, of argument, i *isa.Instruction) {
	p := &f.Parameters[of.parameter]
	pointer, pointee, stored := &p.Pointer, &p.Pointee, &p.Stored
	if of.member >= 0 {
		m := &p.Members[of.member]
		pointer, pointee, stored = &m.Pointer, &m.Pointee, &m.Stored
	} else if p.Space == isa.SpaceNone {
		p.Space = isa.SpaceGlobal
	}
	*pointer = true
	if *pointee == isa.TypeNone || pointee.Kind() == isa.KindBits && i.Type.Bytes() == pointee.Bytes() {
		*pointee = i.Type
	}
	*stored = *stored || i.Op != isa.OpLd
}

// propagate adds the parameters of an instruction's sources to its destinations, and reports whether anything changed.
func (p *arguments) propagate(i *isa.Instruction, sources []parameterSet, addressBytes int) bool {
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
		offset, known := p.offset(i)
		if !known || i.Type.Bytes() != addressBytes {
			return false
		}
		for n, d := range i.Dst {
			k, ok := p.at[offset+n*i.Type.Bytes()]
			if !ok || d.Kind != isa.OperandRegister {
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
