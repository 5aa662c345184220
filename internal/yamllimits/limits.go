// Package yamllimits refuses, before parsing, YAML that no person wrote. The parser's memory grows with the square of the depth, and by a
// kilobyte for each value. The package knows nothing about what a document means.
package yamllimits

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The bounds of a document. A document at all of them is parsed with less than 1 GB of memory.
const (
	MostBytes = 4 << 20
	MostMarks = 600_000 // characters that begin, end or separate values
	MostDepth = 64      // values within values
	// mostPairs bounds the comparisons of keys: the parser compares each key of a mapping with those before it. The bound allows 14,000
	// keys in one mapping.
	mostPairs = 100_000_000
)

// Refused is the error for a document beyond a bound, with the position; lines and columns count from 1.
type Refused struct {
	Line, Column int
	Message      string
}

// Error returns the message.
func (r *Refused) Error() string { return r.Message }

// marks are the characters that can form a token of YAML.
var marks = func() (set [256]bool) {
	for _, c := range []byte(",:[]{}-\n&*!?|>'\"%@`#") {
		set[c] = true
	}
	return set
}()

// Unmarshal reads a document into a value, strictly: an unknown key is an error. A document that is too long, too full or too deep gives a
// *Refused error; other errors are the parser's. An empty document leaves the value unchanged.
func Unmarshal(text []byte, into any) (err error) {
	defer recoverPanic(&err)
	tokens, err := tokenize(text)
	if err != nil || len(tokens) == 0 { // for an empty document the parser would set the value to zero
		return err
	}
	return yaml.UnmarshalWithOptions(text, into, yaml.Strict())
}

// recoverPanic turns a panic of the parser into an error: version 1.19.2 panics on a tag without a value in place of a list.
func recoverPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = &Refused{1, 1, "this cannot be read as YAML: look for tags (!), anchors (&) and aliases (*) without a value"}
	}
}

// Parse returns the syntax tree of a document, within the same bounds.
func Parse(text []byte) (file *ast.File, err error) {
	defer recoverPanic(&err)
	tokens, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	return parser.Parse(tokens, 0)
}

// tokenize returns the tokens of a text, or a *Refused error if it exceeds a bound.
func tokenize(text []byte) (token.Tokens, error) {
	if len(text) > MostBytes {
		return nil, &Refused{1, 1, fmt.Sprintf("the file has more than %d MB; data belongs into files of its own", MostBytes>>20)}
	}
	count, line := 0, 1
	for _, c := range text {
		if marks[c] {
			count++
		}
		if count > MostMarks {
			return nil, &Refused{line, 1, fmt.Sprintf("the file has more than %d values; data belongs into files of its own", MostMarks)}
		}
		if c == '\n' {
			line++
		}
	}
	tokens := lexer.Tokenize(string(text))
	return tokens, checkDepth(tokens)
}

// block is an open block mapping or list.
type block struct{ column, keys int }

// checkDepth checks how deep a document's tokens are nested, and how many keys its mappings have.
func checkDepth(tokens token.Tokens) error {
	var blocks []block
	flow, chain, before, pairs := 0, 0, 0, 0
	enter := func(column int) *block {
		for len(blocks) > 0 && blocks[len(blocks)-1].column > column {
			blocks = blocks[:len(blocks)-1]
		}
		if len(blocks) == 0 || blocks[len(blocks)-1].column < column {
			blocks = append(blocks, block{column: column})
		}
		return &blocks[len(blocks)-1]
	}
	for i, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow, chain = flow+1, 0
		case token.MappingEndType, token.SequenceEndType:
			flow, chain = max(flow-1, 0), 0
		case token.CollectEntryType:
			chain = 0
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			switch {
			case flow > 0:
				chain++
			case t.Type == token.MappingValueType && i > 0:
				b := enter(tokens[i-1].Position.Column)
				b.keys++
				pairs += b.keys
			default:
				enter(t.Position.Column)
			}
		}
		if t.Type == token.AnchorType || t.Type == token.TagType || t.Type == token.AliasType {
			before++
		} else if before > 0 && t.Type != token.StringType { // an anchor's name is a string
			before = 0
		}
		if len(blocks)+flow+chain+before > MostDepth {
			return &Refused{t.Position.Line, t.Position.Column, fmt.Sprintf("values are nested more than %d deep", MostDepth)}
		}
		if pairs > mostPairs {
			return &Refused{t.Position.Line, t.Position.Column, "a mapping has more keys than can be compared with each other"}
		}
	}
	return nil
}
