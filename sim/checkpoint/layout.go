package checkpoint

import (
	"reflect"
	"unsafe"
)

// layout is the layout of a type's values in memory.
type layout struct {
	t    reflect.Type
	flat bool // no references: its bytes are its value
	// fields are a struct's fields that are not kept, in order.
	fields []field
	// element is the element of an array, slice or pointer.
	element *layout
}

// field is a field of a struct.
type field struct {
	offset uintptr
	name   string
	what   string // the feature that fills a field that must be empty
	refuse bool
	*layout
}

// layouts makes each type's layout once.
type layouts struct {
	world *World
	made  map[reflect.Type]*layout
}

func (l *layouts) of(t reflect.Type) *layout {
	if m := l.made[t]; m != nil {
		return m
	}
	m := &layout{t: t}
	l.made[t] = m
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		m.flat = true
	case reflect.Array:
		m.element = l.of(t.Elem())
		m.flat = m.element.flat
	case reflect.Pointer, reflect.Slice:
		m.element = l.of(t.Elem())
	case reflect.Struct:
		m.flat = t != timeType
		for i := range t.NumField() {
			f := t.Field(i)
			name := fieldName(t, &f)
			if _, kept := l.world.Kept[name]; kept || t == timeType {
				m.flat = false
				continue
			}
			what, refuse := l.world.Refused[name]
			own := l.of(f.Type)
			m.flat = m.flat && own.flat && !refuse
			m.fields = append(m.fields, field{f.Offset, name, what, refuse, own})
		}
	}
	return m
}

// holds reports whether an array of one type has a value of another type at an offset in bytes.
func holds(outer reflect.Type, offset uintptr, inner reflect.Type) bool {
	for {
		size := outer.Size()
		if size == 0 {
			return false
		}
		offset %= size
		if offset == 0 && outer == inner {
			return true
		}
		switch outer.Kind() {
		case reflect.Array:
			outer = outer.Elem()
		case reflect.Struct:
			i := outer.NumField() - 1
			for i >= 0 && (outer.Field(i).Offset > offset || outer.Field(i).Type.Size() == 0) {
				i--
			}
			if i < 0 {
				return false
			}
			f := outer.Field(i)
			offset -= f.Offset
			if outer = f.Type; offset >= outer.Size() {
				return false
			}
		default:
			return false
		}
	}
}

// sliceHeader is Go's layout of a slice.
type sliceHeader struct {
	data      unsafe.Pointer
	len, size int
}

// valueAt returns the variable of a type at an address.
func valueAt(at unsafe.Pointer, t reflect.Type) reflect.Value { return reflect.NewAt(t, at).Elem() }

// copied returns the address of a copy of a value, which need not be addressable.
func copied(v reflect.Value) unsafe.Pointer {
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return c.UnsafePointer()
}
