package debuginfo

import (
	"debug/dwarf"
	"math"
)

// TypeKind says how to read the bytes of a value.
type TypeKind uint8

// The kinds of types.
const (
	TypeUnknown   TypeKind = iota // its bytes cannot be read
	TypeVoid                      //
	TypeBool                      //
	TypeSigned                    // an integer in two's complement
	TypeUnsigned                  //
	TypeCharacter                 // a signed one-byte integer that is a character
	TypeFloat                     // IEEE 754 of 2, 4 or 8 bytes
	TypePointer                   // Element is what it points to
	TypeReference                 // Element is what it refers to
	TypeArray                     // Count elements of type Element
	TypeStruct                    // Fields; those of a union overlap
	TypeEnum                      // Element is the integer type, Names are the values' names
)

// Type is a type of the source.
type Type struct {
	Kind    TypeKind
	Name    string // in C++ syntax; "" if it has none
	Bytes   int64  // of a value; 0 if unknown
	Element *Type
	Count   int64 // elements of an array; negative if unknown
	Fields  []Field
	Names   map[int64]string
}

// Field is a member of a struct, class or union. A base class is a Field with the name of its type.
type Field struct {
	Name   string
	Type   *Type
	Offset int64 // bytes from the struct's start
	Base   bool
	// BitSize is the width of a bit field, 0 for others. BitOffset is its first bit, counted from the least significant bit at Offset.
	BitSize, BitOffset int64
}

// Field returns a member by name, also in base classes and unnamed members. Its Offset is relative to the struct's start.
func (t *Type) Field(name string) (field Field, ok bool) { return t.field(name, maximumTypeDepth) }

func (t *Type) field(name string, depth int) (field Field, ok bool) {
	if depth == 0 || t.Kind != TypeStruct {
		return field, false
	}
	for _, f := range t.Fields {
		if f.Name == name && name != "" && !f.Base {
			return f, true
		}
	}
	for _, f := range t.Fields {
		if !f.Base && f.Name != "" {
			continue
		}
		if inner, ok := f.Type.field(name, depth-1); ok {
			inner.Offset += f.Offset
			return inner, true
		}
	}
	return field, false
}

// Scalar reports a type whose values are single numbers.
func (t *Type) Scalar() bool {
	switch t.Kind {
	case TypeBool, TypeSigned, TypeUnsigned, TypeCharacter, TypeFloat, TypePointer, TypeReference, TypeEnum:
		return t.Bytes > 0 && t.Bytes <= 8
	}
	return false
}

// mostBytes is the largest size of a type: a larger one means damaged data.
const mostBytes = 1 << 40

// encodings are the kinds for DW_AT_encoding.
var encodings = map[int64]TypeKind{2: TypeBool, 4: TypeFloat, 5: TypeSigned, 6: TypeCharacter, 7: TypeUnsigned, 8: TypeUnsigned,
	0x10: TypeUnsigned}

// types reads each type once: types may refer to themselves through pointers.
type types struct {
	*reader
	read    map[dwarf.Offset]*Type
	aliases map[*Type]*Type // the types that const types, typedefs and such refer to
}

// settle resolves aliases after all types are read: a struct may contain a pointer to its own const type.
func (t *types) settle() {
	for alias, under := range t.aliases {
		for range maximumTypeDepth {
			if t.aliases[under] == nil {
				break
			}
			under = t.aliases[under]
		}
		name := alias.Name
		*alias = *under
		alias.Name = name
	}
}

// of returns the type that an entry names; void if it names none.
func (t *types) of(e *dwarf.Entry) *Type {
	offset, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return &Type{Kind: TypeVoid, Name: "void"}
	}
	return t.at(offset, maximumTypeDepth)
}

// at returns the type at an offset; unknown if it cannot be read.
func (t *types) at(offset dwarf.Offset, depth int) *Type {
	if known := t.read[offset]; known != nil {
		return known
	}
	into := &Type{}
	if depth == 0 {
		return into
	}
	t.read[offset] = into
	entries := t.data.Reader()
	entries.Seek(offset)
	e, err := entries.Next()
	if err != nil || e == nil {
		return into
	}
	element := func() *Type {
		to, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			return &Type{Kind: TypeVoid, Name: "void"}
		}
		return t.at(to, depth-1)
	}
	into.Bytes = min(max(number(e, dwarf.AttrByteSize), 0), mostBytes)
	switch e.Tag {
	case dwarf.TagBaseType:
		into.Kind, into.Name = encodings[number(e, dwarf.AttrEncoding)], text(e, dwarf.AttrName)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		into.Kind, into.Element = TypePointer, element()
		if e.Tag != dwarf.TagPointerType {
			into.Kind = TypeReference
		}
		if into.Bytes == 0 {
			into.Bytes = int64(entries.AddressSize())
		}
		into.Name = t.typeAt(offset, maximumTypeDepth)
	case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagTypedef:
		under := element()
		t.aliases[into] = under
		*into = *under
		if into.Name = t.typeAt(offset, maximumTypeDepth); e.Tag == dwarf.TagTypedef {
			into.Name = text(e, dwarf.AttrName)
		}
	case dwarf.TagArrayType:
		t.array(into, e, element(), entries)
		into.Name = t.typeAt(offset, maximumTypeDepth)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		into.Kind, into.Name = TypeStruct, text(e, dwarf.AttrName)
		t.fields(into, e, entries, depth)
	case dwarf.TagEnumerationType:
		into.Kind, into.Name, into.Element = TypeEnum, text(e, dwarf.AttrName), element()
		t.enumerators(into, e, entries)
	}
	return into
}

