package machine

import "github.com/keplersim/keplersim/isa"

// ReadsClock reports a read of a clock or performance counter. Nothing moves across it: kernels measure with it.
func ReadsClock(op *Operation) bool {
	if op.Effect == nil {
		return false
	}
	for n := range op.Effect.Src {
		if o := &op.Effect.Src[n]; o.Kind == isa.OperandSpecial &&
			(o.Special >= isa.Clock && o.Special <= isa.GlobalTimerHi || o.Special >= isa.PM0 && o.Special <= isa.PM7) {
			return true
		}
	}
	return false
}
