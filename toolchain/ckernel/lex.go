package ckernel

import (
	"fmt"
	"strings"
)

// position is a token's position. Line and column count from 1, columns in bytes.
type position struct {
	file         *file
	line, column int
}

// file is a source text.
type file struct {
	name  string
	lines []string
	ours  bool // one of our headers, which may use clang's extensions and templates
}

// tokenKind says what a token is.
type tokenKind uint8

const (
	endOfFile tokenKind = iota
	identifier
	number
	text      // a string
	character // a character constant
	symbol    // an operator or a bracket
	pragma    // #pragma unroll and its argument
	foreign   // a character that is not part of C
)

// token is a token of C, spelled as in the file.
type token struct {
	kind      tokenKind
	text      string
	at        position
	spaced    bool     // white space precedes it
	firstWord bool     // it is the first of its line
	hideSet   *hideSet // macros that must not expand in it again
}

// hideSet is a list of the macros whose expansion made a token.
type hideSet struct {
	name string
	next *hideSet
}

func (h *hideSet) has(name string) bool {
	for ; h != nil; h = h.next {
		if h.name == name {
			return true
		}
	}
	return false
}

// symbols are C's operators and brackets, longest first. C++'s are included so that errors can name them.
var symbols = []string{
	"<<<", ">>>", "<<=", ">>=", "...", "->*",
	"->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "::",
	"{", "}", "(", ")", "[", "]", ";", ",", ":", "?", ".", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "#",
}

// lexer splits a file into tokens.
type lexer struct {
	from         string
	at           int
	where        position
	spaced, line bool
	out          []token
}

// lex returns a file's tokens without comments. A backslash joins lines.
func lex(f *file) ([]token, error) {
	l := &lexer{from: strings.Join(f.lines, "\n"), where: position{f, 1, 1}, line: true}
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.at >= len(l.from) {
			return l.out, nil
		}
		start := l.where
		kind, size := l.measure()
		if size == 0 {
			return nil, errorAt(start, "this %s has no end", map[tokenKind]string{text: "string", character: "character constant"}[kind])
		}
		l.out = append(l.out, token{kind: kind, text: l.from[l.at : l.at+size], at: start, spaced: l.spaced, firstWord: l.line})
		l.skip(size)
		l.spaced, l.line = false, false
		if len(l.out) > mostTokens {
			return nil, errorAt(start, "the file is too long: more than %d words", mostTokens)
		}
	}
}

// skip advances by some bytes.
func (l *lexer) skip(size int) {
	for range size {
		if l.from[l.at] == '\n' {
			l.where.line++
			l.where.column = 0
		}
		l.at++
		l.where.column++
	}
}

// space skips white space, comments and joined lines.
func (l *lexer) space() error {
	for l.at < len(l.from) {
		rest := l.from[l.at:]
		switch {
		case rest[0] == '\n':
			l.line, l.spaced = true, true
			l.skip(1)
		case strings.IndexByte(" \t\r\v\f", rest[0]) >= 0:
			l.spaced = true
			l.skip(1)
		case strings.HasPrefix(rest, "\\\n"):
			l.skip(2)
		case strings.HasPrefix(rest, "\\\r\n"):
			l.skip(3)
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			l.skip(end)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return errorAt(l.where, "this comment has no end")
			}
			line := l.line
			l.skip(end + 4)
			l.line, l.spaced = line, true
		default:
			return nil
		}
	}
	return nil
}

// measure returns the kind and size in bytes of the token at the current position; size 0 is an unterminated string.
func (l *lexer) measure() (tokenKind, int) {
	rest := l.from[l.at:]
	c := rest[0]
	switch {
	case isLetter(c):
		n := 1
		for n < len(rest) && (isLetter(rest[n]) || isDigit(rest[n])) {
			n++
		}
		return identifier, n
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return number, numberSize(rest)
	case c == '"':
		return text, quotedSize(rest, '"')
	case c == '\'':
		return character, quotedSize(rest, '\'')
	}
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			return symbol, len(s)
		}
	}
	return foreign, 1
}

// numberSize is the size of a preprocessing number: digits, letters, points, and signs after an exponent's letter.
func numberSize(s string) int {
	n := 1
	for n < len(s) {
		c, before := s[n], s[n-1]|0x20
		hex := len(s) > 1 && s[1]|0x20 == 'x'
		if isLetter(c) || isDigit(c) || c == '.' || (c == '+' || c == '-') && (before == 'e' && !hex || before == 'p') {
			n++
			continue
		}
		break
	}
	return n
}

// quotedSize is the size of a string or character constant; 0 if the line ends first.
func quotedSize(s string, quote byte) int {
	for n := 1; n < len(s) && s[n] != '\n'; n++ {
		switch s[n] {
		case '\\':
			n++
		case quote:
			return n + 1
		}
	}
	return 0
}

func isLetter(c byte) bool { return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// is tells whether a token is this operator, bracket or word.
func (t token) is(what string) bool {
	return (t.kind == symbol || t.kind == identifier) && t.text == what
}

// String names the token in messages.
func (t token) String() string {
	if t.kind == endOfFile {
		return "the end of the file"
	}
	return fmt.Sprintf("'%s'", t.text)
}
