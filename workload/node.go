package workload

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/internal/spelling"
	"github.com/keplersim/keplersim/internal/yamllimits"
)

// reader walks a syntax tree and collects mistakes, so that one run shows them all.
type reader struct {
	path      string
	problems  Errors
	anchors   map[string]ast.Node
	depth     int             // of structs within structs
	members   int             // of the outermost struct so far
	nested    int             // repetitions within repetitions
	stepCount int             // so far
	rotating  bool            // within the arguments that take turns
	named     []StreamOptions // the streams that the file names
	perThread bool            // stream 0 is the per-thread default stream
	allocated map[string]bool // by steps so far
	deferred  []func()        // reads of nodes that name buffers, delayed until all buffers are known
}

// fields are the keys that a mapping may have, each with a function for its value.
type fields map[string]func(ast.Node)

// parseTree parses the single document in data, or reports why it cannot.
func (r *reader) parseTree(data []byte) ast.Node {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // editors on Windows write it
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		r.fail(Position{1, 1}, "this is not UTF-8 text, which a workload file must be")
		return nil
	}
	// JSON may be indented with tabs, which YAML forbids; JSON strings cannot contain tabs.
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" "))
	}
	file, err := yamllimits.Parse(data)
	if refused := new(yamllimits.Refused); errors.As(err, &refused) {
		r.fail(Position{refused.Line, refused.Column}, "%s", refused.Message)
		return nil
	}
	if err != nil {
		at, message := Position{1, 1}, "it cannot be parsed" // the parser's own message may be as long as the file
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			message = shortened(syntax.GetMessage())
			if t := syntax.GetToken(); t != nil && t.Position != nil {
				at = Position{t.Position.Line, t.Position.Column}
			}
		}
		if strings.Contains(message, "\t") {
			message = "a tab: YAML is indented with spaces"
		}
		r.fail(at, "not valid YAML: %s", message)
		return nil
	}
	var body ast.Node
	for _, document := range file.Docs {
		if document.Body == nil {
			continue
		}
		if body != nil {
			r.fail(position(document.Body), "a workload file is one document, and this is a second one")
			return nil
		}
		body = document.Body
	}
	if body == nil {
		r.fail(Position{1, 1}, "the file is empty")
		return nil
	}
	ast.Walk(r, body)
	return body
}

// Visit records anchors. It makes the reader an ast.Visitor.
func (r *reader) Visit(n ast.Node) ast.Visitor {
	if anchor, ok := n.(*ast.AnchorNode); ok && anchor.Name != nil {
		r.anchors[anchor.Name.GetToken().Value] = anchor.Value
	}
	return r
}

func (r *reader) fail(at Position, format string, args ...any) {
	if len(r.problems) < mostErrors {
		r.problems = append(r.problems, &Error{Path: r.path, Position: at, Message: fmt.Sprintf(format, args...)})
	}
}

// position is where a node starts.
func position(n ast.Node) Position {
	if n == nil {
		return Position{1, 1}
	}
	token := n.GetToken()
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		token = m.Values[0].Key.GetToken()
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		token = m.Key.GetToken()
	}
	if token == nil || token.Position == nil {
		return Position{1, 1}
	}
	return Position{token.Position.Line, token.Position.Column}
}

// resolve follows anchors and aliases to their node. It returns nil for a long chain, as from an alias inside its own anchor.
func (r *reader) resolve(n ast.Node) ast.Node {
	for range 8 {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.AliasNode:
			target, ok := r.anchors[v.Value.GetToken().Value]
			if !ok {
				return n
			}
			n = target
		default:
			return n
		}
	}
	return nil
}

// pairs returns the entries of a mapping; otherwise it reports a mistake.
func (r *reader) pairs(n ast.Node, what string) ([]*ast.MappingValueNode, bool) {
	switch v := r.resolve(n).(type) {
	case *ast.MappingNode:
		return v.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{v}, true
	}
	r.fail(position(n), "%s must be a mapping (key: value), not %s", what, r.describe(n))
	return nil, false
}

// key is the text of a mapping's key.
func (r *reader) key(pair *ast.MappingValueNode) string {
	if s, ok := r.resolve(pair.Key).(*ast.StringNode); ok {
		return s.Value
	}
	return pair.Key.GetToken().Value
}

// mapping calls each entry's field function and reports entries without one. It returns the keys seen.
func (r *reader) mapping(n ast.Node, what string, known fields) map[string]bool {
	seen := map[string]bool{}
	pairs, _ := r.pairs(n, what)
	for _, pair := range pairs {
		key := r.key(pair)
		field, ok := known[key]
		switch {
		case !ok:
			names := make([]string, 0, len(known))
			for name := range known {
				names = append(names, name)
			}
			slices.Sort(names)
			r.fail(position(pair), "unknown key %q in %s%s", key, what, suggest(key, names))
		case seen[key]:
			r.fail(position(pair), "key %q appears twice in %s", key, what)
		default:
			field(pair.Value)
		}
		seen[key] = true
	}
	return seen
}

