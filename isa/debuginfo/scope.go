package debuginfo

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"strconv"

	"github.com/keplersim/keplersim/isa/ptx"
)

// Scopes are a module's variables, by scope.
type Scopes struct {
	// Globals are variables outside functions.
	Globals []*Local
	// Functions are the functions that have code.
	Functions []*Scope
}

// Scope is a function, an inlined function, or a block in braces.
type Scope struct {
	// Function distinguishes a function from a block. Name is its name in the source.
	Function bool
	Name     string
	// Inlined: its code is within that of the scope around it. Path and Line are the call then.
	Inlined bool
	Path    string
	Line    int
	// Ranges are the byte offsets of its code in the PTX text, ends excluded.
	Ranges    [][2]int32
	Variables []*Local
	Inner     []*Scope
	// Body is the text offset where the function's own statements begin, after the code that stores parameters.
	Body int32
}

// Local is a variable or parameter of a scope, or a global variable.
type Local struct {
	Name      string
	Type      *Type
	Path      string
	Line      int
	Parameter bool
	Class     AddressClass
	// Constant is the variable's value as bytes of its type, if it never changes; else nil.
	Constant []byte
	// Places are the variable's locations, by ranges of the text. One without an end applies to the whole scope.
	Places []Placed
}

// Placed is a location for a part of the text.
type Placed struct {
	Begin, End int32 // byte offsets; End 0 for the whole scope
	Location   Location
}

// At returns a variable's location at an offset of the text; ok is false if it is unknown.
func (v *Local) At(offset int32) (at Location, ok bool) {
	for _, p := range v.Places {
		if p.End == 0 || offset >= p.Begin && offset < p.End {
			return p.Location, p.Location != Location{}
		}
	}
	return at, false
}

// Contains reports that an offset of the text is in the scope.
func (s *Scope) Contains(offset int32) bool {
	for _, r := range s.Ranges {
		if offset >= r[0] && offset < r[1] {
			return true
		}
	}
	return false
}

// At returns the scopes around an offset of the text, innermost first; nil outside functions.
func (s *Scopes) At(offset int32) (chain []*Scope) {
	list := s.Functions
	for list != nil {
		var next []*Scope
		for _, scope := range list {
			if scope.Contains(offset) {
				chain, next = append([]*Scope{scope}, chain...), scope.Inner
				break
			}
		}
		list = next
	}
	return chain
}

// ReadScopes reads the variables in a module's DWARF. The error wraps ErrNoDebugInfo if there is none.
func ReadScopes(file *ptx.File) (*Scopes, error) {
	r, err := newReader(file)
	if err != nil {
		return nil, err
	}
	s := &scopeReader{types: types{reader: r, read: map[dwarf.Offset]*Type{}, aliases: map[*Type]*Type{}}, lines: Lines(file),
		scopes: &Scopes{}}
	if err := walk(s.data, s.entry); err != nil {
		return nil, fmt.Errorf("%s: reading .debug_info: %w", file.Name, err)
	}
	s.settle()
	return s.scopes, nil
}

// scopeReader walks the entries of .debug_info for ReadScopes.
type scopeReader struct {
	types
	lines  *LineTable
	scopes *Scopes
	base   uint64 // low_pc of the unit
}

// open is an entry whose children are being read.
type open struct {
	scope *Scope // nil outside functions, and in entries without code
	skip  bool   // variables here do not belong to a scope
}

// entry reads one entry, and returns what its children are in.
func (s *scopeReader) entry(e *dwarf.Entry, within open, addressSize int) (open, error) {
	switch e.Tag {
	case dwarf.TagCompileUnit:
		s.base, _ = e.Val(dwarf.AttrLowpc).(uint64)
		return open{}, nil
	case dwarf.TagNamespace:
		return within, nil
	case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock:
		ranges, err := s.ranges(e)
		if err != nil {
			return open{}, err
		}
		inner := &Scope{Ranges: ranges}
		switch {
		case e.Tag == dwarf.TagSubprogram && len(ranges) == 0:
			return open{skip: true}, nil // an abstract function, the origin of inlined ones
		case e.Tag == dwarf.TagSubprogram:
			inner.Name, inner.Function = text(s.origin(e), dwarf.AttrName), true
			inner.Body = s.body(ranges[0])
			s.scopes.Functions = append(s.scopes.Functions, inner)
			return open{scope: inner}, nil
		case within.skip || within.scope == nil || len(ranges) == 0:
			return open{skip: true}, nil
		case e.Tag == dwarf.TagInlinedSubroutine:
			inner.Name, inner.Function, inner.Inlined = text(s.origin(e), dwarf.AttrName), true, true
			inner.Path, inner.Line = s.files[int(number(e, dwarf.AttrCallFile))], int(number(e, dwarf.AttrCallLine))
		}
		within.scope.Inner = append(within.scope.Inner, inner)
		return open{scope: inner}, nil
	case dwarf.TagFormalParameter, dwarf.TagVariable:
		if within.skip {
			return open{skip: true}, nil
		}
		v, err := s.local(e, addressSize)
		switch {
		case err != nil:
			return open{}, err
		case v.Name == "":
		case within.scope != nil:
			within.scope.Variables = append(within.scope.Variables, v)
		case e.Tag == dwarf.TagVariable:
			s.scopes.Globals = append(s.scopes.Globals, v)
		}
	}
	return open{skip: true}, nil
}

