// Package jsonschema writes the JSON schemas of keplersim's JSON output. It makes each schema from the Go type that is printed, so none is
// kept by hand. A schema says what encoding/json does with the type: names, types, and which members are always present.
package jsonschema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/registry"
)

// dialect is the version of JSON Schema in use.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Object is a schema, or a part of one.
type Object map[string]any

// Described is a type that encoding/json does not write field by field. JSONSchema is called on its zero value; of returns the schemas of
// other types.
type Described interface {
	JSONSchema(of func(reflect.Type) Object) Object
}

// published is one kind of document.
type published struct {
	version int
	root    reflect.Type
}

var documents = registry.NewKind[published]("JSON schema")

// Publish registers the schema of a kind of document under a name. Call it once for each name, while packages are initialised. version
// grows when a member changes its name, type or meaning, or is removed; documents have it in their member "schema".
func Publish[T any](name, does string, version int) {
	documents.Register(name, does, published{version, reflect.TypeFor[T]()})
}

// Names returns the names of all schemas, sorted.
func Names() []string { return registry.Names("JSON schema") }

// Does returns a sentence about the documents that a schema describes.
func Does(name string) string { return registry.Does("JSON schema", name) }

// Text returns a schema as indented JSON. The error for an unknown name lists the known ones.
func Text(name string) ([]byte, error) {
	d, err := documents.Find(name)
	if err != nil {
		return nil, err
	}
	m := maker{parts: Object{}, names: map[reflect.Type]string{}}
	schema := maps.Clone(m.of(d.root))
	if ref, ok := schema["$ref"].(string); ok {
		part := strings.TrimPrefix(ref, "#/$defs/")
		schema = m.parts[part].(Object)
		delete(m.parts, part)
	}
	if members, ok := schema["properties"].(Object); ok && members["schema"] != nil {
		members["schema"].(Object)["const"] = d.version
		if members["schema"].(Object)["type"] == "string" { // the member is a table's cell, written as text
			members["schema"].(Object)["const"] = fmt.Sprint(d.version)
		}
	}
	schema["$schema"], schema["$id"] = dialect, fmt.Sprintf("keplersim:%s:%d", name, d.version)
	schema["title"], schema["description"] = "keplersim: "+name, Does(name)
	if len(m.parts) > 0 {
		schema["$defs"] = m.parts
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(schema)
	return text.Bytes(), err
}

// maker makes one schema. parts has the schemas of named structs, so that each is written once and may contain itself.
type maker struct {
	parts Object
	names map[reflect.Type]string
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// of returns the schema of a type.
func (m *maker) of(t reflect.Type) Object {
	if d, ok := reflect.Zero(t).Interface().(Described); ok && t.Kind() != reflect.Pointer {
		return d.JSONSchema(m.of)
	}
	switch {
	case t.Kind() == reflect.Pointer:
		return orNull(m.of(t.Elem()))
	case t.Implements(textMarshaler):
		return Object{"type": "string"}
	case t.Implements(marshaler):
		return Object{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Object{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Object{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return Object{"type": "number"}
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Slice:
		return Array(m.of(t.Elem()))
	case reflect.Array:
		return Object{"type": "array", "items": m.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return Object{"type": "object", "additionalProperties": m.of(t.Elem())}
	case reflect.Struct:
		return m.named(t)
	}
	return Object{} // anything
}

// Array returns the schema of a list.
func Array(of Object) Object { return Object{"type": "array", "items": of} }

// orNull allows null as well.
func orNull(o Object) Object {
	if kind, ok := o["type"].(string); ok {
		o = maps.Clone(o)
		o["type"] = []string{kind, "null"}
		return o
	}
	return Object{"anyOf": []any{o, Object{"type": "null"}}}
}

// named returns a reference to a struct's part, and makes the part the first time.
func (m *maker) named(t reflect.Type) Object {
	name, known := m.names[t]
	if !known {
		name = strings.TrimSuffix(strings.TrimPrefix(t.Name(), "json"), "JSON")
		if name == "" {
			return m.members(t)
		}
		name = strings.ToLower(name[:1]) + name[1:]
		for m.parts[name] != nil { // another package has a type of this name
			name += "2"
		}
		m.names[t], m.parts[name] = name, Object{}
		m.parts[name] = m.members(t)
	}
	return Object{"$ref": "#/$defs/" + name}
}

// members returns the schema of a struct's fields. It allows members that it does not name, because later versions add some.
func (m *maker) members(t reflect.Type) Object {
	properties, required := Object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || f.Anonymous && name == "" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		optional := slices.Contains(strings.Split(options, ","), "omitempty")
		if optional && f.Type.Kind() == reflect.Pointer {
			properties[name] = m.of(f.Type.Elem())
		} else {
			properties[name] = m.of(f.Type)
		}
		if !optional {
			required = append(required, name)
		}
	}
	return Object{"type": "object", "properties": properties, "required": required}
}
