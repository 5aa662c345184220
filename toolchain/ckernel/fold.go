package ckernel

import (
	"math"
	"math/bits"
	"strings"
)

// foldable are the builtins that are computed at compile time if all arguments are constants.
var foldable = map[string]func(t *ctype, a []uint64) uint64{
	"popc.b32": func(_ *ctype, a []uint64) uint64 { return uint64(bits.OnesCount32(uint32(a[0]))) },
	"popc.b64": func(_ *ctype, a []uint64) uint64 { return uint64(bits.OnesCount64(a[0])) },
	"clz.b32":  func(_ *ctype, a []uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a[0]))) },
	"clz.b64":  func(_ *ctype, a []uint64) uint64 { return uint64(bits.LeadingZeros64(a[0])) },
	"brev.b32": func(_ *ctype, a []uint64) uint64 { return uint64(bits.Reverse32(uint32(a[0]))) },
	"brev.b64": func(_ *ctype, a []uint64) uint64 { return bits.Reverse64(a[0]) },
	"abs.f32":  func(_ *ctype, a []uint64) uint64 { return a[0] &^ (1 << 31) },
	"abs.f64":  func(_ *ctype, a []uint64) uint64 { return a[0] &^ (1 << 63) },
	"cvt.rmi.": func(t *ctype, a []uint64) uint64 { return floatBits(t, math.Floor(floating(t, a[0]))) },
	"cvt.rpi.": func(t *ctype, a []uint64) uint64 { return floatBits(t, math.Ceil(floating(t, a[0]))) },
	"cvt.rzi.": func(t *ctype, a []uint64) uint64 { return floatBits(t, math.Trunc(floating(t, a[0]))) },
	"cvt.rni.": func(t *ctype, a []uint64) uint64 { return floatBits(t, math.RoundToEven(floating(t, a[0]))) },
	"fma.rn.f64": func(t *ctype, a []uint64) uint64 {
		return floatBits(t, math.FMA(floating(t, a[0]), floating(t, a[1]), floating(t, a[2])))
	},
	"sqrt.rn.f64": func(t *ctype, a []uint64) uint64 { return floatBits(t, math.Sqrt(floating(t, a[0]))) },
	"sqrt.rn.f32": func(t *ctype, a []uint64) uint64 { return floatBits(t, math.Sqrt(floating(t, a[0]))) },
}

// folding returns the function that computes a builtin at compile time, nil for none.
func folding(b *builtin) func(*ctype, []uint64) uint64 {
	if f := foldable[b.opcode]; f != nil {
		return f
	}
	if strings.HasPrefix(b.opcode, "cvt.") && b.result.isFloating() && len(b.parameters) == 1 && b.parameters[0] == b.result {
		return foldable[b.opcode[:8]]
	}
	return nil
}

// folds tells whether a call can be computed at compile time.
func (g *generator) folds(b *builtin, arguments []value) bool {
	if folding(b) == nil {
		return false
	}
	for _, a := range arguments {
		if !a.isNumber() || a.typ.isFloating() && math.IsNaN(floating(a.typ, a.bits)) {
			return false
		}
	}
	return true
}

func (g *generator) folded(b *builtin, arguments []value) value {
	list := make([]uint64, len(arguments))
	for n, a := range arguments {
		list[n] = a.bits
	}
	return number64(b.result, normal(b.result, folding(b)(b.result, list)))
}
