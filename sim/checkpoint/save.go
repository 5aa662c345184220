package checkpoint

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"unsafe"
)

// ground is the objects of both processes: pointers to them are not saved as values.
type ground struct {
	*layouts
	twins []Twin
	// shared has all regions of constant objects. own has the fixed objects, then the twins.
	shared, own regions
	// fixed is how many of own are fixed.
	fixed int
}

// ground walks the constant objects and lists the twins.
func (w *World) ground() (*ground, error) {
	g := &ground{layouts: &layouts{world: w, made: map[reflect.Type]*layout{}}, twins: w.Twins}
	add := func(n Named) error {
		v := reflect.ValueOf(n.Object)
		if v.Kind() != reflect.Pointer || v.IsNil() {
			return fmt.Errorf("%s is not a pointer to an object", n.Name)
		}
		g.own.add(region{v.UnsafePointer(), v.Type().Elem(), 1})
		return nil
	}
	for _, n := range w.Fixed {
		if err := add(n); err != nil {
			return nil, err
		}
	}
	g.fixed = len(w.Fixed)
	for _, t := range w.Twins {
		if err := add(t.Named); err != nil {
			return nil, err
		}
	}
	walk := g.walker(&g.own)
	for _, n := range w.Shared {
		v := reflect.ValueOf(n.Object)
		walk.reach(v.UnsafePointer(), v.Type().Elem(), 1)
		walk.run() // one root after another, in the order of the list
	}
	g.shared.list = walk.found
	return g, nil
}

// shape hashes the types of constant objects, in order: equal in two processes that made them alike.
func (g *ground) shape() uint64 {
	h := fnv.New64a()
	for i := range g.shared.list {
		fmt.Fprintln(h, typeName(g.shared.list[i].t), g.shared.list[i].count)
	}
	return h.Sum64()
}

// saver writes a graph.
type saver struct {
	*ground
	saved  regions // saved regions besides the twins
	maps   []reflect.Value
	mapped map[unsafe.Pointer]int
	types  map[reflect.Type]uint64
	names  []reflect.Type
	out    []byte
	err    error
}

// Save returns the contents of the twins, and of everything that they lead to.
func (w *World) Save() ([]byte, error) {
	g, err := w.ground()
	if err != nil {
		return nil, err
	}
	s := &saver{ground: g, types: map[reflect.Type]uint64{}}
	roots := make([]any, len(g.twins))
	walk := g.walker(&g.shared, &g.own)
	walk.strict = true
	for i, t := range g.twins {
		if t.Save != nil {
			roots[i] = t.Save()
			walk.reach(reflect.ValueOf(roots[i]).UnsafePointer(), reflect.TypeOf(roots[i]).Elem(), 1)
		} else {
			walk.values(g.own.list[g.fixed+i])
		}
	}
	if walk.run(); walk.err != nil {
		return nil, walk.err
	}
	s.saved.list, s.maps, s.mapped = merge(walk.found), walk.maps, walk.mapped
	s.graph(roots)
	if s.err != nil {
		return nil, s.err
	}
	// The types come first, but are known only now.
	contents := s.out
	s.out = nil
	s.number(g.shape())
	s.number(uint64(len(g.shared.list)))
	s.number(uint64(len(g.own.list)))
	s.number(uint64(len(s.names)))
	for _, t := range s.names {
		s.text(typeName(t))
		s.number(uint64(t.Size()))
	}
	return append(s.out, contents...), s.err
}

// graph writes the types and counts of the saved regions and maps, then their contents.
func (s *saver) graph(roots []any) {
	s.number(uint64(len(s.saved.list)))
	for i := range s.saved.list {
		s.typeOf(s.saved.list[i].t)
		s.number(uint64(s.saved.list[i].count))
	}
	s.number(uint64(len(s.maps)))
	for _, m := range s.maps {
		s.typeOf(m.Type())
		s.number(uint64(m.Len()))
	}
	for i := range s.saved.list {
		s.region(s.saved.list[i])
	}
	for _, m := range s.maps {
		key, value := s.of(m.Type().Key()), s.of(m.Type().Elem())
		keys := m.MapKeys()
		sortKeys(keys)
		for _, k := range keys {
			s.value(copied(k), key)
			s.value(copied(m.MapIndex(k)), value)
		}
	}
	for i, t := range s.twins {
		if t.Save != nil {
			s.pointer(reflect.ValueOf(roots[i]).UnsafePointer())
		} else {
			s.region(s.own.list[s.fixed+i])
		}
	}
}

