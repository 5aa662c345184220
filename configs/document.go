package configs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/keplersim/keplersim/internal/yamllimits"
)

// position is where a value is written.
type position struct {
	file         string
	line, column int       // from 1; 0 for an override
	from         *document // the document with the line; nil for none
}

// comment returns the comment behind the value, without #; else the one above the value, else its section's.
func (p position) comment() string {
	if p.from == nil {
		return ""
	}
	return p.from.comment(p.line - 1)
}

// shape is the kind of YAML node that a value is written as.
type shape uint8

const (
	shapeNull shape = iota
	shapeBool
	shapeNumber
	shapeText
	shapeList
	shapeMap
)

func (s shape) String() string {
	return [...]string{"nothing", "true or false", "a number", "text", "a list", "a section"}[s]
}

// value is one node of a YAML document. It uses none of the parser's types, so that documents can be merged and overridden.
type value struct {
	position
	key   position // of the key in front of it
	shape shape
	text  string // of a bool, number or text
	list  []*value
	keys  []string // of a map, in the file's order
	items map[string]*value
}

// put sets a key of a map.
func (v *value) put(key string, at position, item *value) {
	if _, ok := v.items[key]; !ok {
		v.keys = append(v.keys, key)
	}
	v.items[key], item.key = item, at
}

// clone copies the value and everything in it.
func (v *value) clone() *value {
	c := *v
	c.keys = slices.Clone(v.keys)
	c.list = make([]*value, len(v.list))
	for i, item := range v.list {
		c.list[i] = item.clone()
	}
	if v.items != nil {
		c.items = make(map[string]*value, len(v.items))
		for key, item := range v.items {
			c.items[key] = item.clone()
		}
	}
	return &c
}

func newMap(at position) *value {
	return &value{position: at, shape: shapeMap, items: map[string]*value{}}
}

// document has a file's text while values are made from it.
type document struct {
	file  string
	lines []string
}

// parseDocument parses a YAML text. Its errors have positions.
func parseDocument(file, text string) (*value, error) {
	d := &document{file: file, lines: strings.Split(text, "\n")}
	if strings.ContainsRune(text, 0) {
		return nil, &Error{File: file, Line: 1, Column: 1, Message: "not a text file"}
	}
	tree, err := yamllimits.Parse([]byte(text))
	if refused := new(yamllimits.Refused); errors.As(err, &refused) {
		return nil, &Error{File: file, Line: refused.Line, Column: refused.Column, Message: refused.Message}
	}
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			at := d.at(syntax.GetToken())
			return nil, &Error{File: file, Line: at.line, Column: at.column, Message: syntax.GetMessage()}
		}
		// the parser's own message may be as long as the file
		return nil, &Error{File: file, Line: 1, Column: 1, Message: "it cannot be parsed"}
	}
	var body ast.Node
	for _, doc := range tree.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			at := d.at(doc.Body.GetToken())
			return nil, &Error{File: file, Line: at.line, Column: at.column, Message: "a second document; a configuration is one"}
		}
		body = doc.Body
	}
	if body == nil {
		return newMap(position{file: file, line: 1, column: 1}), nil
	}
	return d.value(body)
}

// at converts a token's position.
func (d *document) at(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{file: d.file, line: 1, column: 1}
	}
	p := position{file: d.file, line: max(t.Position.Line, 1), column: max(t.Position.Column, 1)}
	if p.line <= len(d.lines) {
		p.from = d
	}
	return p
}

// Limits of the search for a comment, so that its time is linear in the file's size.
const (
	linesAbove   = 300
	commentLines = 20
)

// comment returns the comment that covers a line: the one at the line's end with its continuation lines, else the one above at the same
// depth, else the section's. Comments above at depth 0 describe the file and do not count.
func (d *document) comment(at int) string {
	depth := indentation(d.lines[at])
	if _, own, ok := strings.Cut(d.lines[at], " #"); ok {
		return d.commentFrom(own, at+1, depth+1)
	}
	for line := at - 1; line >= max(0, at-linesAbove) && depth > 0; line-- {
		body, comment, ok := strings.Cut(d.lines[line], "#")
		in := indentation(d.lines[line])
		switch isKey := strings.TrimSpace(body) != ""; {
		case isKey && in < depth:
			if depth = in; ok {
				return "above: " + d.commentFrom(comment, line+1, depth+1)
			}
		case !isKey && ok && in <= depth:
			for line > at-linesAbove && line > 0 && isComment(d.lines[line-1]) && indentation(d.lines[line-1]) == in {
				line--
			}
			return "above: " + d.commentFrom("", line, in)
		}
	}
	return ""
}

// commentFrom returns a comment's first line with its continuation: lines that hold only a comment, at least as deep as depth.
func (d *document) commentFrom(first string, line, depth int) string {
	for n := 0; n < commentLines && line < len(d.lines) && isComment(d.lines[line]) && indentation(d.lines[line]) >= depth; n++ {
		first += " " + strings.TrimLeft(d.lines[line], " #")
		line++
	}
	return strings.Join(strings.Fields(first), " ")
}

func isComment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "#") }

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// refused returns an error at a node's position.
func (d *document) refused(n ast.Node, format string, args ...any) error {
	at := d.at(n.GetToken())
	return &Error{File: d.file, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)}
}

// value converts a node of the parser.
func (d *document) value(n ast.Node) (*value, error) {
	at := d.at(n.GetToken())
	scalar := func(s shape, text string) (*value, error) { return &value{position: at, shape: s, text: text}, nil }
	switch n := n.(type) {
	case *ast.NullNode:
		return scalar(shapeNull, "")
	case *ast.BoolNode:
		return scalar(shapeBool, fmt.Sprint(n.Value))
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return scalar(shapeNumber, n.GetToken().Value)
	case *ast.StringNode:
		return scalar(shapeText, n.Value)
	case *ast.LiteralNode:
		return scalar(shapeText, n.Value.Value)
	case *ast.SequenceNode:
		list := &value{position: at, shape: shapeList}
		for _, item := range n.Values {
			v, err := d.value(item)
			if err != nil {
				return nil, err
			}
			list.list = append(list.list, v)
		}
		return list, nil
	case *ast.MappingNode:
		return d.mapping(at, n.Values)
	case *ast.MappingValueNode:
		return d.mapping(at, []*ast.MappingValueNode{n})
	default:
		return nil, d.refused(n, "a YAML %s has no place in a configuration", strings.ToLower(n.Type().String()))
	}
}

// mapping converts a map's keys and values.
func (d *document) mapping(at position, entries []*ast.MappingValueNode) (*value, error) {
	if len(entries) > 0 {
		at = d.at(entries[0].Key.GetToken())
	}
	m := newMap(at)
	for _, entry := range entries {
		key, ok := entry.Key.(ast.Node).(*ast.StringNode)
		if !ok {
			return nil, d.refused(entry.Key, "a key is a plain word")
		}
		if _, twice := m.items[key.Value]; twice {
			return nil, d.refused(entry.Key, "key %q appears twice", key.Value)
		}
		item := &value{position: d.at(entry.Key.GetToken()), shape: shapeNull}
		if entry.Value != nil {
			var err error
			if item, err = d.value(entry.Value); err != nil {
				return nil, err
			}
		}
		m.put(key.Value, d.at(entry.Key.GetToken()), item)
	}
	return m, nil
}