// list calls each for every element of a sequence.
func (r *reader) list(n ast.Node, what string, each func(int, ast.Node)) {
	sequence, ok := r.resolve(n).(*ast.SequenceNode)
	if !ok {
		r.fail(position(n), "%s must be a list ([a, b], or lines that begin with -), not %s", what, r.describe(n))
		return
	}
	for i, v := range sequence.Values {
		each(i, v)
	}
}

// text reads a string. If loose, a bare word that YAML reads as a number or a truth value also counts, by its spelling.
func (r *reader) text(n ast.Node, what string, loose bool) (string, bool) {
	switch v := r.resolve(n).(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		if loose {
			return v.GetToken().Value, true
		}
	}
	r.fail(position(n), "%s must be text, not %s", what, r.describe(n))
	return "", false
}

// word reads a string from a list of allowed ones.
func (r *reader) word(n ast.Node, what string, allowed []string) string {
	s, ok := r.text(n, what, true)
	if ok && !slices.Contains(allowed, s) {
		r.fail(position(n), "%s is %q, but must be one of %s%s", what, s, strings.Join(allowed, ", "), suggestOnly(s, allowed))
		return ""
	}
	return s
}

func suggestOnly(s string, allowed []string) string {
	if best := spelling.Nearest(s, allowed); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// boolean reads true or false.
func (r *reader) boolean(n ast.Node, what string) bool {
	if v, ok := r.resolve(n).(*ast.BoolNode); ok {
		return v.Value
	}
	r.fail(position(n), "%s must be true or false, not %s", what, r.describe(n))
	return false
}

var exponentOnly = pattern.Lazy(`^-?[0-9]+[eE][-+]?[0-9]+$`)

// number reads any number.
func (r *reader) number(n ast.Node, what string) (Number, bool) {
	switch v := r.resolve(n).(type) {
	case *ast.IntegerNode:
		switch i := v.Value.(type) {
		case int64:
			return integer(i), true
		case uint64:
			return Number{Magnitude: i}, true
		}
	case *ast.FloatNode:
		return Number{IsFloat: true, Float: v.Value}, true
	case *ast.InfinityNode:
		return Number{IsFloat: true, Float: v.Value}, true
	case *ast.NanNode:
		return Number{IsFloat: true, Float: math.NaN()}, true
	case *ast.StringNode:
		// JSON writes 1e-7, which older YAML reads as a word.
		if v.Token.Type == token.StringType && exponentOnly().MatchString(v.Value) {
			f, err := strconv.ParseFloat(v.Value, 64)
			return Number{IsFloat: true, Float: f}, err == nil || math.IsInf(f, 0)
		}
	}
	r.fail(position(n), "%s must be a number, not %s", what, r.describe(n))
	return Number{}, false
}

// whole reads an integer from least to greatest.
func (r *reader) whole(n ast.Node, what string, least, greatest int64) int64 {
	v, ok := r.number(n, what)
	if !ok {
		return least
	}
	if v.IsFloat {
		r.fail(position(n), "%s must be a whole number, not %v", what, v)
		return least
	}
	if v.Negative && (v.Magnitude > 1<<62 || -int64(v.Magnitude) < least) || !v.Negative && v.Magnitude > uint64(greatest) ||
		!v.Negative && int64(v.Magnitude) < least {
		r.fail(position(n), "%s is %v, but must be from %d to %d", what, v, least, greatest)
		return least
	}
	return int64(v.wrapped())
}

// tolerance reads a float that is not negative.
func (r *reader) tolerance(n ast.Node, what string) float64 {
	v, ok := r.number(n, what)
	if ok && !(v.float() >= 0) {
		r.fail(position(n), "%s is %v, but a tolerance cannot be negative", what, v)
	}
	return v.float()
}

// shortened shortens a text for a message.
func shortened(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// describe describes a node in messages.
func (r *reader) describe(n ast.Node) string {
	switch v := r.resolve(n).(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode:
		return fmt.Sprintf("the text %q", shortened(v.Value))
	case *ast.BoolNode:
		return fmt.Sprintf("%v", v.Value)
	case *ast.AliasNode:
		return "an alias (*" + v.Value.GetToken().Value + ") without an anchor"
	case *ast.TagNode:
		return "a tag (" + v.GetToken().Value + ")"
	default:
		return v.GetToken().Value
	}
}
