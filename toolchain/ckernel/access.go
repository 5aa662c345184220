package ckernel

import (
	"fmt"
	"strings"
)

// loadedInto is a register that a load fills, and the type of the value.
type loadedInto struct {
	register string
	typ      *ctype
}

func (g *generator) loaded(t *ctype) loadedInto {
	c := classOf(t)
	if t.kind == boolKind {
		c = words
	}
	return loadedInto{g.register(c), t}
}

// finish converts the register to the value.
func (l loadedInto) finish(g *generator) value {
	v := value{form: held, typ: l.typ.bare(), reg: l.register}
	switch {
	case l.typ.kind == boolKind:
		p := g.register(predicates)
		g.emit("setp.ne.s32 %s, %s, 0", p, l.register)
		v.reg = p
	case l.typ.isPointer():
		v.form = pointing
	case l.typ.isInteger() && !l.typ.signed && l.typ.size < 4:
		v.top = 1<<l.typ.bits() - 1
	}
	return v
}

// load reads a value from an address.
func (g *generator) load(at value, t *ctype) (value, error) {
	if t.kind == voidKind {
		return value{}, errorAt(g.at, "void has no value")
	}
	leaves := t.leaves()
	if len(leaves) > 4096 {
		return value{}, errorAt(g.at, "a copy of %s is too large", t)
	}
	values := make([]value, len(leaves))
	if at.form == pointing && at.space == objectSpace {
		for n, l := range leaves {
			v, err := g.loadObject(at.object, at.offset+l.offset, l.typ)
			if err != nil {
				return value{}, err
			}
			values[n] = v
		}
	} else {
		for n := 0; n < len(leaves); {
			together := g.vector(t, leaves[n:])
			place := at
			place.offset += leaves[n].offset
			if at.form == numeric {
				place = number64(at.typ, at.bits+uint64(leaves[n].offset))
			}
			if err := g.loadMemory(place, leaves[n].typ, t.volatile, values[n:n+together]); err != nil {
				return value{}, err
			}
			n += together
		}
	}
	if t.isAggregate() {
		return value{form: composite, typ: t.bare(), parts: values}, nil
	}
	return values[0], nil
}

// vector is how many scalars of a type one access moves. CUDA's vectors move as one access of up to 16 bytes.
func (g *generator) vector(t *ctype, leaves []leaf) int {
	if t.kind != structKind || t.volatile {
		return 1
	}
	first := leaves[0]
	for _, n := range []int{4, 2} {
		size := int64(n) * first.typ.size
		if n > len(leaves) || size > 16 || t.align < size || first.offset%size != 0 || first.typ.kind == boolKind {
			continue
		}
		fits := true
		for k := range n {
			fits = fits && classOf(leaves[k].typ) == classOf(first.typ) && leaves[k].typ.size == first.typ.size &&
				leaves[k].offset == first.offset+int64(k)*first.typ.size
		}
		if fits {
			return n
		}
	}
	return 1
}

// loadMemory reads consecutive scalars of one type.
func (g *generator) loadMemory(at value, t *ctype, volatile bool, into []value) error {
	opcode := "ld"
	if volatile {
		opcode = "ld.volatile"
	}
	if at.form == pointing {
		opcode += spaceNames[at.space]
		if at.cached != nil && !volatile {
			opcode += ".nc"
		}
	}
	return g.loadAs(opcode, at, t, into)
}

func (g *generator) loadAs(opcode string, at value, t *ctype, into []value) error {
	place, err := g.memory(at)
	if err != nil {
		return err
	}
	targets := make([]loadedInto, len(into))
	names := make([]string, len(into))
	for n := range into {
		targets[n] = g.loaded(t)
		names[n] = targets[n].register
	}
	list := names[0]
	if len(into) > 1 {
		opcode += fmt.Sprintf(".v%d", len(into))
		list = "{" + strings.Join(names, ", ") + "}"
	}
	g.emitPinned("%s.%s %s, %s", opcode, memoryType(t), list, place)
	for n := range into {
		into[n] = targets[n].finish(g)
	}
	return nil
}

