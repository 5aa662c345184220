package spill

import (
	"encoding/binary"
	"unsafe"
)

// names are the strings of a list, each with a number by which it is written.
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

// write appends what a value has that another of its type has not.
func (l *layout) write(out []byte, value, like unsafe.Pointer, names *names) []byte {
	for i := range l.parts {
		p := &l.parts[i]
		at, was := unsafe.Add(value, p.offset), unsafe.Add(like, p.offset)
		switch p.kind {
		case words:
			out = writeWords(out, unsafe.Slice((*uint64)(at), p.count), unsafe.Slice((*uint64)(was), p.count))
		case octets:
			out = writeBytes(out, unsafe.Slice((*byte)(at), p.count), unsafe.Slice((*byte)(was), p.count))
		case text:
			if s := *(*string)(at); s == *(*string)(was) {
				out = append(out, 0)
			} else {
				out = binary.AppendUvarint(out, names.of(s)+1)
			}
		case slice:
			list, before := (*sliceHeader)(at), (*sliceHeader)(was)
			if list.data == nil {
				out = append(out, 0)
				continue
			}
			out = binary.AppendUvarint(out, uint64(list.len)+1)
			for i := range list.len {
				out = p.of.write(out, list.element(i, p.of), before.element(i, p.of), names)
			}
		case pointer:
			to, before := *(*unsafe.Pointer)(at), *(*unsafe.Pointer)(was)
			if to == nil {
				out = append(out, 0)
				continue
			}
			if before == nil {
				before = p.of.zero
			}
			out = p.of.write(append(out, 1), to, before, names)
		}
	}
	return out
}

// writeWords appends the words that differ, each behind how many do not, as their differences.
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
	if same > 0 {
		out = binary.AppendUvarint(out, uint64(same))
	}
	return out
}

// writeBytes appends the bytes that differ, each behind how many do not.
func writeBytes(out, value, like []byte) []byte {
	same := 0
	for i, v := range value {
		if v == like[i] {
			same++
			continue
		}
		out = append(binary.AppendUvarint(out, uint64(same)), v)
		same = 0
	}
	if same > 0 {
		out = binary.AppendUvarint(out, uint64(same))
	}
	return out
}
