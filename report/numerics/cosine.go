package numerics

import (
	"fmt"
	"io"
	"math/big"
	"strconv"
	"text/tabwriter"

	"github.com/keplersim/keplersim/isa/fp"
)

// x87Pi returns the π that the x87's trigonometric instructions reduce arguments with: 66 bits of it (Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 1, section 8.3.8).
func x87Pi() *big.Float {
	digits, _ := new(big.Int).SetString("C90FDAA22168C234C", 16)
	pi := newFloat().SetInt(digits)
	return pi.SetMantExp(pi, -66)
}

// X87Cos is FCOS: the argument reduced with 66 bits of π, the result rounded to 64 bits.
func X87Cos(x *big.Float) fp.Number {
	pi := x87Pi()
	turns, _ := newFloat().Quo(x, pi).Int(nil)
	r := newFloat().Sub(x, newFloat().Mul(newFloat().SetInt(turns), pi))
	y := Cos(r)
	if turns.Bit(0) == 1 {
		y.Neg(y)
	}
	return fp.Extended.Rounded(numberOf(y), fp.RoundNearest)
}

// WriteCosine prints the cosine of an f64 as computed with a long π and rounded to double, by the x87, and by the GPU's multifunction unit
// in f32.
func WriteCosine(out io.Writer, x uint64) error {
	n := fp.Double.Unpack(x)
	if n.Class == fp.NaN || n.Class == fp.Infinite {
		return fmt.Errorf("cos of %s is not a number", Decimal(&fp.Double, x))
	}
	value := Exact(n)
	exact := Cos(value)
	double := fp.Double.Pack(numberOf(exact), fp.RoundNearest)
	x87 := fp.Double.Pack(X87Cos(value), fp.RoundNearest)
	single := fp.Single.Pack(n, fp.RoundNearest)
	unit := uint64(fp.CosApprox32(uint32(single), fp.Control{}))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "cos(%s)\tRESULT\tBITS\tERROR IN ULP\tHOW\n", value.Text('f', 6))
	row := func(name string, f *fp.Format, pattern uint64, how string) {
		n, _ := Exact(f.Unpack(pattern)).Float64()
		fmt.Fprintf(w, "%s\t%s\t%s\t%.4g\t%s\n", name, strconv.FormatFloat(n, 'g', 10, 64), Hex(f, pattern), ErrorULP(f, pattern, exact),
			how)
	}
	row("double", &fp.Double, double, "correctly rounded, as 64-bit code with SSE has it")
	row("x87", &fp.Double, x87, "FCOS: reduced with 66 bits of π, 64-bit significand, stored as double")
	row("GPU", &fp.Single, unit, "cos.approx.f32: the multifunction unit, after a multiplication by 1/2π in f32")
	return w.Flush()
}
