package ckernel

import (
	"fmt"
	"strings"
)

// kind is a type's kind.
type kind uint8

const (
	voidKind kind = iota
	boolKind
	charKind
	signedCharKind
	unsignedCharKind
	shortKind
	unsignedShortKind
	intKind
	unsignedKind
	longKind
	unsignedLongKind
	longLongKind
	unsignedLongLongKind
	floatKind
	doubleKind
	pointerKind
	arrayKind
	structKind
	listKind // a list in braces that has no type yet
)

// ctype is a type of C. Sizes and alignments are bytes.
type ctype struct {
	kind        kind
	size, align int64
	signed      bool
	name        string // in messages; a structure's tag
	element     *ctype // of a pointer or an array
	length      int64  // of an array; -1 if not known yet
	fields      []field
	complete    bool // a structure's fields are known
	constant    bool // const; plain is the type without it
	volatile    bool
	plain       *ctype
	restrict    bool
}

// field is a member of a structure.
type field struct {
	name   string
	typ    *ctype
	offset int64
}

func scalar(k kind, size int64, signed bool, name string) *ctype {
	return &ctype{kind: k, size: size, align: size, signed: signed, name: name, complete: true}
}

// The scalar types, with CUDA's sizes.
var (
	voidType      = &ctype{kind: voidKind, size: 1, align: 1, name: "void"}
	boolType      = scalar(boolKind, 1, false, "bool")
	charType      = scalar(charKind, 1, true, "char")
	scharType     = scalar(signedCharKind, 1, true, "signed char")
	ucharType     = scalar(unsignedCharKind, 1, false, "unsigned char")
	shortType     = scalar(shortKind, 2, true, "short")
	ushortType    = scalar(unsignedShortKind, 2, false, "unsigned short")
	intType       = scalar(intKind, 4, true, "int")
	unsignedType  = scalar(unsignedKind, 4, false, "unsigned int")
	longType      = scalar(longKind, 8, true, "long")
	ulongType     = scalar(unsignedLongKind, 8, false, "unsigned long")
	longlongType  = scalar(longLongKind, 8, true, "long long")
	ulonglongType = scalar(unsignedLongLongKind, 8, false, "unsigned long long")
	floatType     = scalar(floatKind, 4, true, "float")
	doubleType    = scalar(doubleKind, 8, true, "double")
)

func pointerTo(t *ctype) *ctype {
	return &ctype{kind: pointerKind, size: 8, align: 8, element: t, complete: true}
}

func arrayOf(t *ctype, length int64) *ctype {
	return &ctype{kind: arrayKind, size: max(length, 0) * t.size, align: t.align, element: t, length: length, complete: true}
}

// qualified is the type with const or volatile.
func (t *ctype) qualified(constant, volatile bool) *ctype {
	if !constant && !volatile || t.kind == arrayKind || constant == t.constant && volatile == t.volatile {
		return t
	}
	q := *t
	q.plain, q.constant, q.volatile = t.bare(), t.constant || constant, t.volatile || volatile
	return &q
}

// bare is the type without const and volatile.
func (t *ctype) bare() *ctype {
	if t.plain != nil {
		return t.plain
	}
	return t
}

func (t *ctype) isInteger() bool    { return t.kind >= boolKind && t.kind <= unsignedLongLongKind }
func (t *ctype) isFloating() bool   { return t.kind == floatKind || t.kind == doubleKind }
func (t *ctype) isArithmetic() bool { return t.kind >= boolKind && t.kind <= doubleKind }
func (t *ctype) isPointer() bool    { return t.kind == pointerKind }
func (t *ctype) isScalar() bool     { return t.isArithmetic() || t.isPointer() }
func (t *ctype) isAggregate() bool  { return t.kind == arrayKind || t.kind == structKind }
func (t *ctype) bits() int64        { return 8 * t.size }

// String names the type in messages.
func (t *ctype) String() string {
	prefix := ""
	if t.constant {
		prefix = "const "
	}
	switch t.kind {
	case pointerKind:
		return strings.TrimSpace(t.element.String()+" *") + strings.TrimRight(" "+prefix, " ")
	case arrayKind:
		return fmt.Sprintf("%s[%d]", t.element, t.length)
	case structKind:
		return prefix + "struct " + t.name
	case listKind:
		return "a list in braces"
	}
	return prefix + t.name
}

// same tells whether two types are equal, except for const and volatile.
func same(a, b *ctype) bool {
	a, b = a.bare(), b.bare()
	switch {
	case a == b:
		return true
	case a.kind != b.kind:
		return false
	case a.kind == pointerKind:
		return same(a.element, b.element)
	case a.kind == arrayKind:
		return a.length == b.length && same(a.element, b.element)
	case a.kind == structKind:
		return len(a.fields) > 0 && len(b.fields) > 0 && &a.fields[0] == &b.fields[0]
	}
	return true
}

// promoted is the type after integer promotion.
func (t *ctype) promoted() *ctype {
	if t.isInteger() && t.size < 4 {
		return intType
	}
	return t.bare()
}

// common is the type to which two arithmetic operands are converted.
func common(a, b *ctype) *ctype {
	a, b = a.promoted(), b.promoted()
	if a.isFloating() || b.isFloating() {
		if a.kind == doubleKind || b.kind == doubleKind {
			return doubleType
		}
		return floatType
	}
	if a.kind < b.kind {
		a, b = b, a
	}
	if a.signed && !b.signed && b.size == a.size { // long long and unsigned long
		return ulonglongType
	}
	return a
}

// leaf is a scalar within a type.
type leaf struct {
	offset int64
	typ    *ctype
}

// leaves returns a type's scalars in order, and one more than mostSlots at most.
func (t *ctype) leaves() []leaf { return t.addLeaves(nil, 0) }

func (t *ctype) addLeaves(list []leaf, at int64) []leaf {
	switch {
	case len(list) > mostSlots:
	case t.kind == arrayKind:
		for n := int64(0); n < t.length && len(list) <= mostSlots; n++ {
			list = t.element.addLeaves(list, at+n*t.element.size)
		}
	case t.kind == structKind:
		for _, f := range t.fields {
			list = f.typ.addLeaves(list, at+f.offset)
		}
	default:
		list = append(list, leaf{at, t.bare()})
	}
	return list
}

// roundUp rounds up to a multiple.
func roundUp(n, multiple int64) int64 {
	if multiple <= 1 {
		return n
	}
	return (n + multiple - 1) / multiple * multiple
}

// layOut gives a structure's fields their offsets; a union's are all 0.
func (t *ctype) layOut(union bool, align int64) {
	at := int64(0)
	t.align = max(align, 1)
	for n := range t.fields {
		f := &t.fields[n]
		t.align = max(t.align, f.typ.align)
		if union {
			t.size = max(t.size, f.typ.size)
			continue
		}
		at = roundUp(at, f.typ.align)
		f.offset = at
		at += f.typ.size
		t.size = at
	}
	t.size = max(roundUp(t.size, t.align), 1)
	t.complete = true
}

func (t *ctype) field(name string) *field {
	for n := range t.fields {
		if t.fields[n].name == name {
			return &t.fields[n]
		}
	}
	return nil
}
