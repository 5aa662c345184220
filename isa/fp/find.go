package fp

// Lanes32 is one 32-bit register of a warp, one word per lane.
type Lanes32 = [32]uint32

// Lanes64 is one 64-bit value of a warp, one word per lane.
type Lanes64 = [32]uint64

// Key names an operation in PTX's terms. Fields that the instruction does not have are zero.
type Key struct {
	// Op is the opcode without modifiers: add sub mul mad fma div rcp sqrt rsqrt sin cos lg2 ex2 min max abs neg copysign testp set setp
	// slct cvt.
	Op         string
	Type       string   // f32, f64; destination type of cvt; compared type of set, setp and testp; type of slct's third operand
	From       string   // cvt's source type; empty otherwise
	Rounding   Rounding // RoundNone if none was given
	Flush      bool     // .ftz
	Saturate   bool     // .sat
	Approx     bool     // .approx
	Full       bool     // .full
	Comparison Compare  // of set and setp
	Test       string   // of testp: finite infinite number notanumber normal subnormal
}

// Operation is the 32-lane form of an operation: exactly one field is set, and its name says the operands' shape. A function computes the
// lanes in active, and may write anything to others; d may be one of the sources. Functions that return uint32 return a mask, within
// active, of the lanes for which the test or comparison is true.
//
// Values of 8 and 16 bits are in the low bits of a 32-bit lane. High bits of a source are ignored. A result is sign- or zero-extended by
// its type, f16 zero-extended.
type Operation struct {
	Unary32   func(d, a *Lanes32, active uint32)
	Binary32  func(d, a, b *Lanes32, active uint32)
	Ternary32 func(d, a, b, c *Lanes32, active uint32)
	Unary64   func(d, a *Lanes64, active uint32)
	Binary64  func(d, a, b *Lanes64, active uint32)
	Ternary64 func(d, a, b, c *Lanes64, active uint32)
	Widen     func(d *Lanes64, a *Lanes32, active uint32) // cvt from at most 32 bits to 64
	Narrow    func(d *Lanes32, a *Lanes64, active uint32) // cvt from 64 bits to at most 32
	Test32    func(a *Lanes32, active uint32) uint32      // testp.f32; slct: the lanes that select the first operand
	Test64    func(a *Lanes64, active uint32) uint32      // testp.f64
	Compare32 func(a, b *Lanes32, active uint32) uint32   // set and setp of f32
	Compare64 func(a, b *Lanes64, active uint32) uint32   // set and setp of f64
}

// Find returns the lane form of an operation, false if there is none. Call it once per decoded instruction. It does not check that PTX
// allows the modifiers together.
func Find(k Key) (Operation, bool) {
	k = k.canonical()
	if op, ok := plainLoops[k]; ok {
		return op, true
	}
	c := Control{Rounding: k.Rounding, Flush: k.Flush, Saturate: k.Saturate}
	name := k.Op + " " + k.Type
	switch {
	case k.Op == "cvt":
		return conversion(k, c)
	case k.Op == "testp":
		return test(k)
	case k.Op == "set" || k.Op == "setp":
		return comparison(k)
	case k.Approx:
		name = k.Op + ".approx " + k.Type
	case k.Full:
		name = k.Op + ".full " + k.Type
	}
	build, ok := builders[name]
	if !ok {
		return Operation{}, false
	}
	return build(c), true
}

// canonical returns the same key for all spellings of an operation.
func (k Key) canonical() Key {
	switch k.Op {
	case "mad":
		k.Op = "fma"
	case "setp":
		k.Op = "set"
	}
	switch k.Op {
	case "add", "sub", "mul":
		if k.Rounding == RoundNone {
			k.Rounding = RoundNearest
		}
	}
	return k
}

