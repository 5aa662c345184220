package debug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
)

// storage is an address in a memory.
type storage struct {
	space   isa.Space
	address uint64
}

// value is the result of an expression: a number, or an object in memory.
type value struct {
	typ  *debuginfo.Type // nil for a number without a type of the source
	bits uint64          // of a number: integers sign-extended to 64 bits, others as in memory
	at   *storage        // the address; nil if it has none
}

// unavailable is the reason why a variable has no value, shown in its place.
type unavailable string

// Error is the reason.
func (u unavailable) Error() string { return string(u) }

const (
	optimizedOut unavailable = "<optimized out>"
	notYetSet    unavailable = "<not set yet>"
)

// plain is a number without a type.
func plain(bits uint64) value { return value{bits: bits} }

// The types of expressions' results.
var (
	doubleType = &debuginfo.Type{Kind: debuginfo.TypeFloat, Name: "double", Bytes: 8}
	boolType   = &debuginfo.Type{Kind: debuginfo.TypeBool, Name: "bool", Bytes: 1}
)

// kind is the value's kind, TypeUnknown for a plain number.
func (v value) kind() debuginfo.TypeKind {
	if v.typ == nil {
		return debuginfo.TypeUnknown
	}
	return v.typ.Kind
}

// scalar tells whether the value is a number.
func (v value) scalar() bool { return v.typ == nil || v.typ.Scalar() }

// float is the value as a double.
func (v value) float() float64 {
	switch {
	case v.kind() != debuginfo.TypeFloat:
		return float64(int64(v.bits))
	case v.typ.Bytes == 4:
		return float64(math.Float32frombits(uint32(v.bits)))
	}
	return math.Float64frombits(v.bits)
}

// true tells whether the value counts as true: a nonzero number, or any object.
func (v value) true() bool {
	if v.kind() == debuginfo.TypeFloat && v.typ.Bytes > 2 {
		return v.float() != 0
	}
	return v.bits != 0 || !v.scalar()
}

// number is the value as 64 bits; for an object, its address.
func (v value) number() (uint64, error) {
	switch {
	case v.kind() == debuginfo.TypeFloat && v.typ.Bytes > 2:
		return uint64(int64(v.float())), nil
	case v.scalar():
		return v.bits, nil
	case v.kind() == debuginfo.TypeArray && v.at != nil:
		return v.at.address, nil
	}
	return 0, fmt.Errorf("%s is not a number", v.typ.Name)
}

// signed tells whether a type is a signed integer.
func signed(t *debuginfo.Type) bool {
	switch t.Kind {
	case debuginfo.TypeSigned, debuginfo.TypeCharacter:
		return true
	case debuginfo.TypeEnum:
		return t.Element == nil || signed(t.Element) || t.Element.Kind == debuginfo.TypeVoid
	}
	return false
}

