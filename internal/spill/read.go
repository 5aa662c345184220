package spill

import (
	"encoding/binary"
	"errors"
	"reflect"
	"unsafe"
)

// errCut is the error of a file that has fewer bytes than were written, or others.
var errCut = errors.New("what was kept in a temporary file is not what was written")

// reader reads what was written; it panics with errCut where that is not what it was.
type reader struct {
	data  []byte
	names []string
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		panic(errCut)
	}
	r.data = r.data[n:]
	return v
}

// upTo is a number that is at most so large.
func (r *reader) upTo(most int) int {
	n := r.number()
	if n > uint64(most) {
		panic(errCut)
	}
	return int(n)
}

// read completes a value, which is all zero, by what is read, and by what it has in common with another.
func (r *reader) read(l *layout, value, like unsafe.Pointer) {
	for i := range l.parts {
		p := &l.parts[i]
		at, was := unsafe.Add(value, p.offset), unsafe.Add(like, p.offset)
		switch p.kind {
		case words:
			r.words(unsafe.Slice((*uint64)(at), p.count), unsafe.Slice((*uint64)(was), p.count))
		case octets:
			r.bytes(unsafe.Slice((*byte)(at), p.count), unsafe.Slice((*byte)(was), p.count))
		case text:
			if n := r.upTo(len(r.names)); n > 0 {
				*(*string)(at) = r.names[n-1]
			} else {
				*(*string)(at) = *(*string)(was)
			}
		case slice:
			r.slice(p.of, (*sliceHeader)(at), (*sliceHeader)(was))
		case pointer:
			if r.upTo(1) == 0 {
				continue
			}
			before := *(*unsafe.Pointer)(was)
			if before == nil {
				before = p.of.zero
			}
			to := reflect.New(p.of.t).UnsafePointer()
			*(*unsafe.Pointer)(at) = to
			r.read(p.of, to, before)
		}
	}
}

// slice reads a slice. Its elements were written, so that there are no more than bytes and elements without any.
func (r *reader) slice(of *layout, at, was *sliceHeader) {
	n := r.number()
	if n == 0 {
		return
	}
	n--
	if len(of.parts) > 0 && n > uint64(len(r.data)) {
		panic(errCut)
	}
	length := int(n)
	at.data = reflect.MakeSlice(reflect.SliceOf(of.t), length, length).UnsafePointer()
	at.len, at.size = length, length
	for i := range length {
		r.read(of, at.element(i, of), was.element(i, of))
	}
}

func (r *reader) words(value, like []uint64) {
	copy(value, like)
	for i := 0; i < len(value); i++ {
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

func (r *reader) bytes(value, like []byte) {
	copy(value, like)
	for i := 0; i < len(value); i++ {
		if i += r.upTo(len(value) - i); i == len(value) {
			return
		}
		if len(r.data) == 0 {
			panic(errCut)
		}
		value[i], r.data = r.data[0], r.data[1:]
	}
}
