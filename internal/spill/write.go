package spill

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// names numbers the strings of a list; a string is written as its number.
type names struct {
	list   []string
	number map[string]uint64
}

func (n *names) of(s string) uint64 {
	number, ok := n.number[s]
	if !ok {
		number = uint64(len(n.list))
		n.list, n.number[s] = append(n.list, s), number
	}
	return number
}

// write appends the parts of value that differ from like. In front of each is the number of equal parts skipped, and so at the end.
func (l *layout) write(out []byte, value, previous unsafe.Pointer, names *names) []byte {
	alike := 0
	for i := range l.parts {
		p := &l.parts[i]
		at, was := unsafe.Add(value, p.offset), unsafe.Add(previous, p.offset)
		if p.alike(at, was) {
			alike++
			continue
		}
		out = p.write(binary.AppendUvarint(out, uint64(alike)), at, was, names)
		alike = 0
	}
	return binary.AppendUvarint(out, uint64(alike))
}

// alike reports whether two values are equal, including everything that they point to.
func (l *layout) alike(a, b unsafe.Pointer) bool {
	for i := range l.parts {
		p := &l.parts[i]
		if !p.alike(unsafe.Add(a, p.offset), unsafe.Add(b, p.offset)) {
			return false
		}
	}
	return true
}

func (p *part) alike(a, b unsafe.Pointer) bool {
	switch p.kind {
	case words:
		return slices.Equal(unsafe.Slice((*uint64)(a), p.count), unsafe.Slice((*uint64)(b), p.count))
	case octets:
		return string(unsafe.Slice((*byte)(a), p.count)) == string(unsafe.Slice((*byte)(b), p.count))
	case text:
		return *(*string)(a) == *(*string)(b)
	case slice:
		return p.of.alikeSlices((*sliceHeader)(a), (*sliceHeader)(b))
	}
	x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
	return x == y || x != nil && y != nil && p.of.alike(x, y)
}

// alikeSlices reports whether two slices of such values are equal. A nil slice differs from an empty one.
func (l *layout) alikeSlices(a, b *sliceHeader) bool {
	if a.len != b.len || (a.data == nil) != (b.data == nil) {
		return false
	}
	if a.data == b.data {
		return true
	}
	for i := range a.len {
		if !l.alike(a.element(i, l), b.element(i, l)) {
			return false
		}
	}
	return true
}

// write appends a part that differs from an earlier one.
func (p *part) write(out []byte, at, was unsafe.Pointer, names *names) []byte {
	switch p.kind {
	case words:
		return writeWords(out, unsafe.Slice((*uint64)(at), p.count), unsafe.Slice((*uint64)(was), p.count))
	case octets:
		return append(out, unsafe.Slice((*byte)(at), p.count)...)
	case text:
		return binary.AppendUvarint(out, names.of(*(*string)(at)))
	case slice:
		list, before := (*sliceHeader)(at), (*sliceHeader)(was)
		if list.data == nil {
			return append(out, 0)
		}
		out = binary.AppendUvarint(out, uint64(list.len)+1)
		for i := range list.len {
			out = p.of.write(out, list.element(i, p.of), before.element(i, p.of), names)
		}
		return out
	}
	to, before := *(*unsafe.Pointer)(at), *(*unsafe.Pointer)(was)
	if to == nil {
		return append(out, 0)
	}
	if before == nil {
		before = p.of.zero
	}
	return p.of.write(append(out, 1), to, before, names)
}

// writeWords appends the words that differ, as differences. In front of each is the number of equal words skipped, and so at the end.
func writeWords(out []byte, value, like []uint64) []byte {
	same := 0
	for i, v := range value {
		if v == like[i] {
			same++
			continue
		}
		out = binary.AppendUvarint(out, uint64(same))
		out = binary.AppendVarint(out, int64(v-like[i]))
		same = 0
	}
	return binary.AppendUvarint(out, uint64(same))
}
