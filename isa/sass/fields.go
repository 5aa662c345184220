package sass

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// piece is a run of bits of a word.
type piece struct{ first, width uint8 }

// place is where a value lies in a word: pieces, the lowest bits first.
type place []piece

func (p place) mask() (mask uint64) {
	for _, part := range p {
		mask |= (1<<part.width - 1) << part.first
	}
	return mask
}

func (p place) width() (n int) {
	for _, part := range p {
		n += int(part.width)
	}
	return n
}

func (p place) get(word uint64) (v uint64) {
	shift := uint8(0)
	for _, part := range p {
		v |= word >> part.first & (1<<part.width - 1) << shift
		shift += part.width
	}
	return v
}

func (p place) put(word *uint64, v uint64) {
	for _, part := range p {
		*word = *word&^((1<<part.width-1)<<part.first) | v&(1<<part.width-1)<<part.first
		v >>= part.width
	}
}

// signed returns a value of so many bits with its sign extended.
func signed(v uint64, width int) int64 { return int64(v<<(64-width)) >> (64 - width) }

// Field is one field of an operation's text: a modifier, or an operand with the bits that negate it and so on.
type Field struct {
	Name  string // of its kind: modifiers and operands know it
	Wide  bool   // a 64-bit register
	place place
	signs [len(signMarks)]int8 // bits: negated, absolute, inverted, complemented; -1 for none
	texts []string             // of a modifier
}

// signMarks are what tells the bits behind an operand apart, in the order of Field.signs.
const signMarks = "-|~!"

// Signs of an operand.
const (
	Negated = iota
	Absolute
	Inverted
	Complemented
)

// Value returns the field's bits of a word.
func (f *Field) Value(word uint64) uint64 { return f.place.get(word) }

// Has reports whether a word gives the operand a sign.
func (f *Field) Has(word uint64, sign int) bool {
	return f.signs[sign] >= 0 && word>>f.signs[sign]&1 != 0
}

// known are the bits that the field prints.
func (f *Field) known() uint64 {
	mask := f.place.mask()
	for _, bit := range f.signs {
		if bit >= 0 {
			mask |= 1 << bit
		}
	}
	return mask
}

// text is a field as it is printed; at is the operation's address.
func (f *Field) text(word, at uint64) string {
	if f.texts != nil {
		return f.texts[f.Value(word)]
	}
	return f.sign(word, operands[f.Name].text(f, word, at))
}

// sign puts an operand's signs around it: those of an immediate stand behind it.
func (f *Field) sign(word uint64, text string) string {
	if operands[f.Name].immediate {
		for sign, mark := range []string{".NEG", ".ABS", ".INV"} {
			if f.Has(word, sign) {
				text += mark
			}
		}
		return text
	}
	if f.Has(word, Absolute) {
		text = "|" + text + "|"
	}
	for sign, mark := range map[int]string{Negated: "-", Inverted: "~", Complemented: "!"} {
		if f.Has(word, sign) {
			text = mark + text
		}
	}
	return text
}

// scan reads the field from the beginning of a text and puts it into a word.
func (f *Field) scan(text string, word *uint64, at uint64) (rest string, ok bool) {
	if f.texts != nil {
		best := -1
		have := f.Value(*word) // of bits that another field shares
		differs := func(n int) int { return bits.OnesCount64(uint64(n) ^ have) }
		for n, t := range f.texts {
			if t != "?" && strings.HasPrefix(text, t) && ends(t, text[len(t):]) && (best < 0 || len(t) > len(f.texts[best]) ||
				t == f.texts[best] && differs(n) < differs(best)) {
				best = n
			}
		}
		if best < 0 {
			return text, false
		}
		f.place.put(word, uint64(best))
		return text[len(f.texts[best]):], true
	}
	kind := operands[f.Name]
	set := func(sign int) { *word |= 1 << f.signs[sign] }
	if !kind.immediate {
		for sign, mark := range map[int]string{Negated: "-", Inverted: "~", Complemented: "!"} {
			if cut, found := strings.CutPrefix(text, mark); found && f.signs[sign] >= 0 {
				set(sign)
				text = cut
			}
		}
	}
	bars := f.signs[Absolute] >= 0 && strings.HasPrefix(text, "|")
	if bars {
		set(Absolute)
		text = text[1:]
	}
	if rest, ok = kind.scan(f, text, word, at); !ok {
		return rest, false
	}
	if bars {
		if rest, ok = strings.CutPrefix(rest, "|"); !ok {
			return rest, false
		}
	}
	if kind.immediate {
		for sign, mark := range []string{".NEG", ".ABS", ".INV"} {
			if cut, found := strings.CutPrefix(rest, mark); found && f.signs[sign] >= 0 {
				set(sign)
				rest = cut
			}
		}
	}
	return rest, true
}

