package numerics

import (
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/isa/fp"
)

// x87Pi returns the π with 66 bits to which the x87's trigonometric instructions reduce arguments (Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 1, section 8.3.8).
func x87Pi() *big.Float {
	digits, _ := new(big.Int).SetString("C90FDAA22168C234C", 16)
	pi := newFloat().SetInt(digits)
	return pi.SetMantExp(pi, -66)
}

// X87Cos computes FCOS: it reduces the argument with 66 bits of π, and rounds the result to 64 bits.
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

// Function is an elementary function of CUDA.
type Function struct {
	Name  string
	exact func(*big.Float) *big.Float // nil if it has no value
	x87   func(*big.Float) fp.Number  // nil if the x87 is not shown
	fast  string                      // how the fast f32 function is computed
}

// ElementaryFunctions are the functions that CUDA has in f64, in f32, and as a fast f32 version.
var ElementaryFunctions = []Function{
	{"cos", Cos, X87Cos, "cos.approx.f32, after a multiplication by 1/2π in f32"},
	{"sin", Sin, nil, "sin.approx.f32, after a multiplication by 1/2π in f32"},
	{"exp", func(x *big.Float) *big.Float {
		if x.MantExp(nil) > 12 { // beyond 4096 the result is outside of every format
			return nil
		}
		return Exp2(quo(x, ln2()))
	}, nil, "ex2.approx.f32, after a multiplication by log2(e) in f32"},
	{"log", func(x *big.Float) *big.Float {
		if x.Sign() <= 0 {
			return nil
		}
		return mul(Log2(x), ln2())
	}, nil, "lg2.approx.f32, then a multiplication by ln 2 in f32"},
}

// OnGPU has a function's results on the GPU: the f64 function of x, and the f32 and fast functions of x rounded to f32.
type OnGPU struct {
	Double       uint64
	Single, Fast uint32
}

// Write writes the function of an f64, with each result's distance from the exact value for its own argument.
func (f *Function) Write(out io.Writer, x uint64, gpu OnGPU) error {
	n := fp.Double.Unpack(x)
	single := fp.Single.Pack(n, fp.RoundNearest)
	values := map[*fp.Format]*big.Float{} // exact values, by the argument's format
	for format, pattern := range map[*fp.Format]uint64{&fp.Double: x, &fp.Single: single} {
		if n := format.Unpack(pattern); n.Class != fp.NaN && n.Class != fp.Infinite {
			values[format] = f.exact(Exact(n))
		}
		if values[format] == nil {
			return fmt.Errorf("%s(%s) is not a number that %s has", f.Name, Decimal(format, pattern), format.Name)
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s(%s)\tRESULT\tBITS\tERROR IN ULP\tHOW\n", f.Name, Exact(n).Text('f', 6))
	row := func(name string, format *fp.Format, pattern uint64, how string) {
		n := format.Unpack(pattern)
		text, off := Decimal(format, pattern), "-"
		if n.Class != fp.Infinite && n.Class != fp.NaN {
			v, _ := Exact(n).Float64()
			text, off = strconv.FormatFloat(v, 'g', 10, 64), "0"
			if exact := values[format]; Exact(n).Cmp(exact) != 0 && exact.Sign() != 0 {
				off = fmt.Sprintf("%.4g", ErrorULP(format, pattern, exact))
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, text, Hex(format, pattern), off, how)
	}
	row("double", &fp.Double, fp.Double.Pack(numberOf(values[&fp.Double]), fp.RoundNearest),
		"correctly rounded, as 64-bit code with SSE has it")
	if f.x87 != nil {
		row("x87", &fp.Double, fp.Double.Pack(f.x87(Exact(n)), fp.RoundNearest),
			"F"+strings.ToUpper(f.Name)+": reduced with 66 bits of π, 64-bit significand, stored as double")
	}
	row("GPU "+f.Name, &fp.Double, gpu.Double, "CUDA's function of a double")
	row("GPU "+f.Name+"f", &fp.Single, uint64(gpu.Single), "CUDA's function of a float")
	row("GPU __"+f.Name+"f", &fp.Single, uint64(gpu.Fast), "the fast one, and "+f.Name+"f with -use_fast_math: "+f.fast)
	if err := w.Flush(); err != nil {
		return err
	}
	if Exact(fp.Single.Unpack(single)).Cmp(Exact(n)) != 0 {
		if _, err := fmt.Fprintf(out, "%s is no float: the functions of floats are of %s, and their errors are from its %s.\n",
			Decimal(&fp.Double, x), Exact(fp.Single.Unpack(single)).Text('g', 12), f.Name); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%s and %sf are those of keplersim's CUDA headers. On a card the last digit can differ.\n", f.Name, f.Name)
	return err
}
