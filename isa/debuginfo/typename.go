package debuginfo

import (
	"debug/dwarf"
	"strconv"
	"strings"
)

// maximumTypeDepth limits how far a type is followed: wrong DWARF may contain a type that refers to itself.
const maximumTypeDepth = 32

// suffixes and prefixes are the types that only modify another type's name. They are handled here because debug/dwarf does not support
// references.
var (
	suffixes = map[dwarf.Tag]string{dwarf.TagPointerType: "*", dwarf.TagReferenceType: "&", dwarf.TagRvalueReferenceType: "&&"}
	prefixes = map[dwarf.Tag]string{dwarf.TagConstType: "const ", dwarf.TagVolatileType: "volatile ", dwarf.TagRestrictType: ""}
)

// typeAt returns the name of the type at an offset of .debug_info; "" if it cannot be read.
func (r *reader) typeAt(offset dwarf.Offset, depth int) string {
	if depth == 0 {
		return "…"
	}
	entries := r.data.Reader()
	entries.Seek(offset)
	e, err := entries.Next()
	if err != nil || e == nil {
		return ""
	}
	suffix, isSuffix := suffixes[e.Tag]
	prefix, isPrefix := prefixes[e.Tag]
	if !isSuffix && !isPrefix {
		t, err := r.data.Type(offset)
		if err != nil {
			return ""
		}
		return typeName(t, depth)
	}
	target := "void"
	if to, ok := e.Val(dwarf.AttrType).(dwarf.Offset); ok {
		target = r.typeAt(to, depth-1)
	}
	if isPrefix && strings.HasSuffix(target, "*") && prefix != "" {
		return target + " " + strings.TrimSpace(prefix)
	}
	return prefix + target + suffix
}

// typeName returns a type in C++ syntax: const float*, Pair, int[4], float(int, int).
func typeName(t dwarf.Type, depth int) string {
	if depth == 0 {
		return "…"
	}
	switch t := t.(type) {
	case nil, *dwarf.VoidType:
		return "void"
	case *dwarf.PtrType:
		return typeName(t.Type, depth-1) + "*"
	case *dwarf.QualType:
		return t.Qual + " " + typeName(t.Type, depth-1)
	case *dwarf.TypedefType:
		return t.Name
	case *dwarf.ArrayType:
		return arrayName(t, depth)
	case *dwarf.StructType:
		if t.StructName == "" {
			return t.Kind
		}
		return t.StructName
	case *dwarf.EnumType:
		if t.EnumName == "" {
			return "enum"
		}
		return t.EnumName
	case *dwarf.FuncType:
		types := make([]string, len(t.ParamType))
		for i, parameter := range t.ParamType {
			types[i] = typeName(parameter, depth-1)
		}
		return typeName(t.ReturnType, depth-1) + "(" + strings.Join(types, ", ") + ")"
	}
	return t.Common().Name
}

// arrayName writes the lengths outermost first; an unsized array has an empty length.
func arrayName(t *dwarf.ArrayType, depth int) string {
	lengths := ""
	var element dwarf.Type = t
	for depth > 0 {
		array, ok := element.(*dwarf.ArrayType)
		if !ok {
			break
		}
		length := ""
		if array.Count >= 0 {
			length = strconv.FormatInt(array.Count, 10)
		}
		lengths += "[" + length + "]"
		element = array.Type
		depth--
	}
	return typeName(element, depth) + lengths
}
