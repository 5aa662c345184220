package ptx

import (
	"fmt"
	"reflect"
)

// Difference names the first place where two trees differ, apart from names, texts and positions of their files. It is "" if they are
// equal.
func Difference(a, b *File) string {
	return difference("Statements", reflect.ValueOf(a.Statements), reflect.ValueOf(b.Statements))
}

var positionType = reflect.TypeFor[Position]()

func difference(path string, a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return unequal(path, a.IsNil() == b.IsNil(), a, b)
		}
		if a.Elem().Type() != b.Elem().Type() {
			return unequal(path, false, a, b)
		}
		return difference(path, a.Elem(), b.Elem())
	case reflect.Struct:
		if a.Type() == positionType {
			return ""
		}
		for i := range a.NumField() {
			if d := difference(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Slice:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d elements against %d", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := difference(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
		return ""
	}
	return unequal(path, a.Equal(b), a, b)
}

func unequal(path string, equal bool, a, b reflect.Value) string {
	if equal {
		return ""
	}
	return fmt.Sprintf("%s: %v against %v", path, a, b)
}
