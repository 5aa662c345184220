package checkpoint

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Named is an object that both processes have: a pointer, and its name for messages.
type Named struct {
	Name   string
	Object any
}

// Twin is an object that both processes have, whose contents are saved: its fields, unless Save and Load are set.
type Twin struct {
	Named
	// Save returns a pointer to a value that is saved in place of the fields. Load restores from such a value.
	Save func() any
	Load func(any) error
}

// World is the surroundings of a graph of objects.
type World struct {
	// Shared are the roots of constant objects that both processes make alike.
	Shared []Named
	// Fixed are objects whose contents are not saved.
	Fixed []Named
	// Twins are objects whose contents are saved.
	Twins []Twin
	// Kept are fields that the loading process keeps, and that are zero in objects that it makes, by "package.Type.field", with the reason.
	Kept map[string]string
	// Refused are fields that must be empty, with the name of the feature that fills them.
	Refused map[string]string
	// Alike are types of objects that are always shared: another one is a mistake of the World.
	Alike []reflect.Type
	// Types are types of values in interfaces that a process does not have before it runs.
	Types []reflect.Type
}

// Unsupported is the error of a value that cannot be saved.
type Unsupported struct {
	// Field is its field, as package.Type.field. What is the feature that fills the field, "" if unknown.
	Field, What string
}

// Error names the feature, or the field.
func (u *Unsupported) Error() string {
	if u.What != "" {
		return "a checkpoint cannot hold " + u.What
	}
	return fmt.Sprintf("a checkpoint cannot hold what %s has: a function, a channel or an address of this process", u.Field)
}

// Problems returns the fields of all types that declarations can reach from some roots whose values cannot be saved, unless kept or
// refused. It also returns interface fields that are not among known, because declarations do not say what they contain.
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

// declared calls a function for each field, neither kept nor refused, of all types that declarations can reach from some roots, and returns
// the types.
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

// timeType is the type of the host's times: they become the time of loading.
var timeType = reflect.TypeFor[time.Time]()

// fieldName returns a field's name in errors and tables.
func fieldName(t reflect.Type, f *reflect.StructField) string { return t.String() + "." + f.Name }

// typeName returns a unique name of a type, with the whole path of its package.
func typeName(t reflect.Type) string {
	if t.Name() == "" && t.Kind() == reflect.Pointer {
		return "*" + typeName(t.Elem())
	}
	if t.PkgPath() == "" {
		return t.String()
	}
	return strings.Join([]string{t.PkgPath(), t.Name()}, ".")
}