// ranges returns the parts of the text with an entry's code.
func (s *scopeReader) ranges(e *dwarf.Entry) (list [][2]int32, err error) {
	all, err := s.data.Ranges(e)
	for _, r := range all {
		if r[0] < r[1] && r[1] < symbolBase {
			list = append(list, [2]int32{int32(r[0]), int32(r[1])})
		}
	}
	return list, err
}

// body returns where the line first changes in a function's code.
func (s *scopeReader) body(code [2]int32) int32 {
	first := s.lines.At(code[0])
	for i, start := range s.lines.starts {
		place := s.lines.places[i]
		if start < code[0] || first != nil && place != nil && place.Line == first.Line && place.Column == first.Column &&
			place.InlinedAt == nil {
			continue
		}
		if place == nil || start >= code[1] {
			break
		}
		return start
	}
	return code[1]
}

// origin returns the entry that describes an inlined function or variable: its abstract origin, or the entry itself.
func (s *scopeReader) origin(e *dwarf.Entry) *dwarf.Entry {
	for range maximumTypeDepth {
		at, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if at, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				break
			}
		}
		entries := s.data.Reader()
		entries.Seek(at)
		next, err := entries.Next()
		if err != nil || next == nil {
			break
		}
		e = next
	}
	return e
}

// local reads a variable.
func (s *scopeReader) local(e *dwarf.Entry, addressSize int) (*Local, error) {
	said := s.origin(e)
	v := &Local{
		Name: text(said, dwarf.AttrName), Type: s.of(said), Path: s.path(said), Line: int(number(said, dwarf.AttrDeclLine)),
		Parameter: e.Tag == dwarf.TagFormalParameter, Class: AddressClass(number(e, dwarf.AttrAddrClass)),
	}
	switch c := e.Val(dwarf.AttrConstValue).(type) {
	case int64:
		if v.Type.Scalar() {
			v.Constant = littleEndian(uint64(c))[:v.Type.Bytes]
		}
	case []byte:
		if int64(len(c)) == v.Type.Bytes {
			v.Constant = c
		}
	}
	switch at := e.Val(dwarf.AttrLocation).(type) {
	case []byte:
		v.Places = []Placed{{Location: s.image.location(at, addressSize)}}
	case int64:
		var err error
		if v.Places, err = s.list(at, addressSize); err != nil {
			return nil, err
		}
	}
	return v, nil
}

var errLocationList = errors.New("a location list ends behind .debug_loc")

// list reads a location list: pairs of addresses, relative to the unit's, each with the length of an expression and the expression. Two
// zeros end it. If the first address is all ones, the second is the new base.
func (s *scopeReader) list(offset int64, addressSize int) (places []Placed, err error) {
	data := s.image.Sections[".debug_loc"]
	if offset < 0 || offset > int64(len(data)) || addressSize != 4 && addressSize != 8 {
		return nil, errLocationList
	}
	data = data[offset:]
	base, all := s.base, ^uint64(0)>>(64-8*addressSize)
	for {
		if len(data) < 2*addressSize {
			return nil, errLocationList
		}
		begin, end := address(data[:addressSize]), address(data[addressSize:2*addressSize])
		data = data[2*addressSize:]
		switch {
		case begin == 0 && end == 0:
			return places, nil
		case begin == all:
			base = end
			continue
		}
		if len(data) < 2 {
			return nil, errLocationList
		}
		length := int(data[0]) | int(data[1])<<8
		if len(data) < 2+length {
			return nil, errLocationList
		}
		begin, end = base+begin, base+end
		if begin < end && end < symbolBase {
			places = append(places, Placed{int32(begin), int32(end), s.image.location(data[2:2+length], addressSize)})
		}
		data = data[2+length:]
	}
}

func countText(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
