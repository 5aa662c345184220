package numerics

import (
	"fmt"
	"io"
	"math/big"
	"text/tabwriter"

	"github.com/keplersim/keplersim/isa/fp"
)

// The vectors of the dot product in Figure 5 of "Precision and Performance: Floating Point and IEEE 754 Compliance for NVIDIA GPUs". The
// document prints them rounded to seven digits. These f32 values round to the printed ones and give the figure's four results.
var (
	FigureA = []uint64{0x3ff42c76, 0xbf494494, 0x3f92db19, 0x3f75dcc9}
	FigureB = []uint64{0xbf6f7cee, 0xbf3106da, 0x3fdcbb70, 0xbf35b25d}
)

// dotMethod is an algorithm for a dot product.
type dotMethod struct {
	name    string
	compute func(m Machine, f *fp.Format, a, b []fp.Number) fp.Number
}

var dotMethods = []dotMethod{
	{"serial", serialDot},
	{"fma", fusedDot},
	{"parallel", parallelDot},
}

func serialDot(m Machine, f *fp.Format, a, b []fp.Number) fp.Number {
	var total fp.Number
	for i := range a {
		total = m.Add(f, total, m.Mul(f, a[i], b[i]))
	}
	return total
}

func fusedDot(m Machine, f *fp.Format, a, b []fp.Number) fp.Number {
	var total fp.Number
	for i := range a {
		total = m.MulAdd(f, a[i], b[i], total)
	}
	return total
}

func parallelDot(m Machine, f *fp.Format, a, b []fp.Number) fp.Number {
	switch len(a) {
	case 0:
		return fp.Number{}
	case 1:
		return m.Mul(f, a[0], b[0])
	}
	half := (len(a) + 1) / 2
	return m.Add(f, parallelDot(m, f, a[:half], b[:half]), parallelDot(m, f, a[half:], b[half:]))
}

// WriteDot writes the dot product of two vectors by each method on each machine, and the exact value.
func WriteDot(out io.Writer, f *fp.Format, a, b []uint64) error {
	if len(a) != len(b) {
		return fmt.Errorf("the vectors have %d and %d elements", len(a), len(b))
	}
	exact := newFloat()
	for i := range a {
		exact.Add(exact, newFloat().Mul(Exact(f.Unpack(a[i])), Exact(f.Unpack(b[i]))))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MACHINE\tMETHOD\tRESULT\tBITS\tERROR IN ULP")
	fmt.Fprintf(w, "exact\t\t%s\t%s…\t\n", Shown(exact), Hex(f, f.Pack(numberOf(exact), fp.RoundZero)))
	for _, machine := range Machines {
		m, err := machine.For(f)
		if err != nil {
			continue
		}
		for _, method := range dotMethods {
			if method.name == "fma" && !m.fused && !m.cutsMAD {
				continue
			}
			name := method.name
			if name == "fma" && m.cutsMAD {
				name = "mad"
			}
			result := m.Store(f, method.compute(m, f, loaded(m, f, a), loaded(m, f, b)))
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%+.3f\n", m.Name, name, Decimal(f, result), Hex(f, result), ErrorULP(f, result, exact))
		}
	}
	return w.Flush()
}

func loaded(m Machine, f *fp.Format, patterns []uint64) []fp.Number {
	numbers := make([]fp.Number, len(patterns))
	for i, x := range patterns {
		numbers[i] = m.Load(f, x)
	}
	return numbers
}

// FigureTerms are the three values of section 2.2 of the same document.
var FigureTerms = []uint64{0x40000001, 0x3f800001, 0x41000001}

// WriteAssociativity writes (A+B)+C and A+(B+C), exact and rounded, in binary.
func WriteAssociativity(out io.Writer, f *fp.Format, terms []uint64) error {
	if len(terms) != 3 {
		return fmt.Errorf("give three values, not %d", len(terms))
	}
	m, err := Machines[0].For(f)
	if err != nil {
		return err
	}
	n := loaded(m, f, terms)
	ab, bc := m.Add(f, n[0], n[1]), m.Add(f, n[1], n[2])
	left, right := m.Add(f, ab, n[2]), m.Add(f, n[0], bc)
	exact := newFloat().Add(newFloat().Add(Exact(n[0]), Exact(n[1])), Exact(n[2]))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, name := range []string{"A", "B", "C"} {
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, Binary(Exact(n[i])), Hex(f, terms[i]))
	}
	row := func(name string, x *big.Float, stored *fp.Number) {
		if stored == nil {
			fmt.Fprintf(w, "%s\t%s\t\n", name, Binary(x))
			return
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, Binary(Exact(*stored)), Hex(f, m.Store(f, *stored)))
	}
	row("A+B", newFloat().Add(Exact(n[0]), Exact(n[1])), nil)
	row("rn(A+B)", nil, &ab)
	row("B+C", newFloat().Add(Exact(n[1]), Exact(n[2])), nil)
	row("rn(B+C)", nil, &bc)
	row("A+B+C", exact, nil)
	row("rn(rn(A+B)+C)", nil, &left)
	row("rn(A+rn(B+C))", nil, &right)
	if err := w.Flush(); err != nil {
		return err
	}
	l, r := ErrorULP(f, m.Store(f, left), exact), ErrorULP(f, m.Store(f, right), exact)
	_, err = fmt.Fprintf(out, "\n(A+B)+C is off by %+.4f ulp, A+(B+C) by %+.4f ulp\n", l, r)
	return err
}

// Binary formats a value as 2^e × 1.fraction with all its bits.
func Binary(x *big.Float) string {
	if x.Sign() == 0 {
		return "0"
	}
	m := newFloat()
	e := x.MantExp(m) - 1
	digits := ""
	m.Abs(m)
	m.SetMantExp(m, 1)
	for range 1200 {
		whole, _ := m.Int64()
		digits += string(rune('0' + whole))
		m.Sub(m, newFloat().SetInt64(whole))
		if m.Sign() == 0 {
			break
		}
		m.SetMantExp(m, 1)
	}
	sign := ""
	if x.Sign() < 0 {
		sign = "-"
	}
	fraction := digits[1:]
	if fraction == "" {
		fraction = "0"
	}
	return fmt.Sprintf("%s2^%d × 1.%s", sign, e, fraction)
}
