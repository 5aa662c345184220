package ptx

import "strings"

// lexer splits a text into tokens. It allocates nothing: a token is a range of the text.
type lexer struct {
	source    string
	offset    int32
	line      int32
	lineStart int32 // offset of the first byte of the line
	last      tokenKind
	closed    bool // the last token is a closing parenthesis or bracket
	report    func(pos Position, message string)
}

func newLexer(source string, report func(Position, string)) lexer {
	l := lexer{source: source, line: 1, report: report}
	if strings.HasPrefix(source, "\ufeff") {
		l.offset = int32(len("\ufeff"))
		l.lineStart = l.offset
	}
	return l
}

func (l *lexer) position(offset int32) Position {
	return Position{Offset: offset, Line: l.line, Column: offset - l.lineStart + 1}
}

// peek returns the byte at offset+ahead, or 0 past the end.
func (l *lexer) peek(ahead int32) byte {
	if at := int(l.offset) + int(ahead); at < len(l.source) {
		return l.source[at]
	}
	return 0
}

func (l *lexer) class(ahead int32) uint8 { return byteClass[l.peek(ahead)] }

// next reads the next token into t.
func (l *lexer) next(t *token) {
	for {
		lineBefore := l.line
		offsetBefore := l.offset
		l.skipBlank()
		t.newLine = l.line != lineBefore || offsetBefore == 0
		t.spaced = l.offset != offsetBefore || offsetBefore == 0
		t.start = l.offset
		t.line = l.line
		t.column = l.offset - l.lineStart + 1
		t.mark = 0
		if int(l.offset) >= len(l.source) {
			t.kind = tokenEnd
			t.end = t.start
			return
		}
		if l.scan(t) {
			t.end = l.offset
			l.last = t.kind
			l.closed = t.is(')') || t.is(']')
			return
		}
	}
}

// scan reads a token at a nonblank byte. It returns false after a character that can start no token, which it has reported and skipped.
func (l *lexer) scan(t *token) bool {
	b := l.source[l.offset]
	class := byteClass[b]
	switch {
	case class&classIdentifierStart != 0:
		l.word(t)
	case b == '%' && l.beginsName(t.spaced):
		l.offset++
		l.word(t)
	case class&classDigit != 0:
		l.number(t)
	case b == '.':
		return l.dotted(t)
	case b == '"':
		l.string(t)
	case b == '@' && strings.HasPrefix(l.source[l.offset:], "@@"):
		t.kind = tokenDwarf
		l.skipLine()
	case class&classPunctuation != 0:
		l.punctuation(t)
	default:
		return l.illegal()
	}
	return true
}

// beginsName reports whether the % here begins a name. Before a letter it does. Before a digit it is the remainder operator if an operand
// has just ended, as in 7%4.
func (l *lexer) beginsName(spaced bool) bool {
	switch next := l.class(1); {
	case next&classIdentifierStart != 0:
		return true
	case next&classDigit == 0:
		return false
	}
	return !l.closed && l.last != tokenNumber && (l.last != tokenWord || spaced)
}

// nameAt reads the word at a % that was read as an operator, if digits follow it.
func (l *lexer) nameAt(t *token) {
	if start := t.start + 1; l.offset == start && l.class(0)&classDigit != 0 {
		l.word(t)
		t.mark, t.end = 0, l.offset
		l.closed, l.last = false, tokenWord
	}
}

// word reads an identifier with its dotted parts: the opcode and all its modifiers, or a name and its component.
func (l *lexer) word(t *token) {
	t.kind = tokenWord
	l.identifier()
	for l.peek(0) == '.' && l.class(1)&classIdentifier != 0 {
		l.offset++
		l.qualified()
	}
}

// identifier skips letters, digits, _ and $.
func (l *lexer) identifier() {
	for l.class(0)&classIdentifier != 0 {
		l.offset++
	}
}

// qualified skips an identifier with its `::` parts, as in L2::evict_last.
func (l *lexer) qualified() {
	l.identifier()
	for l.peek(0) == ':' && l.peek(1) == ':' && l.class(2)&classIdentifier != 0 {
		l.offset += 2
		l.identifier()
	}
}

// dotted reads a token that starts with a dot: .global, .2d or the number .5.
func (l *lexer) dotted(t *token) bool {
	if l.class(1)&classDigit != 0 && l.fraction(t) {
		return true
	}
	if l.class(1)&classIdentifier == 0 {
		l.report(l.position(l.offset), "a dot must be followed by the name of a directive, type or modifier")
		l.offset++
		return false
	}
	t.kind = tokenDotWord
	l.offset++
	l.qualified()
	return true
}

