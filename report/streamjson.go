package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"reflect"
	"strings"
)

// streamJSON writes a value as json.Encoder does with two spaces of indentation, but piece by piece: member by member, and element by
// element of lists. So only one element's text is in memory at a time, such as one of thousands of launches.
func streamJSON(w io.Writer, v any) error {
	out := bufio.NewWriter(w)
	if err := streamValue(out, reflect.ValueOf(v), "", 2); err != nil {
		return err
	}
	out.WriteByte('\n')
	return out.Flush()
}

// elements is a list whose elements are made when they are written.
type elements interface {
	length() int
	all() iter.Seq[any]
	// depth is how many levels of structs and lists of an element are streamed.
	depth() int
}

// streamValue writes a value in a line with an indentation. It streams depth levels of structs and lists.
func streamValue(out *bufio.Writer, v reflect.Value, indentation string, depth int) error {
	inner := indentation + "  "
	if list, ok := v.Interface().(elements); ok {
		written := 0
		for element := range list.all() {
			separate(out, '[', written, inner)
			written++
			if err := streamValue(out, reflect.ValueOf(element), inner, list.depth()); err != nil {
				return err
			}
		}
		return finish(out, "[]", written, indentation)
	}
	switch {
	case v.Kind() == reflect.Struct && depth > 0 && !isMarshaler(v):
		written := 0
		for i := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" || options == "omitempty" && isEmpty(v.Field(i)) {
				continue
			}
			separate(out, '{', written, inner)
			written++
			out.WriteString(`"` + name + `": `)
			if err := streamValue(out, v.Field(i), inner, depth-1); err != nil {
				return err
			}
		}
		return finish(out, "{}", written, indentation)
	case v.Kind() == reflect.Slice && depth >= 0 && !v.IsNil() && !isMarshaler(v):
		for i := range v.Len() {
			separate(out, '[', i, inner)
			if err := streamValue(out, v.Index(i), inner, depth-2); err != nil {
				return err
			}
		}
		return finish(out, "[]", v.Len(), indentation)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(indentation, "  ")
	if err := encoder.Encode(v.Interface()); err != nil {
		return err
	}
	_, err := out.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return err
}

// separate begins a member or element on a new line, after a bracket if it is the first, else after a comma.
func separate(out *bufio.Writer, bracket byte, before int, indentation string) {
	if before == 0 {
		out.WriteByte(bracket)
	} else {
		out.WriteByte(',')
	}
	out.WriteString("\n" + indentation)
}

// finish writes the closing bracket.
func finish(out *bufio.Writer, brackets string, elements int, indentation string) error {
	if elements == 0 {
		_, err := out.WriteString(brackets)
		return err
	}
	out.WriteString("\n" + indentation)
	return out.WriteByte(brackets[1])
}

func isMarshaler(v reflect.Value) bool {
	_, ok := v.Interface().(json.Marshaler)
	return ok
}

// isEmpty reports whether omitempty leaves a value out.
func isEmpty(v reflect.Value) bool {
	if list, ok := v.Interface().(elements); ok {
		return list.length() == 0
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// each returns the elements for some values.
func each[T any](values iter.Seq2[int, T], element func(T) any) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, v := range values {
			if !yield(element(v)) {
				return
			}
		}
	}
}
