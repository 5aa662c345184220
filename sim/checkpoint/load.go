package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unsafe"
)

// ErrOther is wrapped by the error of a checkpoint whose objects differ from this process's.
var ErrOther = errors.New("the checkpoint is of another program or other inputs")

// damage is a loader's panic about its input.
type damage struct{ error }

// loader reads a graph.
type loader struct {
	*ground
	in    []byte
	types []reflect.Type
	saved []region
	keep  []reflect.Value // keeps saved alive
	maps  []reflect.Value
	sizes []int // entries of each map
}

// Load restores the twins. After an error they must not be used any more.
func (w *World) Load(data []byte) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			d, ok := cause.(damage)
			if !ok {
				d = damage{fmt.Errorf("%v", cause)}
			}
			err = fmt.Errorf("the checkpoint is damaged: %w", d.error)
		}
	}()
	g, err := w.ground()
	if err != nil {
		return err
	}
	l := &loader{ground: g, in: data}
	if l.number() != g.shape() || l.number() != uint64(len(g.shared.list)) || l.number() != uint64(len(g.own.list)) {
		return ErrOther
	}
	l.readTypes(w.known(g))
	l.make()
	for i := range l.saved {
		l.region(l.saved[i])
	}
	for i, m := range l.maps {
		l.entries(m, l.sizes[i])
	}
	var then []func() error
	for i, t := range l.twins {
		if t.Load == nil {
			l.region(l.own.list[l.fixed+i])
			continue
		}
		kind := l.number()
		g, offset := l.place(kind)
		if kind != toSaved || offset != 0 {
			l.fail("a twin without its state")
		}
		state := reflect.NewAt(g.t, g.at).Interface()
		then = append(then, func() error { return t.Load(state) })
	}
	for _, f := range then {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// known returns the possible types of values: those in declarations, pointers to them, and those in interfaces of this process's objects.
func (w *World) known(g *ground) map[string]reflect.Type {
	roots := append([]reflect.Type(nil), w.Types...)
	walk := g.walker()
	for i, t := range g.twins {
		own := g.own.list[g.fixed+i]
		roots = append(roots, own.t)
		walk.values(own)
		if t.Save != nil {
			roots = append(roots, reflect.TypeOf(t.Save()))
		}
	}
	walk.run()
	for t := range walk.types {
		roots = append(roots, t)
	}
	known := map[string]reflect.Type{}
	for t := range w.declared(nil, roots...) {
		known[typeName(t)], known["*"+typeName(t)] = t, reflect.PointerTo(t)
	}
	return known
}

func (l *loader) fail(format string, arguments ...any) {
	panic(damage{fmt.Errorf(format, arguments...)})
}

func (l *loader) number() uint64 {
	n, size := binary.Uvarint(l.in)
	if size <= 0 {
		l.fail("it ends too early")
	}
	l.in = l.in[size:]
	return n
}

// count reads the number of items that take at least a byte each.
func (l *loader) count() int {
	n := l.number()
	if n > uint64(len(l.in)) {
		l.fail("it says %d where %d bytes are left", n, len(l.in))
	}
	return int(n)
}

func (l *loader) bytes(n uintptr) []byte {
	if n > uintptr(len(l.in)) {
		l.fail("it ends too early")
	}
	b := l.in[:n]
	l.in = l.in[n:]
	return b
}

func (l *loader) readTypes(known map[string]reflect.Type) {
	for range l.count() {
		name := string(l.bytes(uintptr(l.count())))
		t, size := known[name], l.number()
		if t == nil || uint64(t.Size()) != size {
			l.fail("it has values of type %s, of %d bytes, which this process does not know", name, size)
		}
		l.types = append(l.types, t)
	}
}

func (l *loader) typeOf() reflect.Type {
	n := l.number()
	if n >= uint64(len(l.types)) {
		l.fail("type %d of %d", n, len(l.types))
	}
	return l.types[n]
}

// largest is how many bytes of memory a byte of a checkpoint can make: a slice that is nil.
const largest = 24

// make allocates everything, so that pointers have targets.
func (l *loader) make() {
	total := uint64(0)
	for range l.count() {
		t, n := l.typeOf(), l.number()
		if size := uint64(t.Size()); size == 0 || n == 0 || n > uint64(len(l.in))*largest/size {
			l.fail("%d values of %d bytes where %d bytes are left", n, size, len(l.in))
		}
		if total += n * uint64(t.Size()); total > uint64(len(l.in))*largest {
			l.fail("it asks for more memory than it can fill")
		}
		v := reflect.MakeSlice(reflect.SliceOf(t), int(n), int(n))
		l.keep = append(l.keep, v)
		l.saved = append(l.saved, region{v.UnsafePointer(), t, int(n)})
	}
	for range l.count() {
		t, n := l.typeOf(), l.count()
		if t.Kind() != reflect.Map {
			l.fail("%s is no map", t)
		}
		m := reflect.New(t).Elem()
		m.Set(reflect.MakeMapWithSize(t, n))
		l.maps = append(l.maps, m)
		l.sizes = append(l.sizes, n)
	}
}

// entries reads n entries of a map.
func (l *loader) entries(m reflect.Value, n int) {
	t := m.Type()
	key, value := l.of(t.Key()), l.of(t.Elem())
	for range n {
		k, v := reflect.New(t.Key()), reflect.New(t.Elem())
		l.value(k.UnsafePointer(), key)
		l.value(v.UnsafePointer(), value)
		m.SetMapIndex(k.Elem(), v.Elem())
	}
}

func (l *loader) region(g region) {
	own := l.of(g.t)
	if own.flat {
		copy(unsafe.Slice((*byte)(g.at), g.size()), l.bytes(g.size()))
		return
	}
	for i := range g.count {
		l.value(unsafe.Add(g.at, uintptr(i)*g.t.Size()), own)
	}
}

// place reads the region and offset of a pointer of a kind.
func (l *loader) place(kind uint64) (g region, offset uintptr) {
	if kind < toShared || kind > toSaved {
		l.fail("%d is not a kind of pointer", kind)
	}
	list := [][]region{l.shared.list, l.own.list, l.saved}[kind-toShared]
	n, o := l.number(), l.number()
	if n >= uint64(len(list)) || o >= uint64(list[n].size()) {
		l.fail("a pointer leads to byte %d of object %d of %d", o, n, len(list))
	}
	return list[n], uintptr(o)
}

// value reads a value.
func (l *loader) value(at unsafe.Pointer, own *layout) {
	if own.flat {
		copy(unsafe.Slice((*byte)(at), own.t.Size()), l.bytes(own.t.Size()))
		return
	}
	switch own.t.Kind() {
	case reflect.Struct:
		if own.t == timeType {
			valueAt(at, timeType).Set(reflect.ValueOf(time.Now()))
		}
		for i := range own.fields {
			if f := &own.fields[i]; !f.refuse {
				l.value(unsafe.Add(at, f.offset), f.layout)
			}
		}
	case reflect.Array:
		for i := range own.t.Len() {
			l.value(unsafe.Add(at, uintptr(i)*own.element.t.Size()), own.element)
		}
	case reflect.String:
		*(*string)(at) = string(l.bytes(uintptr(l.count())))
	case reflect.Pointer:
		l.reference(at, own)
	case reflect.Slice:
		l.slice((*sliceHeader)(at), own)
	case reflect.Map:
		v := valueAt(at, own.t)
		n := l.number()
		switch {
		case n == 0:
			v.SetZero()
		case n > uint64(len(l.maps)) || l.maps[n-1].Type() != own.t:
			l.fail("map %d is no %s", n, own.t)
		default:
			v.Set(l.maps[n-1])
		}
	case reflect.Interface:
		l.boxed(valueAt(at, own.t))
	case reflect.Func, reflect.Chan, reflect.UnsafePointer: // they were nil
		valueAt(at, own.t).SetZero()
	}
}

// reference reads a pointer.
func (l *loader) reference(at unsafe.Pointer, own *layout) {
	kind := l.number()
	switch kind {
	case toNothing:
		*(*unsafe.Pointer)(at) = nil
		return
	case toEmpty:
		*(*unsafe.Pointer)(at) = reflect.New(own.element.t).UnsafePointer()
		return
	}
	g, offset := l.place(kind)
	if !holds(g.t, offset, own.element.t) {
		l.fail("a pointer to %s leads to byte %d of %s", own.element.t, offset, g.t)
	}
	*(*unsafe.Pointer)(at) = unsafe.Add(g.at, offset)
}

// slice reads a slice.
func (l *loader) slice(h *sliceHeader, own *layout) {
	kind := l.number()
	switch kind {
	case toNothing:
		*h = sliceHeader{}
		return
	case toEmpty:
		n := l.number()
		if n > 0 && own.element.t.Size() > 0 || n > 1<<40 {
			l.fail("a slice of %d without a place", n)
		}
		v := reflect.MakeSlice(reflect.SliceOf(own.element.t), int(n), int(n))
		*h = sliceHeader{v.UnsafePointer(), int(n), int(n)}
		return
	}
	g, offset := l.place(kind)
	n, room := l.number(), l.number()
	size := own.element.t.Size()
	fits := uint64((g.size() - offset) / size)
	if n > fits || room < n || !holds(g.t, offset, own.element.t) || n > 1 && !side(g.t, offset, n, own.element.t) {
		l.fail("a slice of %d %s at byte %d of %d %s", n, own.element.t, offset, g.count, g.t)
	}
	*h = sliceHeader{unsafe.Add(g.at, offset), int(n), int(min(room, fits))}
	if g.t != own.element.t {
		h.size = int(n) // it is of an array in a larger object
	}
}

// side reports whether n values of a type are adjacent from an offset on in values of another.
func side(outer reflect.Type, offset uintptr, n uint64, inner reflect.Type) bool {
	if outer == inner {
		return offset%inner.Size() == 0
	}
	for i := range n {
		if !holds(outer, offset+uintptr(i)*inner.Size(), inner) {
			return false
		}
	}
	return true
}

// boxed reads the value of an interface.
func (l *loader) boxed(v reflect.Value) {
	if l.number() == 0 {
		v.SetZero()
		return
	}
	t := l.typeOf()
	if !t.AssignableTo(v.Type()) {
		l.fail("a value of type %s where a %s belongs", t, v.Type())
	}
	c := reflect.New(t)
	l.value(c.UnsafePointer(), l.of(t))
	v.Set(c.Elem())
}
