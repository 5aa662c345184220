package spill

import (
	"encoding/binary"
	"errors"
	"reflect"
	"unsafe"
)

// errCut is the error for a file that was cut or changed since it was written.
var errCut = errors.New("what was kept in a temporary file is not what was written")

// reader decodes bytes that were written. It panics with errCut if they are not valid.
type reader struct {
	data  []byte
	names []string
}

func (r *reader) number() uint64 {
	if len(r.data) > 0 && r.data[0] < 0x80 {
		v := r.data[0]
		r.data = r.data[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		panic(errCut)
	}
	r.data = r.data[n:]
	return v
}

// upTo reads a number, and panics with errCut if it is above the bound.
func (r *reader) upTo(most int) int {
	n := r.number()
	if n > uint64(most) {
		panic(errCut)
	}
	return int(n)
}

// read applies differences to a value, which starts as a copy of the value that the written one was compared with. Unchanged parts stay
// shared.
func (r *reader) read(l *layout, value unsafe.Pointer) {
	for i := 0; ; i++ {
		if i += r.upTo(len(l.parts) - i); i == len(l.parts) {
			return
		}
		r.part(&l.parts[i], unsafe.Add(value, l.parts[i].offset))
	}
}

func (r *reader) part(p *part, at unsafe.Pointer) {
	switch p.kind {
	case words:
		r.words(unsafe.Slice((*uint64)(at), p.count))
	case octets:
		if len(r.data) < p.count {
			panic(errCut)
		}
		copy(unsafe.Slice((*byte)(at), p.count), r.data)
		r.data = r.data[p.count:]
	case text:
		if len(r.names) == 0 {
			panic(errCut)
		}
		*(*string)(at) = r.names[r.upTo(len(r.names)-1)]
	case slice:
		r.slice(p.of, (*sliceHeader)(at))
	case pointer:
		before := *(*unsafe.Pointer)(at)
		if r.upTo(1) == 0 {
			*(*unsafe.Pointer)(at) = nil
			return
		}
		to := reflect.New(p.of.t)
		if before != nil {
			to.Elem().Set(valueAt(before, p.of.t))
		}
		*(*unsafe.Pointer)(at) = to.UnsafePointer()
		r.read(p.of, to.UnsafePointer())
	}
}

// slice reads a slice in place of an earlier one. Each element takes at least a byte, which bounds the length.
func (r *reader) slice(of *layout, at *sliceHeader) {
	n := r.upTo(len(r.data))
	if n == 0 {
		*at = sliceHeader{}
		return
	}
	n--
	list := reflect.MakeSlice(of.list, n, n)
	reflect.Copy(list, valueAt(unsafe.Pointer(at), of.list))
	*at = sliceHeader{list.UnsafePointer(), n, n}
	for i := range n {
		r.read(of, at.element(i, of))
	}
}

func (r *reader) words(value []uint64) {
	for i := 0; ; i++ {
		if i += r.upTo(len(value) - i); i == len(value) {
			return
		}
		v, n := binary.Varint(r.data)
		if n <= 0 {
			panic(errCut)
		}
		r.data = r.data[n:]
		value[i] += uint64(v)
	}
}

// valueAt returns the variable of a type at an address.
func valueAt(at unsafe.Pointer, t reflect.Type) reflect.Value { return reflect.NewAt(t, at).Elem() }
