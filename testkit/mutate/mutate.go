// Package mutate makes hostile texts from good ones, by changes that have broken parsers before in hand-written and random attacks. The
// same seed gives the same text. Of formats it knows only that numbers, words, lines and brackets matter.
package mutate

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Numbers are border values of programs' number types.
var Numbers = []string{
	"0", "-1", "1", "7", "31", "32", "33", "63", "64", "255", "256", "1023", "1025", "65535", "65536", "99999", "2147483647", "2147483648",
	"-2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
	"18446744073709551616", "1e9", "1e308", "1e-320", "-0", "0x", "0x7fffffff", "0xffffffffffffffff", "0f3F800000", "0f7FC00001",
	"0d7FF0000000000000", "nan", "inf", "-inf", "1.5", ".5", "5.", "1_000", "1K", "48K", "١", "1e",
}

// Words are words with a meaning in some format, and malformed texts.
var Words = []string{
	"", "%", "%%", "@", "-", "--", "*", "&a", "*a", "<<", "~", "null", "true", "!!binary", "---", "...", "{", "}", "[", "]", "(", ")", "{{",
	"]]", ";", ",", ":", "|", ">", "?", "#", "//", "/*", "*/", "\"", "'", "\\", "\x00", "\xff\xfe", "é", "\u202e", "\t", "\r\n", ".reg",
	".entry", ".func", ".param", ".shared", ".local", ".const", ".extern", ".visible", ".b8", ".u32", ".f64", ".v4", ".align", "%r1", "%p1",
	"%rd1", "%tid.x", "%envreg0", "ret", "bra", "call", "bar.sync", "$A", "name", "host", "../..", "/dev/null", "f32", "extends", "kernel",
}

var (
	number = regexp.MustCompile(`-?\b(0[xfdXFD][0-9a-fA-F]+|[0-9]+(\.[0-9]+)?)`)
	word   = regexp.MustCompile(`[%$.]?[A-Za-z_][A-Za-z0-9_.]*`)
)

// Text changes a text, mostly in one place. others are similar texts from which it may take pieces.
func Text(seed uint64, text string, others ...string) string {
	random := rand.New(rand.NewPCG(seed, uint64(len(text))))
	count := 1
	if random.IntN(4) == 0 { // a single change gets further than several, whose first one is rejected
		count += random.IntN(4)
	}
	for range count {
		text = changes[random.IntN(len(changes))](random, text, others)
	}
	return text
}

// changes are the ways to change a text in one place. Those that keep most of it valid appear several times.
var changes = []func(r *rand.Rand, text string, others []string) string{
	changeNumber, changeNumber, changeNumber, changeNumber, moveLines, moveLines, moveLines, exchangeWord, exchangeWord, exchangeWord,
	func(r *rand.Rand, text string, _ []string) string { return replaceMatch(r, text, word, pick(r, Words)) },
	func(r *rand.Rand, text string, _ []string) string { // a word somewhere
		at := r.IntN(len(text) + 1)
		return text[:at] + pick(r, Words) + text[at:]
	},
	func(r *rand.Rand, text string, _ []string) string { // a bit flipped
		if text == "" {
			return text
		}
		b := []byte(text)
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		return string(b)
	},
	func(r *rand.Rand, text string, _ []string) string { return text[:r.IntN(len(text)+1)] }, // cut off
	func(r *rand.Rand, text string, _ []string) string { // a piece deleted
		from, to := span(r, len(text))
		return text[:from] + text[to:]
	},
	func(r *rand.Rand, text string, _ []string) string { // a piece repeated many times
		from, to := span(r, len(text))
		return text[:to] + strings.Repeat(text[from:to], r.IntN(20)) + text[to:]
	},
	func(r *rand.Rand, text string, others []string) string { // a piece of another text
		if len(others) == 0 {
			return text
		}
		other := pick(r, others)
		from, to := span(r, len(other))
		at := r.IntN(len(text) + 1)
		return text[:at] + other[from:min(to, from+2000)] + text[at:]
	},
	func(r *rand.Rand, text string, _ []string) string { // many opening brackets
		at := r.IntN(len(text) + 1)
		return text[:at] + strings.Repeat(pick(r, []string{"[", "{", "(", "- ", "a: ", "((", "{a: ", "-", "!", "~"}), 1+r.IntN(5000)) +
			text[at:]
	},
}

// Bytes changes data in up to four places, perhaps in place; other provides pieces. It is faster than Text and knows nothing of numbers,
// words and lines.
func Bytes(r *rand.Rand, data []byte, other string) []byte {
	for range 1 + r.IntN(4) {
		at := r.IntN(len(data) + 1)
		end := min(len(data), at+1+r.IntN(16))
		switch r.IntN(9) {
		case 0:
			if at < len(data) {
				data[at] ^= 1 << r.IntN(8)
			}
		case 1:
			for i := range data[at:end] {
				data[at+i] = byte(r.Uint32())
			}
		case 2:
			data = slices.Delete(data, at, end)
		case 3:
			data = slices.Insert(data, at, data[at:end]...)
		case 4:
			data = slices.Replace(data, at, end, []byte(pick(r, Numbers))...)
		case 5:
			data = slices.Insert(data, at, []byte(pick(r, Words))...)
		case 6:
			from := r.IntN(len(other) + 1)
			data = slices.Insert(data, at, []byte(other[from:min(len(other), from+1+r.IntN(32))])...)
		case 7:
			data = data[:at]
		case 8:
			for i := range data[at:end] {
				data[at+i] = 0xff * byte(r.IntN(2))
			}
		}
	}
	return data
}

// changeNumber replaces a number by a border value.
func changeNumber(r *rand.Rand, text string, _ []string) string {
	return replaceMatch(r, text, number, pick(r, Numbers))
}

// exchangeWord replaces a word by another word of the text.
func exchangeWord(r *rand.Rand, text string, _ []string) string {
	if all := word.FindAllString(text, -1); len(all) > 0 {
		return replaceMatch(r, text, word, pick(r, all))
	}
	return text
}

// moveLines deletes, repeats or moves lines.
func moveLines(r *rand.Rand, text string, _ []string) string {
	lines := strings.SplitAfter(text, "\n")
	from, to := span(r, len(lines))
	to = min(to, from+3)
	piece := append([]string(nil), lines[from:to]...)
	if r.IntN(3) > 0 {
		lines = append(append([]string(nil), lines[:from]...), lines[to:]...)
	}
	if r.IntN(3) > 0 {
		at := r.IntN(len(lines) + 1)
		lines = append(append(append([]string(nil), lines[:at]...), piece...), lines[at:]...)
	}
	return strings.Join(lines, "")
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// span returns a piece of n things, often a short one.
func span(r *rand.Rand, n int) (from, to int) {
	from = r.IntN(n + 1)
	most := n - from
	if r.IntN(2) > 0 {
		most = min(most, 20)
	}
	return from, from + r.IntN(most+1)
}

// replaceMatch replaces one match by a text.
func replaceMatch(r *rand.Rand, text string, pattern *regexp.Regexp, by string) string {
	all := pattern.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return text
	}
	at := all[r.IntN(len(all))]
	return text[:at[0]] + by + text[at[1]:]
}
