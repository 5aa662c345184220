package numerics

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa/fp"
)

// Machine is a machine's arithmetic in one format: how it rounds intermediate results, and what a multiply-add is. Its methods work on
// numbers in the machine's registers; Store rounds one to the format in memory.
type Machine struct {
	Name        string
	Description string

	register *fp.Format // the registers' format if it is not the stored one
	flushes  bool       // f32: subnormal operands and results become zero
	fused    bool       // multiply-add rounds once
	cutsMAD  bool       // f32: multiply-add truncates the product to 24 bits; division and root use the multifunction unit
	single   bool       // has only f32
}

// Machines are the machines to compare, the GPUs first.
var Machines = []Machine{
	{Name: "cc2.0", Description: "GPU of compute capability 2.0 and above (Fermi, Kepler): IEEE 754, fused multiply-add", fused: true},
	{Name: "cc1.3", Description: "GPU of compute capability 1.3: f64 as cc2.0; f32 flushes subnormals, cuts a multiply-add's product " +
		"off, divides approximately"},
	{Name: "cc1.2", Description: "GPU of compute capability 1.2 and below: no f64; f32 as cc1.3", flushes: true, cutsMAD: true,
		single: true},
	{Name: "sse", Description: "x86 with SSE: IEEE 754, each operation rounded, no fused multiply-add"},
	{Name: "x87", Description: "x86 with x87: 64-bit significands in registers, rounded again when stored", register: &fp.Extended},
}

// MachineByName finds a machine.
func MachineByName(name string) (Machine, error) {
	var names []string
	for _, m := range Machines {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Machine{}, fmt.Errorf("unknown machine %q; there are %s", name, strings.Join(names, ", "))
}

// For returns the machine's arithmetic in a format, or an error if it does not have the format.
func (m Machine) For(f *fp.Format) (Machine, error) {
	if m.single && f != &fp.Single {
		return m, fmt.Errorf("%s has no %s", m.Name, f.Name)
	}
	if m.Name == "cc1.3" {
		m.fused = f == &fp.Double
		m.flushes, m.cutsMAD = !m.fused, !m.fused
	}
	return m, nil
}

// Load converts a stored value to a register.
func (m Machine) Load(f *fp.Format, pattern uint64) fp.Number { return m.flush(f, f.Unpack(pattern)) }

// Store rounds a register to the format in memory.
func (m Machine) Store(f *fp.Format, n fp.Number) uint64 {
	return f.Pack(m.flush(f, f.Rounded(n, fp.RoundNearest)), fp.RoundNearest)
}

func (m Machine) flush(f *fp.Format, n fp.Number) fp.Number {
	if m.flushes && n.Class == fp.Finite && n.Exp < 1-f.MaxExp {
		return fp.Number{Negative: n.Negative}
	}
	return n
}

func (m Machine) round(f *fp.Format, n fp.Number) fp.Number {
	if m.register != nil {
		return m.register.Rounded(n, fp.RoundNearest)
	}
	return m.flush(f, f.Rounded(n, fp.RoundNearest))
}

// Add adds two registers.
func (m Machine) Add(f *fp.Format, a, b fp.Number) fp.Number {
	return m.round(f, fp.Sum(a, b, fp.RoundNearest))
}

// Mul multiplies two registers.
func (m Machine) Mul(f *fp.Format, a, b fp.Number) fp.Number { return m.round(f, fp.Product(a, b)) }

// Div divides two registers.
func (m Machine) Div(f *fp.Format, a, b fp.Number) fp.Number {
	if m.cutsMAD {
		return m.Load(f, uint64(fp.DivFull32(uint32(m.Store(f, a)), uint32(m.Store(f, b)), flushing)))
	}
	return m.round(f, fp.Quotient(a, b))
}

// Sqrt returns the root of a register.
func (m Machine) Sqrt(f *fp.Format, a fp.Number) fp.Number {
	if m.cutsMAD {
		return m.Load(f, uint64(fp.RcpApprox32(fp.RsqrtApprox32(uint32(m.Store(f, a)), flushing), flushing)))
	}
	return m.round(f, fp.SquareRoot(a))
}

var flushing = fp.Control{Rounding: fp.RoundNearest, Flush: true}

// MulAdd returns a×b+c as a compiler computes it for this machine.
func (m Machine) MulAdd(f *fp.Format, a, b, c fp.Number) fp.Number {
	switch {
	case m.fused:
		return m.round(f, fp.Sum(fp.Product(a, b), c, fp.RoundNearest))
	case m.cutsMAD:
		return m.Add(f, m.flush(f, f.Rounded(fp.Product(a, b), fp.RoundZero)), c)
	}
	return m.Add(f, m.Mul(f, a, b), c)
}