// ends reports whether a modifier's text ends before rest.
func ends(text, rest string) bool {
	return text == "" || rest == "" || strings.HasSuffix(text, " ") || strings.ContainsRune(".,; [", rune(rest[0]))
}

// operand is a kind of operand: how it is printed and read.
type operand struct {
	immediate bool
	text      func(f *Field, word, at uint64) string
	scan      func(f *Field, text string, word *uint64, at uint64) (string, bool)
}

// operands are the kinds of operands, by the names that the table uses.
var operands map[string]operand

func init() {
	register := operand{text: func(f *Field, word, _ uint64) string { return registerName(f.Value(word)) }, scan: scanNumbered("R", 255)}
	constant := operand{text: constantText("c[0x%x][0x%x]"), scan: scanConstant}
	operands = map[string]operand{
		"r": register, "p": {text: predicateText, scan: scanNumbered("P", 7)}, "const": constant,
		"spaced":   {text: constantText("c[0x%x] [0x%x]"), scan: scanConstant},
		"nextpair": {text: nextText, scan: scanNext}, "next": {text: nextText, scan: scanNext},
		"s": {immediate: true, text: signedText, scan: scanInteger}, "x": {immediate: true, text: hexText, scan: scanInteger},
		"f": {immediate: true, text: floatText, scan: scanFloat}, "float": {immediate: true, text: floatText, scan: scanFloat},
		"double": {immediate: true, text: floatText, scan: scanFloat},
		"m":      {text: memoryText, scan: scanMemory}, "ldg": {text: memoryText, scan: scanMemory}, "k": {text: indexedText,
			scan: scanIndexed},
		"t": {text: targetText, scan: scanTarget}, "sr": {text: specialText, scan: scanSpecial},
		"ccs":   {text: conditionText(" CC.", ""), scan: scanCondition(" CC.", "")},
		"ccc":   {text: conditionText(" CC.", ","), scan: scanCondition(" CC.", ",")},
		"lanes": {text: lanesText, scan: scanLanes},
		"lane":  {text: eitherText(31), scan: scanEither(31)}, "bound": {text: eitherText(32), scan: scanEither(32)},
		"barrier": {text: eitherText(47), scan: scanEither(47)}, "count": {text: countText, scan: scanCount},
		"barp": {text: barrierPredicateText, scan: scanBarrierPredicate},
		"disp": {text: displacementText, scan: scanDisplacement}, "far": {text: displacementText, scan: scanDisplacement},
		"bptarg": {text: displacementText, scan: scanDisplacement},
	}
}

func registerName(n uint64) string {
	if n == 255 {
		return "RZ"
	}
	return "R" + strconv.FormatUint(n, 10)
}

func predicateText(f *Field, word, _ uint64) string {
	if n := f.Value(word); n != 7 {
		return "P" + strconv.FormatUint(n, 10)
	}
	return "PT"
}

// scanNumbered reads a register or predicate; the last one has a letter for its number.
func scanNumbered(letter string, last uint64) func(*Field, string, *uint64, uint64) (string, bool) {
	return func(f *Field, text string, word *uint64, _ uint64) (string, bool) {
		n, rest, ok := numbered(letter, last, text)
		f.place.put(word, n)
		return rest, ok
	}
}