// fraction reads a number such as .5 or .5e-3; it reads nothing if a letter follows, as in .2d.
func (l *lexer) fraction(t *token) bool {
	start := l.offset
	l.offset++
	l.digits()
	l.exponent()
	if l.class(0)&classIdentifier != 0 {
		l.offset = start
		return false
	}
	t.kind = tokenNumber
	return true
}

func (l *lexer) digits() {
	for l.class(0)&classDigit != 0 {
		l.offset++
	}
}

// exponent skips e+10 and the like; it skips nothing if no digit follows.
func (l *lexer) exponent() {
	if b := l.peek(0); b != 'e' && b != 'E' {
		return
	}
	ahead := int32(1)
	if b := l.peek(1); b == '+' || b == '-' {
		ahead = 2
	}
	if l.class(ahead)&classDigit == 0 {
		return
	}
	l.offset += ahead
	l.digits()
}

// number reads a literal. Whether its digits fit its prefix is checked when its value is computed.
func (l *lexer) number(t *token) {
	t.kind = tokenNumber
	if l.peek(0) == '0' && l.class(1)&classIdentifier != 0 && l.class(1)&classDigit == 0 && l.peek(1) != 'e' && l.peek(1) != 'E' {
		l.identifier()
		return
	}
	l.digits()
	if l.peek(0) == '.' && (l.class(1)&classDigit != 0 || l.class(1)&classIdentifier == 0) {
		l.offset++
		l.digits()
	}
	l.exponent()
	l.identifier()
}

// string reads to the closing quote, and reports a string that does not end on its line.
func (l *lexer) string(t *token) {
	t.kind = tokenString
	for l.offset++; ; l.offset++ {
		switch b := l.peek(0); {
		case b == '"':
			l.offset++
			return
		case b == '\\' && int(l.offset)+1 < len(l.source) && l.peek(1) != '\n':
			l.offset++
		case b == '\n' || int(l.offset) >= len(l.source):
			l.report(t.position(), "this string has no closing quote on its line")
			return
		}
	}
}

func (l *lexer) punctuation(t *token) {
	t.kind = tokenPunctuation
	b := l.source[l.offset]
	t.mark = b
	l.offset++
	second := l.peek(0)
	two := mark(0)
	switch {
	case b == '<' && second == '<':
		two = markShiftLeft
	case b == '>' && second == '>':
		two = markShiftRight
	case b == '<' && second == '=':
		two = markLessEqual
	case b == '>' && second == '=':
		two = markGreaterEqual
	case b == '=' && second == '=':
		two = markEqual
	case b == '!' && second == '=':
		two = markNotEqual
	case b == '&' && second == '&':
		two = markLogicalAnd
	case b == '|' && second == '|':
		two = markLogicalOr
	}
	if two != 0 {
		t.mark = two
		l.offset++
	}
}

// illegal reports and skips bytes that start no token; a run of non-ASCII bytes counts as one.
func (l *lexer) illegal() bool {
	start := l.offset
	pos := l.position(start)
	l.offset++
	if l.source[start] < 0x80 {
		l.report(pos, "this character has no meaning in PTX; delete it")
		return false
	}
	for l.peek(0) >= 0x80 {
		l.offset++
	}
	l.report(pos, "PTX text is ASCII outside strings and comments; delete or rename this")
	return false
}

// skipBlank skips white space, comments and preprocessor lines.
func (l *lexer) skipBlank() {
	lineIsBlank := l.offset == l.lineStart
	for int(l.offset) < len(l.source) {
		switch b := l.source[l.offset]; {
		case b == '\n':
			l.offset++
			l.line++
			l.lineStart = l.offset
			lineIsBlank = true
		case b == ' ' || b == '\t' || b == '\r' || b == '\f' || b == '\v':
			l.offset++
		case b == '/' && l.peek(1) == '/':
			l.skipLine()
		case b == '/' && l.peek(1) == '*':
			l.skipComment()
		case b == '#' && lineIsBlank:
			l.skipLine()
		default:
			return
		}
	}
}

// skipLine skips to the end of the line, before its newline.
func (l *lexer) skipLine() {
	if end := strings.IndexByte(l.source[l.offset:], '\n'); end >= 0 {
		l.offset += int32(end)
		return
	}
	l.offset = int32(len(l.source))
}

// skipComment skips a /* comment */.
func (l *lexer) skipComment() {
	pos := l.position(l.offset)
	for l.offset += 2; int(l.offset) < len(l.source); l.offset++ {
		switch l.source[l.offset] {
		case '\n':
			l.line++
			l.lineStart = l.offset + 1
		case '*':
			if l.peek(1) == '/' {
				l.offset += 2
				return
			}
		}
	}
	l.report(pos, "this comment is never closed; add */")
}