// builders make lane forms of arithmetic from scalar functions, by opcode and type.
var builders = map[string]func(Control) Operation{
	"add f32":          binary32(Add32),
	"sub f32":          binary32(Sub32),
	"mul f32":          binary32(Mul32),
	"fma f32":          ternary32(FMA32),
	"div f32":          binary32(Div32),
	"rcp f32":          unary32(Rcp32),
	"sqrt f32":         unary32(Sqrt32),
	"min f32":          binary32(Min32),
	"max f32":          binary32(Max32),
	"abs f32":          unary32(Abs32),
	"neg f32":          unary32(Neg32),
	"copysign f32":     binary32(Copysign32),
	"slct f32":         selection32,
	"slct s32":         func(Control) Operation { return Operation{Test32: notNegative} },
	"rcp.approx f32":   unary32(RcpApprox32),
	"rsqrt.approx f32": unary32(RsqrtApprox32),
	"sqrt.approx f32":  unary32(SqrtApprox32),
	"lg2.approx f32":   unary32(Lg2Approx32),
	"ex2.approx f32":   unary32(Ex2Approx32),
	"sin.approx f32":   unary32(SinApprox32),
	"cos.approx f32":   unary32(CosApprox32),
	"div.approx f32":   binary32(DivApprox32),
	"div.full f32":     binary32(DivFull32),
	"rcp.approx f64":   unary64(RcpApprox64),
	"rsqrt.approx f64": unary64(RsqrtApprox64),
	"add f64":          binary64(Add64),
	"sub f64":          binary64(Sub64),
	"mul f64":          binary64(Mul64),
	"fma f64":          ternary64(FMA64),
	"div f64":          binary64(Div64),
	"rcp f64":          unary64(Rcp64),
	"sqrt f64":         unary64(Sqrt64),
	"min f64":          binary64(Min64),
	"max f64":          binary64(Max64),
	"abs f64":          unary64(Abs64),
	"neg f64":          unary64(Neg64),
	"copysign f64":     binary64(Copysign64),
}

func conversion(k Key, c Control) (Operation, bool) {
	to, okTo := kinds[k.Type]
	from, okFrom := kinds[k.From]
	if !okTo || !okFrom {
		return Operation{}, false
	}
	f := onHost(to, from, c, converter(to, from, c))
	switch {
	case to.bits == 64 && from.bits == 64:
		return Operation{Unary64: func(d, a *Lanes64, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = f(a[i])
			}
		}}, true
	case to.bits == 64:
		return Operation{Widen: func(d *Lanes64, a *Lanes32, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = f(uint64(a[i]))
			}
		}}, true
	case from.bits == 64:
		return Operation{Narrow: func(d *Lanes32, a *Lanes64, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = uint32(f(a[i]))
			}
		}}, true
	}
	return Operation{Unary32: func(d, a *Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := lane(m)
			d[i] = uint32(f(uint64(a[i])))
		}
	}}, true
}

func test(k Key) (Operation, bool) {
	switch k.Type {
	case "f32":
		holds, ok := Single.test(k.Test)
		return Operation{Test32: func(a *Lanes32, active uint32) uint32 {
			var mask uint32
			for m := active; m != 0; m &= m - 1 {
				if i := lane(m); holds(uint64(a[i])) {
					mask |= 1 << i
				}
			}
			return mask
		}}, ok
	case "f64":
		holds, ok := Double.test(k.Test)
		return Operation{Test64: func(a *Lanes64, active uint32) uint32 {
			var mask uint32
			for m := active; m != 0; m &= m - 1 {
				if i := lane(m); holds(a[i]) {
					mask |= 1 << i
				}
			}
			return mask
		}}, ok
	}
	return Operation{}, false
}

func comparison(k Key) (Operation, bool) {
	if int(k.Comparison) >= len(relations) || relations[k.Comparison] == 0 {
		return Operation{}, false
	}
	wanted, flush := relations[k.Comparison], k.Flush
	switch k.Type {
	case "f32":
		if flush {
			return Operation{Compare32: func(a, b *Lanes32, active uint32) uint32 {
				var x, y Lanes32
				flushLanes(&x, a)
				flushLanes(&y, b)
				return compareLanes32(&x, &y, wanted) & active
			}}, true
		}
		return Operation{Compare32: func(a, b *Lanes32, active uint32) uint32 {
			return compareLanes32(a, b, wanted) & active
		}}, true
	case "f64":
		return Operation{Compare64: func(a, b *Lanes64, active uint32) uint32 {
			return compareLanes64(a, b, wanted) & active
		}}, true
	}
	return Operation{}, false
}
