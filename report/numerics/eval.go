package numerics

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/isa/fp"
)

// WriteEvaluation writes an instruction's operands, its result on the GPU, the exact result and how it was rounded, and the results of
// other machines.
func WriteEvaluation(out io.Writer, in *Instruction) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, in.Text)
	for i, x := range in.Operands {
		fmt.Fprintf(w, "  %c\t%s\n", 'a'+i, describe(in.Inputs[i], x))
	}
	result := in.Result()
	fmt.Fprintf(w, "  result\t%s\n", describe(in.Output, result))
	if exact, ok := in.exact(); ok {
		fmt.Fprintf(w, "  exact\t%s\n", Shown(exact))
		if f, ok := Formats[in.Output]; ok {
			fmt.Fprintf(w, "  rounded\t%s\n", direction(f, result, exact))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return in.writeMachines(out)
}

func describe(ptxType string, x uint64) string {
	f, isFloat := Formats[ptxType]
	switch {
	case isFloat:
		return fmt.Sprintf("%s\t%s\t%s", Hex(f, x), Decimal(f, x), Fields(f, x))
	case ptxType == "pred":
		return strconv.FormatBool(x != 0)
	}
	width := widths[ptxType]
	x &= math.MaxUint64 >> (64 - width)
	text := strconv.FormatUint(x, 10)
	if ptxType[0] == 's' {
		text = strconv.FormatInt(int64(x<<(64-width))>>(64-width), 10)
	}
	return fmt.Sprintf("0x%0*X\t%s", width/4, x, text)
}

func parseInteger(width uint, text string) (uint64, error) {
	value, ok := new(big.Int).SetString(text, 0)
	if !ok {
		return 0, fmt.Errorf("%q is not an integer", text)
	}
	if value.BitLen() > int(width) {
		return 0, fmt.Errorf("%s does not fit in %d bits", text, width)
	}
	if value.Sign() < 0 {
		value.Add(value, new(big.Int).Lsh(big.NewInt(1), width))
	}
	return value.Uint64(), nil
}

// direction returns in which direction a result was rounded, and its distance from the exact value.
func direction(f *fp.Format, result uint64, exact *big.Float) string {
	n := f.Unpack(result)
	switch n.Class {
	case fp.NaN:
		return "not a number"
	case fp.Infinite:
		return "overflow to infinity"
	}
	switch Exact(n).Cmp(exact) {
	case 0:
		return "not at all: the result is exact"
	case 1:
		return fmt.Sprintf("up, by %.6g ulp", math.Abs(ErrorULP(f, result, exact)))
	default:
		return fmt.Sprintf("down, by %.6g ulp", math.Abs(ErrorULP(f, result, exact)))
	}
}

// exact returns the exact result, or some 300 bits of an infinite one. It returns false if there is none (NaN, infinity, comparisons).
func (in *Instruction) exact() (*big.Float, bool) {
	var v [3]*big.Float
	for i, x := range in.Operands {
		f, isFloat := Formats[in.Inputs[i]]
		switch {
		case !isFloat && in.Key.Op == "cvt":
			v[i] = newFloat()
			if in.Inputs[i][0] == 's' {
				v[i].SetInt64(int64(x<<(64-widths[in.Inputs[i]])) >> (64 - widths[in.Inputs[i]]))
			} else {
				v[i].SetUint64(x)
			}
			continue
		case !isFloat:
			return nil, false
		}
		n := f.Unpack(x)
		if n.Class == fp.NaN || n.Class == fp.Infinite {
			return nil, false
		}
		v[i] = Exact(n)
	}
	compute, ok := exactFunctions[in.Key.Op]
	if !ok || in.Output == "pred" {
		return nil, false
	}
	exact := compute(v[0], v[1], v[2])
	return exact, exact != nil
}

// exactFunctions compute results with many bits; nil if the result is not a number.
var exactFunctions = map[string]func(a, b, c *big.Float) *big.Float{
	"add": func(a, b, _ *big.Float) *big.Float { return newFloat().Add(a, b) },
	"sub": func(a, b, _ *big.Float) *big.Float { return newFloat().Sub(a, b) },
	"mul": func(a, b, _ *big.Float) *big.Float { return newFloat().Mul(a, b) },
	"fma": func(a, b, c *big.Float) *big.Float { return newFloat().Add(newFloat().Mul(a, b), c) },
	"mad": func(a, b, c *big.Float) *big.Float { return newFloat().Add(newFloat().Mul(a, b), c) },
	"div": func(a, b, _ *big.Float) *big.Float {
		if b.Sign() == 0 {
			return nil
		}
		return newFloat().Quo(a, b)
	},
	"rcp": func(a, _, _ *big.Float) *big.Float {
		if a.Sign() == 0 {
			return nil
		}
		return newFloat().Quo(newFloat().SetInt64(1), a)
	},
	"sqrt": func(a, _, _ *big.Float) *big.Float {
		if a.Sign() < 0 {
			return nil
		}
		return newFloat().Sqrt(a)
	},
	"rsqrt": func(a, _, _ *big.Float) *big.Float {
		if a.Sign() <= 0 {
			return nil
		}
		return newFloat().Quo(newFloat().SetInt64(1), newFloat().Sqrt(a))
	},
	"sin": func(a, _, _ *big.Float) *big.Float { return Sin(a) },
	"cos": func(a, _, _ *big.Float) *big.Float { return Cos(a) },
	"lg2": func(a, _, _ *big.Float) *big.Float {
		if a.Sign() <= 0 {
			return nil
		}
		return Log2(a)
	},
	"ex2": func(a, _, _ *big.Float) *big.Float {
		if a.MantExp(nil) > 12 {
			return nil
		}
		return Exp2(a)
	},
	"cvt": func(a, _, _ *big.Float) *big.Float { return a },
}

// writeMachines writes the results of other machines, for the basic operations in round to nearest.
func (in *Instruction) writeMachines(out io.Writer) error {
	f := Formats[in.Output]
	k := in.Key
	if f == nil || k.Type == "f16" || k.Approx || k.Full || k.Saturate || k.Flush || k.Rounding != fp.RoundNearest &&
		k.Rounding != fp.RoundNone {
		return nil
	}
	if !strings.Contains(" add sub mul div sqrt rcp fma mad ", " "+k.Op+" ") {
		return nil
	}
	fmt.Fprintf(out, "\nthe same on other machines (%s)\n",
		map[bool]string{true: "a×b+c as a compiler would", false: "one operation, stored to memory"}[k.Op == "fma" || k.Op == "mad"])
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, m := range Machines {
		machine, err := m.For(f)
		if err != nil {
			fmt.Fprintf(w, "  %s\tno %s\t\t%s\n", m.Name, f.Name, m.Description)
			continue
		}
		result := machine.Store(f, in.on(machine, f))
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", m.Name, Hex(f, result), Decimal(f, result), m.Description)
	}
	return w.Flush()
}

func (in *Instruction) on(m Machine, f *fp.Format) fp.Number {
	var v [3]fp.Number
	for i, x := range in.Operands {
		v[i] = m.Load(f, x)
	}
	switch in.Key.Op {
	case "add":
		return m.Add(f, v[0], v[1])
	case "sub":
		return m.Add(f, v[0], fp.Negated(v[1]))
	case "mul":
		return m.Mul(f, v[0], v[1])
	case "div":
		return m.Div(f, v[0], v[1])
	case "rcp":
		return m.Div(f, fp.Single.Unpack(0x3f800000), v[0])
	case "sqrt":
		return m.Sqrt(f, v[0])
	}
	return m.MulAdd(f, v[0], v[1], v[2])
}
