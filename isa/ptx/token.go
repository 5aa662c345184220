package ptx

// tokenKind is the lexical class of a token.
type tokenKind uint8

const (
	tokenEnd         tokenKind = iota // end of the text
	tokenWord                         // identifier, register, label or dotted mnemonic: %tid.x, ld.param.u64
	tokenDotWord                      // one dotted part: .global, .2d, .L2::evict_last
	tokenNumber                       // any literal number
	tokenString                       // "…", the quotes included
	tokenDwarf                        // a whole @@DWARF line
	tokenPunctuation                  // punctuation or an operator: see token.mark
)

// mark names a punctuation token; the values of single characters are the characters.
type mark = uint8

// The marks of two characters.
const (
	markShiftLeft mark = iota + 1
	markShiftRight
	markLessEqual
	markGreaterEqual
	markEqual
	markNotEqual
	markLogicalAnd
	markLogicalOr
)

// token is one lexical element; its text is source[start:end].
type token struct {
	kind    tokenKind
	mark    mark // of tokenPunctuation
	newLine bool // first on its line
	spaced  bool // preceded by white space, a comment or the start of the text
	start   int32
	end     int32
	line    int32
	column  int32
}

func (t *token) position() Position {
	return Position{Offset: t.start, Line: t.line, Column: t.column}
}

func (t *token) is(m mark) bool { return t.kind == tokenPunctuation && t.mark == m }

// The classes of a byte, as bits of byteClass.
const (
	classIdentifierStart = 1 << iota // letter, _ or $
	classIdentifier                  // letter, digit, _ or $
	classDigit
	classHexadecimal
	classPunctuation
)

var byteClass = func() (table [256]uint8) {
	for c := range 256 {
		b := byte(c)
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
		digit := b >= '0' && b <= '9'
		if letter || b == '_' || b == '$' {
			table[c] |= classIdentifierStart | classIdentifier
		}
		if digit {
			table[c] |= classDigit | classIdentifier | classHexadecimal
		}
		if b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			table[c] |= classHexadecimal
		}
	}
	for _, b := range []byte("()[]{}<>,;:=+-*/%&|^~!?@") {
		table[b] |= classPunctuation
	}
	return table
}()