// fit truncates bits to an integer type's width and extends its sign to 64 bits.
func fit(t *debuginfo.Type, bits uint64) uint64 {
	if t.Bytes <= 0 || t.Bytes >= 8 {
		return bits
	}
	shift := uint(64 - 8*t.Bytes)
	if signed(t) {
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits << shift >> shift
}

// fetch reads memory as the lane sees it.
func (s *scope) fetch(from storage, into []byte) error {
	warp := s.issue.Warp
	ok := false
	switch {
	case warp == nil:
		return errNoWarp
	case from.space == isa.SpaceGlobal:
		ok = s.w.run != nil && s.w.run.job.Read(from.address, into) == nil
	case from.space == isa.SpaceShared:
		shared := warp.Block.Shared
		if end := uint64(len(shared)); from.address <= end && end-from.address >= uint64(len(into)) {
			copy(into, shared[from.address:])
			ok = true
		}
	case warp.State == nil:
	case from.space == isa.SpaceLocal:
		ok = warp.State.LocalMemory(s.lane, from.address, into)
	case from.space == isa.SpaceConst:
		ok = warp.State.Constant(isa.ConstantBankUser, from.address, into)
	case from.space == isa.SpaceParam:
		ok = warp.State.Constant(0, from.address, into)
	}
	if !ok {
		return fmt.Errorf("%s memory has no %d bytes at %#x", from.space, len(into), from.address)
	}
	return nil
}

// generic is the memory and address that a generic address means.
func generic(address uint64) storage {
	for _, window := range []struct {
		space isa.Space
		base  uint64
	}{{isa.SpaceShared, isa.SharedWindow}, {isa.SpaceLocal, isa.LocalWindow}, {isa.SpaceConst, isa.ConstWindow}} {
		if address-window.base < isa.WindowBytes {
			return storage{window.space, address - window.base}
		}
	}
	return storage{isa.SpaceGlobal, address}
}

// addressOf is the generic address of a place; ok is false if no pointer can reach it.
func addressOf(at *storage) (address uint64, ok bool) {
	window, ok := windows[at.space]
	return at.address + window, ok
}

// windows are the first generic addresses of each memory.
var windows = map[isa.Space]uint64{isa.SpaceGlobal: 0, isa.SpaceShared: isa.SharedWindow, isa.SpaceLocal: isa.LocalWindow,
	isa.SpaceConst: isa.ConstWindow}

// load returns the value of a type at a place. It reads numbers and follows references; other objects stay in memory.
func (s *scope) load(t *debuginfo.Type, at storage) (value, error) {
	v := value{typ: t, at: &at}
	if !t.Scalar() {
		if t.Kind == debuginfo.TypeUnknown || t.Kind == debuginfo.TypeVoid {
			return v, errors.New("the debug information does not say of what type it is")
		}
		return v, nil
	}
	var data [8]byte
	if err := s.fetch(at, data[:t.Bytes]); err != nil {
		return v, err
	}
	v.bits = binary.LittleEndian.Uint64(data[:])
	if t.Kind == debuginfo.TypeReference && t.Element != nil && t.Element.Kind != debuginfo.TypeReference {
		return s.load(t.Element, generic(v.bits))
	}
	v.bits = fit(t, v.bits)
	return v, nil
}

// field is a member of a struct by name.
func (s *scope) field(v value, name string) (value, error) {
	if v.kind() == debuginfo.TypePointer {
		var err error
		if v, err = s.load(v.typ.Element, generic(v.bits)); err != nil {
			return v, err
		}
	}
	if v.kind() != debuginfo.TypeStruct || v.at == nil {
		return v, fmt.Errorf(".%s needs a struct in front of it", name)
	}
	f, ok := v.typ.Field(name)
	if !ok {
		return v, fmt.Errorf("%s has no member %s", v.typ.Name, name)
	}
	return s.member(v, f)
}

// member is a member of a struct.
func (s *scope) member(v value, f debuginfo.Field) (value, error) {
	at := storage{v.at.space, v.at.address + uint64(f.Offset)}
	if f.BitSize == 0 {
		return s.load(f.Type, at)
	}
	var data [8]byte
	if err := s.fetch(at, data[:(f.BitOffset+f.BitSize+7)/8]); err != nil {
		return v, err
	}
	bits := binary.LittleEndian.Uint64(data[:]) >> f.BitOffset << (64 - f.BitSize)
	if signed(f.Type) {
		bits = uint64(int64(bits) >> (64 - f.BitSize))
	} else {
		bits >>= 64 - f.BitSize
	}
	return value{typ: f.Type, bits: bits}, nil
}

// element is an element of an array, or an element behind a pointer.
func (s *scope) element(v value, index int64) (value, error) {
	at := storage{}
	switch {
	case v.kind() == debuginfo.TypeArray && v.at != nil:
		at = *v.at
		if v.typ.Count >= 0 && (index < 0 || index >= v.typ.Count) {
			return v, fmt.Errorf("element %d of %d", index, v.typ.Count)
		}
	case v.kind() == debuginfo.TypePointer:
		at = generic(v.bits)
	default:
		return v, errors.New("only arrays and pointers have elements")
	}
	of := v.typ.Element
	if of.Bytes <= 0 {
		return v, fmt.Errorf("how large a %s is is not known", of.Name)
	}
	at.address += uint64(index * of.Bytes)
	return s.load(of, at)
}

// Limits of the shown part of an object in memory.
const (
	mostElements = 16
	mostDepth    = 4
)

// format formats a value by its type.
func (s *scope) format(v value, depth int) string {
	switch t := v.typ; {
	case t == nil:
		return show(v.bits)
	case t.Scalar():
		return scalarText(v)
	case v.at == nil:
		return "<unknown>"
	case depth == 0:
		return "{…}"
	case t.Kind == debuginfo.TypeArray:
		return s.formatArray(v, depth)
	case t.Kind == debuginfo.TypeStruct:
		var parts []string
		for _, f := range t.Fields {
			part, err := s.member(v, f)
			parts = append(parts, f.Name+" = "+s.formatOr(part, err, depth-1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "<" + v.typ.Name + ">"
}

// formatOr formats a value, or the reason why there is none.
func (s *scope) formatOr(v value, err error, depth int) string {
	switch why := unavailable(""); {
	case errors.As(err, &why):
		return err.Error()
	case err != nil:
		return "<" + err.Error() + ">"
	}
	return s.format(v, depth)
}

// formatArray formats the first elements of an array; characters become text.
func (s *scope) formatArray(v value, depth int) string {
	count, of := s.count(v), v.typ.Element
	if of.Kind == debuginfo.TypeCharacter && of.Bytes == 1 {
		data := make([]byte, min(count, 200))
		if err := s.fetch(*v.at, data); err == nil {
			text, _, _ := strings.Cut(string(data), "\x00")
			return strconv.QuoteToASCII(text)
		}
	}
	var parts []string
	for i := range min(count, mostElements) {
		part, err := s.element(v, i)
		if err != nil && i == 0 {
			return "<" + err.Error() + ">"
		}
		parts = append(parts, s.formatOr(part, err, depth-1))
	}
	if count > mostElements {
		parts = append(parts, "…")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// count is the number of an array's elements. A dynamic shared array has as many as the block's shared memory holds.
func (s *scope) count(v value) int64 {
	if v.typ.Count >= 0 || v.at == nil {
		return max(v.typ.Count, 0)
	}
	w := s.issue.Warp
	if w == nil || v.at.space != isa.SpaceShared || v.typ.Element.Bytes <= 0 || v.at.address >= uint64(len(w.Block.Shared)) {
		return 0
	}
	return int64(uint64(len(w.Block.Shared))-v.at.address) / v.typ.Element.Bytes
}

// scalarText formats a number by its type.
func scalarText(v value) string {
	switch t := v.typ; t.Kind {
	case debuginfo.TypeBool:
		return strconv.FormatBool(v.bits != 0)
	case debuginfo.TypeFloat:
		switch t.Bytes {
		case 4:
			return strconv.FormatFloat(v.float(), 'g', -1, 32)
		case 8:
			return strconv.FormatFloat(v.float(), 'g', -1, 64)
		}
		return fmt.Sprintf("%#x", v.bits)
	case debuginfo.TypePointer, debuginfo.TypeReference:
		return fmt.Sprintf("(%s) %#x", t.Name, v.bits)
	case debuginfo.TypeCharacter:
		return fmt.Sprintf("%d %s", int64(v.bits), strconv.QuoteRuneToASCII(rune(byte(v.bits))))
	case debuginfo.TypeEnum:
		if name := t.Names[int64(v.bits)]; name != "" {
			return fmt.Sprintf("%s (%d)", name, int64(v.bits))
		}
	}
	if signed(v.typ) {
		return strconv.FormatInt(int64(v.bits), 10)
	}
	return strconv.FormatUint(v.bits, 10)
}
