package workload

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Expectation is the expected content of a buffer after the last step: a hash of its bytes, a file, the first values, or a form of initial
// contents. All forms except a hash can have tolerances: an element is right if it is within any of them. Without tolerances, bytes must be
// equal.
type Expectation struct {
	Buffer   string
	SHA256   string // lower-case hexadecimal
	File     string // as written in the workload file; see Workload.File
	Values   []Number
	Init     *Init   // for the whole buffer, in a form of initial contents; nil for another form
	ULP      uint64  // units in the last place; for integers, the difference
	Abs, Rel float64 // Rel is a fraction of the expected value
	Position Position
}

// Difference is one wrong element.
type Difference struct {
	Index         int64 // element
	Expected, Got string
	ULP           uint64 // distance in units in the last place
	Comparable    bool   // ULP is valid: the type is floating-point, and neither side is NaN
}

// Mismatch describes the differences of a buffer from the expectation.
type Mismatch struct {
	Buffer      string
	Symbol      bool         // the buffer is a module's variable
	Differing   int64        // elements
	Compared    int64        // elements
	First       []Difference // the first few
	WantSHA256  string       // set for an expected hash: then the differing elements are unknown
	FoundSHA256 string
}

// mostDifferences is the most elements that a mismatch lists.
const mostDifferences = 10

