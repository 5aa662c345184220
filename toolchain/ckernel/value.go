package ckernel

import (
	"fmt"
	"strconv"
)

// space is the memory space of a pointer, if known.
type space uint8

const (
	genericSpace space = iota
	globalSpace
	sharedSpace
	constantSpace
	localSpace
	objectSpace // a variable in registers
)

// spaceNames are the spaces' names in opcodes.
var spaceNames = [...]string{
	genericSpace: "", globalSpace: ".global", sharedSpace: ".shared", constantSpace: ".const", localSpace: ".local",
}

// form says how a value is represented.
type form uint8

const (
	unset     form = iota // a variable without a value
	numeric               // a constant
	held                  // in a register
	pointing              // a pointer: a base and an offset
	composite             // a structure or an array: its scalars
)

// value is a value during code generation. It never changes: each register is written once, before it is read.
type value struct {
	form   form
	typ    *ctype
	bits   uint64 // of a number
	reg    string // a register, or a pointer's base; "" if the base is a label or an object
	space  space
	label  string
	object *object
	offset int64
	cached *variable // the __restrict__ parameter that a pointer was derived from
	top    uint64    // an upper bound for an integer in a register; 0 if unknown
	parts  []value
}

// object is a variable in registers or in local memory during its scope.
type object struct {
	variable *variable
	typ      *ctype
	slot     int // the slot of its first scalar
	leaves   []leaf
	memory   bool
	label    string // the name of its memory
	offset   int64
	space    space
}

func number64(t *ctype, bits uint64) value { return value{form: numeric, typ: t.bare(), bits: bits} }

// integer is an int64 as a constant of a type.
func integer(t *ctype, n int64) value { return number64(t, normal(t, uint64(n))) }

func (v value) isNumber() bool { return v.form == numeric }
func (v value) is(n int64) bool {
	return v.form == numeric && v.typ.isInteger() && v.bits == normal(v.typ, uint64(n))
}

// equal tells whether two values are the same.
func (v value) equal(w value) bool {
	if v.form != w.form || v.bits != w.bits || v.reg != w.reg || v.space != w.space || v.label != w.label || v.object != w.object ||
		v.offset != w.offset || len(v.parts) != len(w.parts) {
		return false
	}
	for n := range v.parts {
		if !v.parts[n].equal(w.parts[n]) {
			return false
		}
	}
	return true
}

// as changes a value's type and keeps its registers.
func (v value) as(t *ctype) value {
	v.typ = t.bare()
	return v
}

// class is a kind of register.
type class uint8

const (
	predicates class = iota
	halves
	words
	doubles // 64 bits
	singles // f32
	wides   // f64
	classes
)

// classNames are the registers' prefixes in PTX and their types.
var classNames = [classes][2]string{{"%p", "pred"}, {"%rs", "b16"}, {"%r", "b32"}, {"%rd", "b64"}, {"%f", "f32"}, {"%fd", "f64"}}

// classOf is the kind of register for a scalar. Small integers use 32 bits.
func classOf(t *ctype) class {
	switch {
	case t.kind == boolKind:
		return predicates
	case t.kind == floatKind:
		return singles
	case t.kind == doubleKind:
		return wides
	case t.size == 8:
		return doubles
	}
	return words
}

// bitType is a scalar's type in instructions that only copy.
func bitType(t *ctype) string { return classNames[classOf(t)][1] }

// arithmeticType is a scalar's type in instructions that compute.
func arithmeticType(t *ctype) string {
	switch {
	case t.isFloating():
		return bitType(t)
	case t.isPointer():
		return "u64"
	case t.promoted().signed:
		return "s" + strconv.FormatInt(t.promoted().bits(), 10)
	}
	return "u" + strconv.FormatInt(t.promoted().bits(), 10)
}

// memoryType is a scalar's type in loads and stores.
func memoryType(t *ctype) string {
	switch {
	case t.isFloating():
		return bitType(t)
	case t.signed && t.size < 4:
		return "s" + strconv.FormatInt(t.bits(), 10)
	}
	return "u" + strconv.FormatInt(t.bits(), 10)
}

// literal is a constant in PTX's syntax.
func literal(t *ctype, bits uint64) string {
	switch {
	case t.kind == floatKind:
		return fmt.Sprintf("0f%08X", uint32(bits))
	case t.kind == doubleKind:
		return fmt.Sprintf("0d%016X", bits)
	case t.size == 8:
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatInt(int64(int32(uint32(bits))), 10)
}
