package spill

import (
	"fmt"
	"reflect"
	"unsafe"
)

// layout is how the values of a type are laid out in memory: which parts are plain bytes, and which are references.
type layout struct {
	t     reflect.Type
	list  reflect.Type // a slice of the type
	parts []part
	// zero is a zero value of the type. It never changes; the first value of each key is compared with it.
	zero unsafe.Pointer
}

// part is a piece of a value.
type part struct {
	kind   partKind
	offset uintptr
	count  int     // of words or bytes
	of     *layout // of the elements of a slice, or what a pointer points to
}

type partKind uint8

const (
	words   partKind = iota // of 8 bytes, as most numbers are
	octets                  // single bytes
	text                    // a string
	slice                   // a slice
	pointer                 // a pointer
)

// newLayout makes the layout of a type. It panics if the type holds something that cannot be written, such as a function.
func newLayout(t reflect.Type, within []reflect.Type) *layout {
	for _, outer := range within {
		if outer == t {
			panic(fmt.Sprintf("spill: a %s holds others of its type", t))
		}
	}
	l := &layout{t: t, list: reflect.SliceOf(t), zero: reflect.New(t).UnsafePointer()}
	l.add(t, 0, append(within[:len(within):len(within)], t))
	return l
}

// add adds a field of type t at an offset.
func (l *layout) add(t reflect.Type, offset uintptr, within []reflect.Type) {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		l.plain(offset, t.Size())
	case reflect.String:
		l.parts = append(l.parts, part{kind: text, offset: offset})
	case reflect.Slice:
		l.parts = append(l.parts, part{kind: slice, offset: offset, of: newLayout(t.Elem(), within)})
	case reflect.Pointer:
		l.parts = append(l.parts, part{kind: pointer, offset: offset, of: newLayout(t.Elem(), within)})
	case reflect.Array:
		for i := range t.Len() {
			l.add(t.Elem(), offset+uintptr(i)*t.Elem().Size(), within)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			l.add(f.Type, offset+f.Offset, within)
		}
	default:
		panic(fmt.Sprintf("spill: a %s cannot be written", t))
	}
}

// plain adds bytes without references. It extends the part before if that ends here.
func (l *layout) plain(offset, size uintptr) {
	kind, count := octets, int(size)
	if size == 8 && offset%8 == 0 {
		kind, count = words, 1
	}
	if n := len(l.parts) - 1; n >= 0 {
		last := &l.parts[n]
		width := uintptr(1)
		if last.kind == words {
			width = 8
		}
		if last.kind == kind && last.offset+uintptr(last.count)*width == offset {
			last.count += count
			return
		}
	}
	l.parts = append(l.parts, part{kind: kind, offset: offset, count: count})
}

// sliceHeader is a slice as Go lays it out in memory.
type sliceHeader struct {
	data      unsafe.Pointer
	len, size int
}

// element returns the address of a slice's element, or of a zero value if the slice is too short.
func (h *sliceHeader) element(i int, of *layout) unsafe.Pointer {
	if i >= h.len {
		return of.zero
	}
	return unsafe.Add(h.data, uintptr(i)*of.t.Size())
}