// array reads the lengths of an array, outermost first.
func (t *types) array(into *Type, e *dwarf.Entry, element *Type, entries *dwarf.Reader) {
	var counts []int64
	for e.Children {
		child, err := entries.Next()
		if err != nil || child == nil || child.Tag == 0 {
			break
		}
		if child.Tag == dwarf.TagSubrangeType {
			count := int64(-1)
			if n, ok := child.Val(dwarf.AttrCount).(int64); ok {
				count = n
			} else if n, ok := child.Val(dwarf.AttrUpperBound).(int64); ok && n < math.MaxInt64 {
				count = n + 1
			}
			counts = append(counts, count)
		}
		if child.Children {
			entries.SkipChildren()
		}
		if len(counts) == maximumTypeDepth {
			break
		}
	}
	if len(counts) == 0 {
		counts = []int64{-1}
	}
	for n := len(counts) - 1; n >= 0; n-- {
		of := into
		if n > 0 {
			of = &Type{}
		}
		of.Kind, of.Element, of.Count, of.Bytes = TypeArray, element, counts[n], 0
		if counts[n] < 0 || element.Bytes > 0 && counts[n] > mostBytes/element.Bytes {
			of.Count = -1
		} else {
			of.Bytes = counts[n] * element.Bytes
		}
		of.Name = t.nameOfArray(of)
		element = of
	}
}

// nameOfArray returns an array's name, with lengths outermost first.
func (t *types) nameOfArray(of *Type) string {
	name, lengths := of, ""
	for depth := maximumTypeDepth; name.Kind == TypeArray && depth > 0; depth-- {
		lengths += "[" + countText(name.Count) + "]"
		name = name.Element
	}
	return name.Name + lengths
}

// fields reads the members of a struct.
func (t *types) fields(into *Type, e *dwarf.Entry, entries *dwarf.Reader, depth int) {
	for e.Children {
		child, err := entries.Next()
		if err != nil || child == nil || child.Tag == 0 {
			return
		}
		_, static := child.Val(dwarf.AttrExternal).(bool)
		if !static && (child.Tag == dwarf.TagMember || child.Tag == dwarf.TagInheritance) {
			if f, ok := t.member(child, depth); ok {
				into.Fields = append(into.Fields, f)
			}
		}
		if child.Children {
			entries.SkipChildren()
		}
	}
}

// member reads one member; ok is false if its offset is unknown.
func (t *types) member(e *dwarf.Entry, depth int) (f Field, ok bool) {
	to, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return f, false
	}
	f = Field{Name: text(e, dwarf.AttrName), Type: t.at(to, depth-1), Base: e.Tag == dwarf.TagInheritance}
	if f.Base {
		f.Name = f.Type.Name
	}
	switch at := e.Val(dwarf.AttrDataMemberLoc).(type) {
	case int64:
		f.Offset = at
	case []byte: // DW_OP_plus_uconst, offset
		n, length := uint64(0), 0
		if len(at) > 1 && at[0] == operationPlusConstant {
			n, length = unsigned(at[1:])
		}
		if length == 0 || length != len(at)-1 || n > mostBytes {
			return f, false
		}
		f.Offset = int64(n)
	case nil:
	default:
		return f, false
	}
	if f.Offset < 0 || f.Offset > mostBytes {
		return f, false
	}
	return f, f.bits(e)
}

// bits reads the place of a bit field. DWARF 2 counts from the most significant bit of the field's storage, DWARF 4 from the least.
func (f *Field) bits(e *dwarf.Entry) (ok bool) {
	if f.BitSize = number(e, dwarf.AttrBitSize); f.BitSize == 0 {
		return true
	}
	if at, from := e.Val(dwarf.AttrDataBitOffset).(int64); from {
		f.BitOffset = at
	} else {
		bytes := number(e, dwarf.AttrByteSize)
		if bytes == 0 {
			bytes = f.Type.Bytes
		}
		f.BitOffset = 8*bytes - number(e, dwarf.AttrBitOffset) - f.BitSize
	}
	if f.BitSize < 0 || f.BitSize > 64 || f.BitOffset < 0 || f.BitOffset > 8*mostBytes {
		return false
	}
	f.Offset, f.BitOffset = f.Offset+f.BitOffset/8, f.BitOffset%8
	return f.BitOffset+f.BitSize <= 64
}

// enumerators reads the names of an enumeration's values.
func (t *types) enumerators(into *Type, e *dwarf.Entry, entries *dwarf.Reader) {
	into.Names = map[int64]string{}
	for e.Children {
		child, err := entries.Next()
		if err != nil || child == nil || child.Tag == 0 {
			return
		}
		if n, ok := child.Val(dwarf.AttrConstValue).(int64); ok && child.Tag == dwarf.TagEnumerator {
			into.Names[n] = text(child, dwarf.AttrName)
		}
		if child.Children {
			entries.SkipChildren()
		}
	}
}