// String lists the differing elements, one a line.
func (m *Mismatch) String() string {
	kind := "buffer"
	if m.Symbol {
		kind = "symbol"
	}
	if m.WantSHA256 != "" {
		return fmt.Sprintf("%s %s differs from the expected result: sha256 is %s, expected %s", kind, m.Buffer, m.FoundSHA256, m.WantSHA256)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s differs from the expected result in %d of %d elements", kind, m.Buffer, m.Differing, m.Compared)
	for _, d := range m.First {
		fmt.Fprintf(&b, "\n  %s[%d] = %s, expected %s", m.Buffer, d.Index, d.Got, d.Expected)
		if d.Comparable {
			fmt.Fprintf(&b, " (%d ulp)", d.ULP)
		}
	}
	if more := m.Differing - int64(len(m.First)); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// Check compares the final contents of a buffer, read from got, with the file's expectations. It returns nil if all hold or there are none.
// The error is about an unreadable expected file, or comes from got.
func (w *Workload) Check(name string, got io.ReaderAt) (*Mismatch, error) {
	b, ok := w.Buffer(name)
	if !ok {
		return nil, fmt.Errorf("there is no buffer %q", name)
	}
	for _, e := range w.Expect {
		if e.Buffer != name {
			continue
		}
		m, err := w.compare(e, b, got)
		if err != nil {
			return nil, fmt.Errorf("expected result of %s: %w", b.what(), err)
		}
		if m != nil {
			m.Symbol = b.Symbol != nil
			return m, nil
		}
	}
	return nil, nil
}

// Compare compares a buffer's bytes with those of another run, within tolerances. It returns nil if they agree.
func (w *Workload) Compare(name string, want, got []byte, tolerances Expectation) (*Mismatch, error) {
	b, ok := w.Buffer(name)
	if !ok {
		return nil, fmt.Errorf("there is no buffer %q", name)
	}
	if int64(len(want)) != b.Bytes() || int64(len(got)) != b.Bytes() {
		return nil, fmt.Errorf("%s has %d bytes, not %d and %d", b.what(), b.Bytes(), len(want), len(got))
	}
	m := &Mismatch{Buffer: b.Name, Symbol: b.Symbol != nil}
	tolerances.compareElements(m, b.Type, 0, want, got)
	return m.orNil(), nil
}

// compare compares a buffer's contents with one expectation, piece by piece.
func (w *Workload) compare(e Expectation, b Buffer, got io.ReaderAt) (*Mismatch, error) {
	if e.SHA256 != "" {
		found, err := HashOf(got, b.Bytes())
		if err != nil || found == e.SHA256 {
			return nil, err
		}
		return &Mismatch{Buffer: b.Name, WantSHA256: e.SHA256, FoundSHA256: found}, nil
	}
	compared := b.Bytes()
	switch {
	case e.Init != nil:
		b.Init = *e.Init
	case e.File != "":
		b.Init = Init{Kind: InitFile, File: e.File}
	default:
		b.Init, compared = Init{Kind: InitValues, Values: e.Values}, int64(len(e.Values)*b.Type.Size())
	}
	want, err := w.Contents(b, nil)
	if err != nil {
		return nil, err
	}
	defer want.Close()
	if e.File != "" && want.headBytes != want.bytes {
		return nil, fmt.Errorf("%s has %d bytes, but the buffer has %d", e.File, want.headBytes, want.bytes)
	}
	m := &Mismatch{Buffer: b.Name}
	other := make([]byte, min(compared, pieceBytes))
	err = InPieces(got, 0, compared, func(offset int64, piece []byte) error {
		if _, err := want.ReadAt(other[:len(piece)], offset); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		e.compareElements(m, b.Type, offset, other[:len(piece)], piece)
		return nil
	})
	return m.orNil(), err
}

// HashOf returns the SHA-256 of the first bytes, in lower-case hexadecimal.
func HashOf(from io.ReaderAt, bytes int64) (string, error) {
	hash := sha256.New()
	err := InPieces(from, 0, bytes, func(_ int64, piece []byte) error {
		_, err := hash.Write(piece)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}

// compareElements adds a piece of a buffer, at an offset in bytes, to a mismatch.
func (e Expectation) compareElements(m *Mismatch, t Type, offset int64, want, got []byte) {
	size := t.Size()
	first, count := offset/int64(size), len(want)/size
	m.Compared += int64(count)
	if bytes.Equal(want, got) {
		return
	}
	for i := range count {
		x, y := t.get(want[i*size:]), t.get(got[i*size:])
		if x == y || e.within(t, x, y) {
			continue
		}
		m.Differing++
		if len(m.First) < mostDifferences {
			d := Difference{Index: first + int64(i), Expected: t.format(x), Got: t.format(y)}
			if d.Expected == d.Got { // NaNs with different bits
				d.Expected, d.Got = fmt.Sprintf("%s (0x%x)", d.Expected, x), fmt.Sprintf("%s (0x%x)", d.Got, y)
			}
			if t.IsFloat() {
				d.ULP, d.Comparable = t.distance(x, y)
			}
			m.First = append(m.First, d)
		}
	}
}

// orNil returns the mismatch, or nil if no element differs.
func (m *Mismatch) orNil() *Mismatch {
	if m.Differing == 0 {
		return nil
	}
	return m
}

// within tells whether unequal bits are within a tolerance. With any tolerance all NaNs are equal.
func (e Expectation) within(t Type, want, got uint64) bool {
	if e.ULP == 0 && e.Abs == 0 && e.Rel == 0 {
		return false
	}
	if t.IsFloat() {
		w, g := t.floatValue(want), t.floatValue(got)
		if math.IsNaN(w) || math.IsNaN(g) {
			return math.IsNaN(w) && math.IsNaN(g)
		}
		difference := math.Abs(w - g)
		if math.IsInf(w, 0) || math.IsInf(g, 0) {
			difference = math.Inf(1) // unequal: only a tolerance in units in the last place can reach infinity
		}
		if difference <= e.Abs || !math.IsInf(difference, 1) && difference <= e.Rel*math.Abs(w) {
			return true
		}
	}
	ulp, comparable := t.distance(want, got)
	if comparable && !t.IsFloat() {
		magnitude := float64(want)
		if t.IsSigned() {
			magnitude = math.Abs(float64(t.signed(want)))
		}
		if float64(ulp) <= e.Abs || float64(ulp) <= e.Rel*magnitude {
			return true
		}
	}
	return comparable && ulp <= e.ULP
}

// distance counts the representable values from one element to the other; both zeros are one value. It is undefined for NaN and for untyped
// bits.
func (t Type) distance(x, y uint64) (uint64, bool) {
	switch {
	case t[0] == 'b':
		return 0, false
	case t.IsFloat():
		if math.IsNaN(t.floatValue(x)) || math.IsNaN(t.floatValue(y)) {
			return 0, false
		}
		sign := uint64(1) << (8*t.Size() - 1)
		a, b := x&^sign, y&^sign
		if (x^y)&sign != 0 {
			return a + b, true
		}
		return max(a, b) - min(a, b), true
	case t.IsSigned():
		a, b := t.signed(x), t.signed(y)
		return uint64(max(a, b)) - uint64(min(a, b)), true
	}
	return max(x, y) - min(x, y), true
}
