// Package format writes a value in one of several formats, which a user chooses by name.
package format

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table has the formats for a value, by the names that --format takes, the default first.
type Table[T any] []Format[T]

// Format is a way to write a value.
type Format[T any] struct {
	Name  string
	Write func(io.Writer, *T) error
}

// Names returns the formats' names, in their order.
func (t Table[T]) Names() []string {
	names := make([]string, len(t))
	for i, f := range t {
		names[i] = f.Name
	}
	return names
}

// Check returns an error for a name that is no format.
func (t Table[T]) Check(name string) error { return Check(name, t.Names()) }

// Check returns an error for a name that is not among names.
func Check(name string, names []string) error {
	if !slices.Contains(names, name) {
		return fmt.Errorf("--format %s: choose one of %s", name, strings.Join(names, ", "))
	}
	return nil
}

// Write writes a value in the named format.
func (t Table[T]) Write(w io.Writer, name string, v *T) error {
	for _, f := range t {
		if f.Name == name {
			return f.Write(w, v)
		}
	}
	return t.Check(name)
}