// loadObject reads a scalar of a variable in registers.
func (g *generator) loadObject(o *object, offset int64, t *ctype) (value, error) {
	for n, l := range o.leaves {
		if l.offset != offset || l.typ.size != t.size {
			continue
		}
		if o.slot+n >= len(g.vals) {
			return value{}, errorAt(g.at, "'%s' is read after its scope", o.variable.name)
		}
		v := g.vals[o.slot+n]
		switch {
		case v.form == unset:
			return zero(t), nil
		case t.isPointer() && v.form == numeric, t.isPointer() && l.typ.isPointer():
			return v.as(t), nil
		case t.isPointer() != l.typ.isPointer() || t.kind == boolKind != (l.typ.kind == boolKind):
			return value{}, g.spillToMemory(o)
		case t.kind == l.typ.kind || t.isInteger() && l.typ.isInteger() && t.signed == l.typ.signed:
			return v.as(t), nil
		case t.size >= 4:
			return g.bitCast(v, t), nil
		}
		break
	}
	return value{}, g.spillToMemory(o)
}

// store writes a value to an address.
func (g *generator) store(at value, t *ctype, v value) error {
	leaves := t.leaves()
	if len(leaves) > 4096 {
		return errorAt(g.at, "a copy of %s is too large", t)
	}
	values := []value{v}
	if t.isAggregate() {
		if values = v.parts; v.form != composite {
			values = make([]value, len(leaves))
		}
	}
	if len(values) != len(leaves) {
		return errorAt(g.at, "%s cannot be stored here", t)
	}
	if at.form == pointing && at.space == objectSpace {
		for n, l := range leaves {
			if err := g.storeObject(at.object, at.offset+l.offset, l.typ, values[n]); err != nil {
				return err
			}
		}
		return nil
	}
	for n := 0; n < len(leaves); {
		together := g.vector(t, leaves[n:])
		place := at
		place.offset += leaves[n].offset
		if at.form == numeric {
			place = number64(at.typ, at.bits+uint64(leaves[n].offset))
		}
		if err := g.storeMemory(place, leaves[n].typ, t.volatile, values[n:n+together]); err != nil {
			return err
		}
		n += together
	}
	return nil
}

// storeMemory writes consecutive scalars of one type.
func (g *generator) storeMemory(at value, t *ctype, volatile bool, values []value) error {
	if at.form == pointing && at.cached != nil {
		g.written[at.cached] = true
		return errAgain
	}
	if at.form == pointing && at.space == constantSpace {
		return errorAt(g.at, "constant memory cannot be written by a kernel")
	}
	opcode := "st"
	if volatile {
		opcode = "st.volatile"
	}
	if at.form == pointing {
		opcode += spaceNames[at.space]
	}
	names := make([]string, len(values))
	for n, v := range values {
		r, err := g.stored(v, t)
		if err != nil {
			return err
		}
		names[n] = r
	}
	place, err := g.memory(at)
	if err != nil {
		return err
	}
	list := names[0]
	if len(values) > 1 {
		opcode += fmt.Sprintf(".v%d", len(values))
		list = "{" + strings.Join(names, ", ") + "}"
	}
	g.emitPinned("%s.%s %s, %s", opcode, strings.Replace(memoryType(t), "s", "u", 1), place, list)
	return nil
}

// stored returns the register that a store reads, with the value in it.
func (g *generator) stored(v value, t *ctype) (string, error) {
	switch {
	case v.form == unset:
		v = zero(t)
	case t.isPointer():
		r, err := g.address(v, genericSpace)
		if err != nil || v.form != numeric {
			return r, err
		}
		v = number64(ulonglongType, v.bits)
	case t.kind == boolKind:
		w, err := g.convert(v.as(boolType), intType)
		if err != nil {
			return "", err
		}
		return g.inRegister(w), nil
	}
	return g.inRegister(v), nil
}

// storeObject writes a scalar of a variable in registers.
func (g *generator) storeObject(o *object, offset int64, t *ctype, v value) error {
	for n, l := range o.leaves {
		if l.offset != offset || l.typ.size != t.size {
			continue
		}
		if o.slot+n >= len(g.vals) {
			return errorAt(g.at, "'%s' is written after its scope", o.variable.name)
		}
		switch {
		case v.form == unset:
			v = zero(l.typ)
		case t.isPointer() != l.typ.isPointer() || t.kind == boolKind != (l.typ.kind == boolKind):
			return g.spillToMemory(o)
		case l.typ.isPointer():
			v = v.as(l.typ)
		case t.isInteger() && l.typ.isInteger() && t.signed == l.typ.signed || t.kind == l.typ.kind:
			v = v.as(l.typ)
		case t.size >= 4:
			v = g.bitCast(v, l.typ)
		default:
			return g.spillToMemory(o)
		}
		g.vals[o.slot+n] = v
		return nil
	}
	return g.spillToMemory(o)
}