// merge turns the targets of pointers and slices into regions that do not overlap. A target inside a larger one is part of it, and slices
// that overlap are of one array.
func merge(found []region) []region {
	// Of two at the same address the one that contains the other comes first.
	slices.SortFunc(found, func(a, b region) int {
		if order := cmp.Or(cmp.Compare(uintptr(a.at), uintptr(b.at)), cmp.Compare(b.end(), a.end())); order != 0 || a.t == b.t {
			return order
		}
		if holds(a.t, 0, b.t) {
			return -1
		}
		return 1
	})
	var list []region
	for _, g := range found {
		n := len(list) - 1
		switch {
		case n < 0 || uintptr(g.at) >= list[n].end():
			list = append(list, g)
		case g.end() > list[n].end():
			list[n].count += int((g.end() - list[n].end()) / g.t.Size())
		}
	}
	return list
}

func (s *saver) number(n uint64) { s.out = binary.AppendUvarint(s.out, n) }

func (s *saver) text(t string) {
	s.number(uint64(len(t)))
	s.out = append(s.out, t...)
}

func (s *saver) typeOf(t reflect.Type) {
	n, ok := s.types[t]
	if !ok {
		n = uint64(len(s.names))
		s.types[t] = n
		s.names = append(s.names, t)
	}
	s.number(n)
}

func (s *saver) region(g region) {
	l := s.of(g.t)
	if l.flat {
		s.out = append(s.out, unsafe.Slice((*byte)(g.at), g.size())...)
		return
	}
	for i := range g.count {
		s.value(unsafe.Add(g.at, uintptr(i)*g.t.Size()), l)
	}
}

// Targets of a pointer.
const (
	toNothing = iota
	toEmpty   // an empty slice that is not nil, a pointer to a value without size
	toShared
	toOwn
	toSaved
)

// pointer writes the target of a pointer: its region and the offset.
func (s *saver) pointer(at unsafe.Pointer) {
	if at == nil {
		s.number(toNothing)
		return
	}
	for kind, in := range [...]*regions{&s.shared, &s.own, &s.saved} {
		if number, offset := in.find(at); number >= 0 {
			s.number(uint64(toShared + kind))
			s.number(uint64(number))
			s.number(uint64(offset))
			return
		}
	}
	s.fail(errors.New("simulator bug: a checkpoint met a pointer to what its walk did not"))
}

func (s *saver) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// value writes a value.
func (s *saver) value(at unsafe.Pointer, l *layout) {
	if l.flat {
		s.out = append(s.out, unsafe.Slice((*byte)(at), l.t.Size())...)
		return
	}
	switch l.t.Kind() {
	case reflect.Struct:
		for i := range l.fields {
			if f := &l.fields[i]; !f.refuse {
				s.value(unsafe.Add(at, f.offset), f.layout)
			}
		}
	case reflect.Array:
		for i := range l.t.Len() {
			s.value(unsafe.Add(at, uintptr(i)*l.element.t.Size()), l.element)
		}
	case reflect.String:
		s.text(*(*string)(at))
	case reflect.Pointer:
		if to := *(*unsafe.Pointer)(at); to != nil && l.element.t.Size() == 0 {
			s.number(toEmpty)
		} else {
			s.pointer(to)
		}
	case reflect.Slice:
		s.slice((*sliceHeader)(at), l)
	case reflect.Map:
		m := valueAt(at, l.t)
		if m.IsNil() {
			s.number(0)
			return
		}
		s.number(1 + uint64(s.mapped[m.UnsafePointer()]))
	case reflect.Interface:
		v := valueAt(at, l.t).Elem()
		if !v.IsValid() {
			s.number(0)
			return
		}
		s.number(1)
		s.typeOf(v.Type())
		s.value(copied(v), s.of(v.Type()))
	case reflect.Func, reflect.Chan, reflect.UnsafePointer: // nil: the walk has checked it
	}
}

// slice writes the target of a slice and its length. Capacity beyond all slices is left out.
func (s *saver) slice(h *sliceHeader, l *layout) {
	switch {
	case h.data == nil:
		s.number(toNothing)
	case h.len == 0 || l.element.t.Size() == 0:
		s.number(toEmpty)
		s.number(uint64(h.len))
	default:
		s.pointer(h.data)
		s.number(uint64(h.len))
		s.number(uint64(h.size))
	}
}
