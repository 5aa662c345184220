package checkpoint

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Named is an object that both processes have: a pointer, and what messages call it.
type Named struct {
	Name   string
	Object any
}

// Twin is an object that both processes have, whose contents are saved. Without Save and Load its fields are.
type Twin struct {
	Named
	// Save returns what is saved in place of the fields: a pointer to a value of its own. Load takes such a value.
	Save func() any
	Load func(any) error
}

// World is what a graph of objects stands in.
type World struct {
	// Shared are the roots of what never changes, and is made alike in both processes.
	Shared []Named
	// Fixed are objects whose contents are not saved.
	Fixed []Named
	// Twins are objects whose contents are.
	Twins []Twin
	// Kept are fields that stay as they are in the process that loads, and are zero in objects that it makes, by "package.Type.field", with
	// the reason.
	Kept map[string]string
	// Refused are fields that must be empty, with what is told of the feature that fills them.
	Refused map[string]string
	// Alike are types of objects that are always among the shared: one that is met elsewhere is a mistake of the World.
	Alike []reflect.Type
	// Types are those of values in interfaces that a process does not have before it runs.
	Types []reflect.Type
}

// Unsupported is the error of a graph that holds what cannot be saved.
type Unsupported struct {
	// Field is where it was found, as package.Type.field; What is the feature that fills the field, "" where none is known.
	Field, What string
}

// Error names the feature, or the field.
func (u *Unsupported) Error() string {
	if u.What != "" {
		return "a checkpoint cannot hold " + u.What
	}
	return fmt.Sprintf("a checkpoint cannot hold what %s has: a function, a channel or an address of this process", u.Field)
}

// Problems returns the fields of all types that can be reached from some, by what they are declared as, that can hold what cannot be saved
// and are neither kept nor refused; and those of interfaces, whose contents no declaration tells, that are not among known.
func (w *World) Problems(known map[string]string, roots ...reflect.Type) []string {
	var list []string
	w.declared(func(field string, t reflect.Type) {
		switch t.Kind() {
		case reflect.Func, reflect.Chan, reflect.UnsafePointer:
			list = append(list, field+" is of type "+t.String())
		case reflect.Interface:
			if _, ok := known[field]; !ok {
				list = append(list, field+" is an interface, "+t.String())
			}
		}
	}, roots...)
	slices.Sort(list)
	return list
}

// declared calls a function for each field, of all types that can be reached from some by declarations, that is neither kept nor refused,
// and returns the types.
func (w *World) declared(each func(field string, t reflect.Type), roots ...reflect.Type) map[reflect.Type]bool {
	seen := map[reflect.Type]bool{}
	var visit func(field string, t reflect.Type)
	visit = func(field string, t reflect.Type) {
		if each != nil {
			each(field, t)
		}
		if seen[t] {
			return
		}
		seen[t] = true
		if slices.Contains(w.Alike, t) {
			return
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(field, t.Elem())
		case reflect.Map:
			visit(field, t.Key())
			visit(field, t.Elem())
		case reflect.Struct:
			if t == timeType {
				return
			}
			for i := range t.NumField() {
				f := t.Field(i)
				name := fieldName(t, &f)
				if _, kept := w.Kept[name]; kept {
					continue
				}
				if _, refused := w.Refused[name]; !refused {
					visit(name, f.Type)
				}
			}
		}
	}
	for _, t := range roots {
		visit(t.String(), t)
	}
	return seen
}

// timeType is that of points in time of the host: they become the time at which they are loaded.
var timeType = reflect.TypeFor[time.Time]()

// fieldName is a field as errors and tables have it.
func fieldName(t reflect.Type, f *reflect.StructField) string { return t.String() + "." + f.Name }

// typeName tells types apart: with the whole path of their packages.
func typeName(t reflect.Type) string {
	if t.Name() == "" && t.Kind() == reflect.Pointer {
		return "*" + typeName(t.Elem())
	}
	if t.PkgPath() == "" {
		return t.String()
	}
	return strings.Join([]string{t.PkgPath(), t.Name()}, ".")
}
