package isa

// Sources calls visit for every operand that the instruction reads, and visit may change it: sources, the address, texture coordinates. The
// guard is not an operand: see Instruction.Guard.
func (i *Instruction) Sources(visit func(*Operand)) {
	for k := range i.Src {
		visit(&i.Src[k])
	}
	if i.Memory != nil {
		i.Memory.Sources(visit)
	}
}

// Sources calls visit for every operand of an access to memory.
func (m *Memory) Sources(visit func(*Operand)) {
	if m.Base.Kind != OperandNone {
		visit(&m.Base)
	}
	if t := m.Texture; t != nil {
		for _, o := range []*Operand{&t.Object, &t.Sampler, &t.Level} {
			if o.Kind != OperandNone {
				visit(o)
			}
		}
		for k := range t.Coordinates {
			visit(&t.Coordinates[k])
		}
		for k := range t.Gradient {
			visit(&t.Gradient[k])
		}
	}
}

// Destinations calls visit for every operand that the instruction writes.
func (i *Instruction) Destinations(visit func(*Operand)) {
	for k := range i.Dst {
		visit(&i.Dst[k])
	}
}

// Terminator reports an instruction after which control may continue elsewhere than at the next one.
func (i *Instruction) Terminator() bool {
	return i.Op.Facts().Branches
}