func numbered(letter string, last uint64, text string) (n uint64, rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, letter)
	if !ok {
		return 0, text, false
	}
	for _, name := range []string{"Z", "T"} {
		if cut, found := strings.CutPrefix(rest, name); found {
			return last, cut, (name == "Z") == (letter == "R")
		}
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.ParseUint(rest[:digits], 10, 16)
	return n, rest[digits:], err == nil && n < last
}

func nextText(f *Field, word, _ uint64) string {
	n := f.Value(word)
	if step := uint64(1) << (len(f.Name) / len("nextpair")); n != 255 {
		return registerName(n + step)
	}
	return registerName(n)
}

func scanNext(f *Field, text string, word *uint64, at uint64) (string, bool) {
	want := nextText(f, *word, at)
	return strings.CutPrefix(text, want)
}

// Constant returns the bank and the offset in bytes of a constant operand.
func (f *Field) Constant(word uint64) (bank, offset uint64) {
	v := f.Value(word)
	return v >> 14, v & (1<<14 - 1) << 2
}

func constantText(format string) func(*Field, uint64, uint64) string {
	return func(f *Field, word, _ uint64) string {
		bank, offset := f.Constant(word)
		return fmt.Sprintf(format, bank, offset)
	}
}

func scanConstant(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	bank, rest, ok := scanHexBetween(text, "c[", "]")
	if !ok {
		return text, false
	}
	offset, rest, ok := scanHexBetween(strings.TrimPrefix(rest, " "), "[", "]")
	f.place.put(word, bank<<14|offset>>2)
	return rest, ok && bank < 32 && offset < 1<<16 && offset%4 == 0
}

func scanHexBetween(text, open, shut string) (v uint64, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(text, open); !ok {
		return 0, text, false
	}
	n, rest, ok := scanHex(rest)
	if !ok || n < 0 {
		return 0, text, false
	}
	rest, ok = strings.CutPrefix(rest, shut)
	return uint64(n), rest, ok
}

// scanHex reads a number as it is printed: 0x10, -0x10.
func scanHex(text string) (v int64, rest string, ok bool) {
	rest, negative := strings.CutPrefix(text, "-")
	rest, ok = strings.CutPrefix(rest, "0x")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789abcdef"))
	n, err := strconv.ParseUint(rest[:digits], 16, 63)
	if v = int64(n); negative {
		v = -v
	}
	return v, rest[digits:], ok && err == nil
}

func hexNumber(v int64) string {
	if v < 0 {
		return fmt.Sprintf("-0x%x", -v)
	}
	return fmt.Sprintf("0x%x", v)
}

func signedText(f *Field, word, _ uint64) string {
	return hexNumber(signed(f.Value(word), f.place.width()))
}

func hexText(f *Field, word, _ uint64) string { return fmt.Sprintf("0x%x", f.Value(word)) }

func scanInteger(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	v, rest, ok := scanHex(text)
	w := f.place.width()
	f.place.put(word, uint64(v))
	if f.Name == "s" {
		return rest, ok && signed(uint64(v), w) == v
	}
	return rest, ok && v >= 0 && bits.Len64(uint64(v)) <= w
}

// Float returns the bits of a floating-point immediate: of an f32, or of an f64 for the kind double.
func (f *Field) Float(word uint64) uint64 {
	v := f.Value(word)
	switch f.Name {
	case "float":
		return v << 12
	case "double":
		return v << 44
	}
	return v
}

func floatText(f *Field, word, _ uint64) string {
	v := f.Float(word)
	x := math.Float64frombits(v)
	if f.Name != "double" {
		x = float64(math.Float32frombits(uint32(v)))
	}
	sign := ""
	if math.Signbit(x) {
		sign = "-"
	}
	switch {
	case math.IsInf(x, 0):
		return strings.TrimPrefix("+"+sign, strings.Repeat("+", len(sign))) + "INF "
	case math.IsNaN(x):
		return nanText(f.Name, v, sign)
	case math.Abs(x) >= 1e16:
		return strconv.FormatFloat(x, 'e', 20, 64)
	}
	return printG(x)
}

