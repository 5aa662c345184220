package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
)

// Expectation is what a buffer must hold after the last step: a hash of its bytes, a file of them, its first values, or the contents that
// a buffer could start with. All but a hash may come with tolerances; an element is right when any one of those given holds. Without one,
// bytes must be equal.
type Expectation struct {
	Buffer   string
	SHA256   string // lower-case hexadecimal
	File     string // as written; see Workload.File
	Values   []Number
	Init     *Init   // of the whole buffer, as it could start; nil where another form is used
	ULP      uint64  // units in the last place; for integers, the difference
	Abs, Rel float64 // of the expected value
	Position Position
}

// Difference is one element that is not as expected.
type Difference struct {
	Index         int64 // element
	Expected, Got string
	ULP           uint64 // distance in units in the last place; for integers the difference
	Comparable    bool   // ULP means something: neither side is NaN, the type is not untyped
}

// Mismatch says how a buffer differs from what was expected.
type Mismatch struct {
	Buffer      string
	Symbol      bool         // the buffer is a module's variable
	Differing   int64        // elements
	Compared    int64        // elements
	First       []Difference // the first few
	WantSHA256  string       // set where a hash was expected: then no element is known to differ
	FoundSHA256 string
}

// mostDifferences is how many elements a mismatch lists.
const mostDifferences = 10

// String returns a report of one line a differing element.
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

// Check compares a buffer's final bytes with each expectation of it in the file. It returns nil where all hold or the
// file expects nothing of the buffer. The error tells of an expected file that cannot be read.
func (w *Workload) Check(name string, got []byte) (*Mismatch, error) {
	b, ok := w.Buffer(name)
	if !ok {
		return nil, fmt.Errorf("there is no buffer %q", name)
	}
	if int64(len(got)) != b.Bytes() {
		return nil, fmt.Errorf("%s has %d bytes, not %d", b.what(), b.Bytes(), len(got))
	}
	for _, e := range w.Expect {
		if e.Buffer != name {
			continue
		}
		m, err := w.compare(e, b, got)
		if m != nil {
			m.Symbol = b.Symbol != nil
		}
		if m != nil || err != nil {
			return m, err
		}
	}
	return nil, nil
}

// Compare compares a buffer's bytes with those that another run gave, within tolerances. It returns nil where they are alike.
func (w *Workload) Compare(name string, want, got []byte, tolerances Expectation) (*Mismatch, error) {
	b, ok := w.Buffer(name)
	if !ok {
		return nil, fmt.Errorf("there is no buffer %q", name)
	}
	if int64(len(want)) != b.Bytes() || int64(len(got)) != b.Bytes() {
		return nil, fmt.Errorf("%s has %d bytes, not %d and %d", b.what(), b.Bytes(), len(want), len(got))
	}
	m := tolerances.compareElements(b, want, got)
	if m != nil {
		m.Symbol = b.Symbol != nil
	}
	return m, nil
}

func (w *Workload) compare(e Expectation, b Buffer, got []byte) (*Mismatch, error) {
	if e.SHA256 != "" {
		sum := sha256.Sum256(got)
		if found := hex.EncodeToString(sum[:]); found != e.SHA256 {
			return &Mismatch{Buffer: b.Name, WantSHA256: e.SHA256, FoundSHA256: found}, nil
		}
		return nil, nil
	}
	var want []byte
	switch {
	case e.Init != nil:
		b.Init = *e.Init
		var err error
		if want, err = w.Initial(b); err != nil {
			return nil, fmt.Errorf("expected result of %s: %w", b.what(), err)
		}
	case e.File != "":
		var err error
		if want, err = files.Read(w.File(e.File), int64(len(got))); err != nil {
			return nil, fmt.Errorf("expected result of %s: %w", b.what(), err)
		}
		if len(want) != len(got) {
			return nil, fmt.Errorf("expected result of %s: %s has %d bytes, but the buffer has %d", b.what(), e.File, len(want), len(got))
		}
	default:
		want = make([]byte, len(e.Values)*b.Type.Size())
		for i, v := range e.Values {
			bits, err := v.bits(b.Type)
			if err != nil {
				return nil, fmt.Errorf("expected result of %s: %w", b.what(), err)
			}
			b.Type.put(want[i*b.Type.Size():], bits)
		}
	}
	return e.compareElements(b, want, got[:len(want)]), nil
}

func (e Expectation) compareElements(b Buffer, want, got []byte) *Mismatch {
	size := b.Type.Size()
	m := &Mismatch{Buffer: b.Name, Compared: int64(len(want) / size)}
	for i := range m.Compared {
		x, y := b.Type.get(want[int(i)*size:]), b.Type.get(got[int(i)*size:])
		if x == y || e.within(b.Type, x, y) {
			continue
		}
		m.Differing++
		if len(m.First) < mostDifferences {
			d := Difference{Index: i, Expected: b.Type.format(x), Got: b.Type.format(y)}
			if d.Expected == d.Got { // NaNs of different bits
				d.Expected, d.Got = fmt.Sprintf("%s (0x%x)", d.Expected, x), fmt.Sprintf("%s (0x%x)", d.Got, y)
			}
			d.ULP, d.Comparable = b.Type.distance(x, y)
			m.First = append(m.First, d)
		}
	}
	if m.Differing == 0 {
		return nil
	}
	return m
}

// within says whether unequal bits are near enough. With any tolerance all NaNs are one.
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
			difference = math.Inf(1) // unequal, and no tolerance reaches infinity but one in units in the last place
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

// distance counts the representable values from one element to the other; both zeros are one value. It means nothing for
// NaN and for untyped bits.
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
