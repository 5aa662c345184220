package configs

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/internal/registry"
)

// Key is one leaf of the schema.
type Key struct {
	// Path is the key's full name, as --set takes it: smx.count. Elements of a list are written [].
	Path string
	// Unit is the unit of the value, empty if it has none.
	Unit string
	// Kind is int, float, bool, text, int list, or the name of an enumeration.
	Kind string
	// Check says which values are possible, as in the struct's tag.
	Check string
	// Field is the Go field behind the key: STRUCT.FIELD.
	Field string
	of    reflect.Type
}

// TakesParameters reports whether the key names a policy, whose parameters are keys below it: smx.scheduler.group.
func (k Key) TakesParameters() bool { return k.of == policyType }

// Keys returns all leaves of the schema, in the order of the structs.
func Keys() []Key {
	var keys []Key
	walkSchema("", reflect.TypeFor[Config](), func(k Key) { keys = append(keys, k) })
	return keys
}

var (
	capabilityType = reflect.TypeFor[arch.Capability]()
	unitType       = reflect.TypeFor[ExecutionUnit]()
	policyType     = reflect.TypeFor[Policy]()
)

// walkSchema calls leaf for each leaf under a struct type.
func walkSchema(prefix string, t reflect.Type, leaf func(Key)) {
	for _, f := range fieldsOf(t) {
		path := joinKey(prefix, f.key)
		switch ft := t.Field(f.index).Type; {
		case ft.Kind() == reflect.Struct:
			walkSchema(path, ft, leaf)
		case ft.Kind() == reflect.Array:
			for _, name := range arrayKeys(ft) {
				if name != "" {
					walkSchema(joinKey(path, name), ft.Elem(), leaf)
				}
			}
		case ft.Kind() == reflect.Slice && ft.Elem().Kind() == reflect.Struct:
			walkSchema(path+"[]", ft.Elem(), leaf)
		default:
			leaf(Key{Path: path, Unit: f.unit, Kind: kindName(ft), Check: f.check, Field: t.Name() + "." + t.Field(f.index).Name, of: ft})
		}
	}
}

func kindName(t reflect.Type) string {
	switch {
	case t == capabilityType:
		return "compute capability"
	case t == unitType:
		return "execution unit"
	case t.Kind() == reflect.Slice:
		return kindName(t.Elem()) + " list"
	case t.Kind() == reflect.Float64:
		return "float"
	case t.Kind() == reflect.String:
		return "text"
	default:
		return t.Kind().String()
	}
}

// structField is a field of a section with its tags.
type structField struct {
	index            int // into the struct's fields
	key, unit, check string
	rule             rule // check, parsed
}

// sections caches the fields of each section's type.
var sections sync.Map // reflect.Type to []structField

// fieldsOf returns the exported fields of a section. The slice is shared: callers must not change it.
func fieldsOf(t reflect.Type) []structField {
	if known, ok := sections.Load(t); ok {
		return known.([]structField)
	}
	fields := make([]structField, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		if key := f.Tag.Get("yaml"); f.IsExported() && key != "" {
			check := f.Tag.Get("check")
			if words := enumerations[f.Type]; words != nil {
				check = "oneof=" + strings.Join(words, "|")
			}
			fields = append(fields, structField{i, key, f.Tag.Get("unit"), check, parseRule(check)})
		}
	}
	sections.Store(t, fields)
	return fields
}

// arrayKeys returns the keys of an array of Operation or Unit, by index.
func arrayKeys(t reflect.Type) []string {
	if t.Elem() == reflect.TypeFor[Unit]() {
		return executionUnitNames[:]
	}
	return operationClassNames[:]
}

func joinKey(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

// rule is a parsed check tag.
type rule struct {
	min, max       float64
	powerOfTwo     bool
	multiple, size int
	oneOf          []string
	policy         string // the kind of policy that the key takes
}

// parseRule reads a check tag, and panics on a malformed one.
func parseRule(check string) rule {
	r := rule{min: math.Inf(-1), max: math.Inf(1)}
	if check == "" {
		return r
	}
	for part := range strings.SplitSeq(check, ",") {
		name, arg, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "min":
			r.min, err = strconv.ParseFloat(arg, 64)
		case "max":
			r.max, err = strconv.ParseFloat(arg, 64)
		case "multiple":
			r.multiple, err = strconv.Atoi(arg)
		case "len":
			r.size, err = strconv.Atoi(arg)
		case "pow2":
			r.powerOfTwo = true
		case "policy":
			r.policy = arg
		case "oneof":
			r.oneOf = strings.Split(arg, "|")
		default:
			err = fmt.Errorf("unknown rule")
		}
		if err != nil {
			panic(fmt.Sprintf("configs: check tag %q: %v", part, err))
		}
	}
	return r
}

// number returns what is wrong with a number, "" if nothing is.
func (r rule) number(x float64, unit string) string {
	if unit != "" {
		unit = " " + unit
	}
	switch {
	case x < r.min:
		return fmt.Sprintf("%s is less than %s%s, the least possible", plain(x), plain(r.min), unit)
	case x > r.max:
		return fmt.Sprintf("%s is more than %s%s, the most possible", plain(x), plain(r.max), unit)
	case r.powerOfTwo && int64(x)&(int64(x)-1) != 0:
		return fmt.Sprintf("%s is not a power of two", plain(x))
	case r.multiple > 0 && int64(x)%int64(r.multiple) != 0:
		return fmt.Sprintf("%s is not a multiple of %d", plain(x), r.multiple)
	}
	return ""
}

// word returns what is wrong with a word, "" if nothing is.
func (r rule) word(s string) string {
	words := r.words()
	if words == nil {
		if s == "" {
			return "is empty"
		}
		return ""
	}
	for _, one := range words {
		if s == one {
			return ""
		}
	}
	message := fmt.Sprintf("%q: choose one of %s", s, strings.Join(words, ", "))
	if near, ok := nearest(s, words); ok {
		message += fmt.Sprintf("; did you mean %s?", near)
	}
	return message
}

// words returns the possible words, nil if any word is possible. Names of policies are those registered in this program.
func (r rule) words() []string {
	if r.policy != "" {
		return registry.Names(r.policy)
	}
	return r.oneOf
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Words returns the words that a key can have, nil if any word is possible.
func (k Key) Words() []string { return parseRule(k.Check).words() }