// nanText names a NaN. What the payload of one that is not the usual one looks like in print is not known; it follows in hexadecimal, so
// that the text says all bits.
func nanText(kind string, v uint64, sign string) string {
	usual := uint64(0x7fc00000)
	if kind == "double" {
		usual = 0x7ff8000000000000
	}
	text := "+QNAN "
	if sign != "" {
		text = "-QNAN "
	}
	if v&usual != usual || v<<1&^(usual<<1) != 0 {
		text += fmt.Sprintf("0x%x ", v)
	}
	return text
}

// printG prints as C's %.20g does.
func printG(x float64) string {
	s := strconv.FormatFloat(x, 'e', 19, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	if e < -4 || e >= 20 {
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		return fmt.Sprintf("%se%+03d", mantissa, e)
	}
	s = strconv.FormatFloat(x, 'f', 19-e, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func scanFloat(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	negative := strings.HasPrefix(text, "-")
	double := f.Name == "double"
	var v uint64
	rest := strings.TrimLeft(text, "+-")
	switch {
	case strings.HasPrefix(rest, "INF"):
		rest = strings.TrimPrefix(rest[3:], " ")
		v = 0x7f800000
		if double {
			v = 0x7ff0000000000000
		}
	case strings.HasPrefix(rest, "QNAN"):
		rest = strings.TrimPrefix(rest[4:], " ")
		v = 0x7fc00000
		if double {
			v = 0x7ff8000000000000
		}
		if strings.HasPrefix(rest, "0x") {
			digits := 2 + len(rest[2:]) - len(strings.TrimLeft(rest[2:], "0123456789abcdef"))
			v, _ = strconv.ParseUint(rest[2:digits], 16, 64)
			rest = strings.TrimPrefix(rest[digits:], " ")
		}
	default:
		end := 0
		for end < len(rest) && (strings.ContainsRune("0123456789.", rune(rest[end])) || rest[end] == 'e' ||
			strings.ContainsRune("+-", rune(rest[end])) && end > 0 && rest[end-1] == 'e') {
			end++
		}
		number := rest[:end]
		number = strings.TrimSuffix(number, ".") // of .NEG behind it
		rest = rest[len(number):]
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return text, false
		}
		if v = math.Float64bits(x); !double {
			if v = uint64(math.Float32bits(float32(x))); float64(float32(x)) != x {
				// Twenty digits say every f32 exactly enough.
				y, _ := strconv.ParseFloat(number, 32)
				v = uint64(math.Float32bits(float32(y)))
			}
		}
	}
	if negative && double {
		v |= 1 << 63
	} else if negative {
		v |= 1 << 31
	}
	lost := map[string]int{"float": 12, "double": 44}[f.Name]
	f.place.put(word, v>>lost)
	return rest, bits.TrailingZeros64(v) >= lost || v == 0
}

// Base is where an operand's base register lies.
var base = place{{10, 8}}

// Memory returns the base register of an address and what is added to it.
func (f *Field) Memory(word uint64) (register uint64, offset int64) {
	if f.Name == "ldg" {
		return base.get(word), 0
	}
	return base.get(word), signed(f.Value(word), f.place.width())
}

func memoryText(f *Field, word, _ uint64) string {
	register, offset := f.Memory(word)
	if offset == 0 {
		return "[" + registerName(register) + "]"
	}
	return "[" + registerName(register) + "+" + hexNumber(offset) + "]"
}

func scanMemory(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	rest, ok := strings.CutPrefix(text, "[")
	if !ok {
		return text, false
	}
	register, rest, ok := numbered("R", 255, rest)
	offset := int64(0)
	if cut, more := strings.CutPrefix(rest, "+"); ok && more {
		offset, rest, ok = scanHex(cut)
	}
	if !ok || f.Name == "ldg" && offset != 0 || f.Name != "ldg" && signed(uint64(offset), f.place.width()) != offset {
		return text, false
	}
	if f.Name != "ldg" {
		f.place.put(word, uint64(offset))
	}
	base.put(word, register)
	return strings.CutPrefix(rest, "]")
}

// Indexed returns the bank, the offset and the index register of an LDC.
func (f *Field) Indexed(word uint64) (bank uint64, offset int64, register uint64) {
	v := f.Value(word)
	return v >> 16, signed(v&0xffff, 16), base.get(word)
}

func indexedText(f *Field, word, _ uint64) string {
	bank, offset, register := f.Indexed(word)
	switch {
	case register == 255:
		return fmt.Sprintf("c[0x%x][%s]", bank, hexNumber(offset))
	case offset == 0:
		return fmt.Sprintf("c[0x%x][%s]", bank, registerName(register))
	}
	return fmt.Sprintf("c[0x%x][%s+%s]", bank, registerName(register), hexNumber(offset))
}

func scanIndexed(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	bank, rest, ok := scanHexBetween(text, "c[", "][")
	register, offset := uint64(255), int64(0)
	if ok && strings.HasPrefix(rest, "R") {
		register, rest, ok = numbered("R", 255, rest)
		if cut, more := strings.CutPrefix(rest, "+"); ok && more {
			offset, rest, ok = scanHex(cut)
		}
	} else if ok {
		offset, rest, ok = scanHex(rest)
	}
	if !ok || bank > 31 || signed(uint64(offset), 16) != offset {
		return text, false
	}
	f.place.put(word, bank<<16|uint64(offset)&0xffff)
	base.put(word, register)
	return strings.CutPrefix(rest, "]")
}

// Target returns where a branch at an address leads.
func (f *Field) Target(word, at uint64) uint64 {
	return at + 8 + uint64(signed(f.Value(word), f.place.width()))
}

func targetText(f *Field, word, at uint64) string { return hexNumber(int64(f.Target(word, at))) }

func scanTarget(f *Field, text string, word *uint64, at uint64) (string, bool) {
	v, rest, ok := scanHex(text)
	distance := v - int64(at) - 8
	f.place.put(word, uint64(distance))
	return rest, ok && signed(uint64(distance), f.place.width()) == distance
}

func specialText(f *Field, word, _ uint64) string {
	if name := specials[f.Value(word)]; name != "" {
		return name
	}
	return fmt.Sprintf("SR%d", f.Value(word))
}

func scanSpecial(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	for n := range uint64(256) {
		f.place.put(word, n)
		if specialText(f, *word, 0) == text { // it stands last
			return "", true
		}
	}
	return text, false
}

func conditionText(before, behind string) func(*Field, uint64, uint64) string {
	return func(f *Field, word, _ uint64) string {
		if c := f.Value(word); c != conditionTrue {
			return before + conditions[c] + behind
		}
		return ""
	}
}

func scanCondition(before, behind string) func(*Field, string, *uint64, uint64) (string, bool) {
	return func(f *Field, text string, word *uint64, _ uint64) (string, bool) {
		rest, found := strings.CutPrefix(text, before)
		if !found {
			f.place.put(word, conditionTrue)
			return text, true
		}
		end := strings.IndexAny(rest+",", ", ")
		n := slices.Index(conditions, rest[:end])
		if n < 0 {
			return text, false
		}
		f.place.put(word, uint64(n))
		return strings.CutPrefix(rest[end:], behind)
	}
}

func lanesText(f *Field, word, _ uint64) string {
	if v := f.Value(word); v != 15 {
		return fmt.Sprintf(", 0x%x", v)
	}
	return ""
}

func scanLanes(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	rest, found := strings.CutPrefix(text, ", ")
	if !found {
		f.place.put(word, 15)
		return text, true
	}
	v, rest, ok := scanHex(rest)
	f.place.put(word, uint64(v))
	return rest, ok && v >= 0 && v < 15
}

// either are operands that are a register or, where a bit is set, a number: their places.
var either = map[string][2]place{
	"lane": {{{23, 8}}, {{23, 5}}}, "bound": {{{42, 8}}, {{37, 13}}}, "barrier": {{{10, 8}}, {{10, 8}}}, "count": {{{23, 8}}, {{23, 12}}},
}

// eitherBit is the bit that makes such an operand a number.
var eitherBit = map[string]int{"lane": 31, "bound": 32, "barrier": 47, "count": 46}

// Either returns an operand that is a register or a number.
func (f *Field) Either(word uint64) (value uint64, number bool) {
	bit := word >> eitherBit[f.Name] & 1
	return either[f.Name][bit].get(word), bit != 0
}

func eitherText(int) func(*Field, uint64, uint64) string {
	return func(f *Field, word, _ uint64) string {
		if v, number := f.Either(word); !number {
			return registerName(v)
		}
		v, _ := f.Either(word)
		return fmt.Sprintf("0x%x", v)
	}
}

func scanEither(bit int) func(*Field, string, *uint64, uint64) (string, bool) {
	return func(f *Field, text string, word *uint64, _ uint64) (string, bool) {
		if strings.HasPrefix(text, "R") {
			n, rest, ok := numbered("R", 255, text)
			*word &^= 1 << bit
			either[f.Name][0].put(word, n)
			return rest, ok
		}
		v, rest, ok := scanHex(text)
		*word |= 1 << bit
		either[f.Name][1].put(word, uint64(v))
		return rest, ok && v >= 0 && bits.Len64(uint64(v)) <= either[f.Name][1].width()
	}
}

func countText(f *Field, word, at uint64) string {
	if v, number := f.Either(word); number && v == 0 {
		return ""
	}
	return ", " + eitherText(0)(f, word, at)
}

func scanCount(f *Field, text string, word *uint64, at uint64) (string, bool) {
	rest, found := strings.CutPrefix(text, ", ")
	if !found || strings.HasPrefix(rest, "P") || strings.HasPrefix(rest, "!") {
		*word |= 1 << eitherBit["count"]
		return text, true
	}
	return scanEither(eitherBit["count"])(f, rest, word, at)
}

// barrierModes is where a barrier says what it is, barrierReduction what it says where it reads a predicate.
var barrierModes = place{{35, 5}}

func barrierReduction(word uint64) bool {
	mode := barrierModes.get(word)
	return mode == 2 || mode == 10 || mode == 18
}

func barrierPredicateText(f *Field, word, at uint64) string {
	if !barrierReduction(word) {
		return ""
	}
	not := ""
	if word>>45&1 != 0 {
		not = "!"
	}
	return ", " + not + predicateText(f, word, at)
}

func scanBarrierPredicate(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	if !barrierReduction(*word) {
		f.place.put(word, 7)
		return text, true
	}
	rest, ok := strings.CutPrefix(text, ", ")
	if cut, not := strings.CutPrefix(rest, "!"); not {
		*word |= 1 << 45
		rest = cut
	}
	n, rest, valid := numbered("P", 7, rest)
	f.place.put(word, n)
	return rest, ok && valid
}

func displacementText(f *Field, word, _ uint64) string {
	if v := signed(f.Value(word), f.place.width()); v != 0 {
		return " " + hexNumber(v)
	}
	return ""
}

func scanDisplacement(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	rest, found := strings.CutPrefix(text, " ")
	if !found {
		return text, true
	}
	v, rest, ok := scanHex(rest)
	f.place.put(word, uint64(v))
	return rest, ok && signed(uint64(v), f.place.width()) == v
}

// Signed returns a field's bits with the sign extended.
func (f *Field) Signed(word uint64) int64 { return signed(f.Value(word), f.place.width()) }

// Special returns the name of a special register.
func Special(number uint64) string { return specials[number] }
