package configs

import (
	"fmt"
	"reflect"
	"strings"
)

// Difference is a key whose values differ between two configurations.
type Difference struct {
	// Key is the key's full name, as --set takes it. Unit is the unit of its values, empty if they have none.
	Key, Unit string
	// A and B are the values as a file has them, empty where a list is too short to have the key.
	A, B string
}

// Diff lists the keys in which two configurations differ, in the order of the schema, and counts the keys of both together. It leaves out
// names and descriptions: they change nothing that is simulated.
func Diff(a, b *Config) (all []Difference, keys int) {
	first, second := leavesOf(a), leavesOf(b)
	// Both have their keys in the same order; where one has a longer list, the other lacks those keys.
	position := map[string]int{}
	for i, l := range second {
		position[l.Key] = i
	}
	add := func(d Difference) {
		if keys++; d.A != d.B {
			all = append(all, d)
		}
	}
	next := 0
	for _, l := range first {
		at, ok := position[l.Key]
		if !ok {
			add(l)
			continue
		}
		for ; next < at; next++ {
			add(Difference{Key: second[next].Key, Unit: second[next].Unit, B: second[next].A})
		}
		next = at + 1
		add(Difference{Key: l.Key, Unit: l.Unit, A: l.A, B: second[at].A})
	}
	for ; next < len(second); next++ {
		add(Difference{Key: second[next].Key, Unit: second[next].Unit, B: second[next].A})
	}
	return all, keys
}

// leavesOf returns a configuration's keys with their units, and their values as A.
func leavesOf(c *Config) (all []Difference) {
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for _, f := range fieldsOf(v.Type()) {
			path, item := joinKey(prefix, f.key), v.Field(f.index)
			switch {
			case path == "name" || path == "description":
			case item.Kind() == reflect.Struct:
				walk(path, item)
			case item.Kind() == reflect.Array:
				for i, name := range arrayKeys(item.Type()) {
					if name != "" {
						walk(joinKey(path, name), item.Index(i))
					}
				}
			case item.Kind() == reflect.Slice && item.Type().Elem().Kind() == reflect.Struct:
				for i := range item.Len() {
					walk(fmt.Sprintf("%s[%d]", path, i), item.Index(i))
				}
			default:
				all = append(all, Difference{Key: path, Unit: f.unit, A: leafText(item, f.unit)})
			}
		}
	}
	walk("", reflect.ValueOf(c).Elem())
	return all
}

// leafText returns a value, or a list of values, as a file has it.
func leafText(v reflect.Value, unit string) string {
	if v.Kind() != reflect.Slice {
		return scalarText(v, unit)
	}
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = scalarText(v.Index(i), unit)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
