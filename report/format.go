package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// formatTable has the ways to write something, by the names that --format takes, the usual one first.
type formatTable[T any] []format[T]

type format[T any] struct {
	name  string
	write func(io.Writer, *T) error
}

func (t formatTable[T]) names() []string {
	names := make([]string, len(t))
	for i, f := range t {
		names[i] = f.name
	}
	return names
}

// check refuses a name that is no format.
func (t formatTable[T]) check(name string) error {
	if names := t.names(); !slices.Contains(names, name) {
		return fmt.Errorf("--format %s is none of %s", name, strings.Join(names, ", "))
	}
	return nil
}

func (t formatTable[T]) write(w io.Writer, name string, v *T) error {
	for _, f := range t {
		if f.name == name {
			return f.write(w, v)
		}
	}
	return t.check(name)
}
