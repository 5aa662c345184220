package assemble

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass/hazard"
)

// waits computes how long the warp waits after each item.
func (k *kernel) waits(latency func(isa.Class) int) {
	steps := make([]hazard.Step, len(k.items))
	for n := range k.items {
		it := &k.items[n]
		steps[n] = hazard.Step{Op: it.op, Next: it.next, Wait: 1, CannotWait: isTextureBarrier(it)}
		if it.op.PairWithNext && n+1 < len(k.items) && it.at >= 0 && k.items[n+1].at == it.at+1 {
			steps[n].Wait = 0
		}
	}
	hazard.Fill(steps, hazard.Chip(latency))
	for n := range steps {
		k.items[n].wait = steps[n].Wait
	}
}

func isTextureBarrier(it *item) bool { return it.op == textureBarrier }

// textureBarrier waits for all loads on the texture path.
var textureBarrier = &isa.MachineOp{Mnemonic: "TEXDEPBAR", Class: isa.ClassNop, Target: -1, Reconverge: -1}

// awaitTextures inserts a TEXDEPBAR before operations that read or overwrite a register of a pending load on the texture path. It also
// inserts one where paths part or meet while a load is pending. The hardware does not guard these registers.
func (k *kernel) awaitTextures() {
	var out []item
	moved := make([]int32, len(k.items)+1)
	entered := map[int32]bool{}
	for n := range k.items {
		if t := k.items[n].target; t >= 0 {
			entered[t] = true
		}
	}
	var pending []isa.RegisterRange
	for n := range k.items {
		it := k.items[n]
		touches := len(pending) > 0 && (entered[int32(n)] || it.target >= 0 || len(it.next) != 1)
		for _, list := range [2][]isa.RegisterRange{it.op.Reads, it.op.Writes} {
			touches = touches || slices.ContainsFunc(list, func(r isa.RegisterRange) bool {
				return slices.ContainsFunc(pending, func(p isa.RegisterRange) bool {
					return r.First < p.First+isa.Register(p.Count) && p.First < r.First+isa.Register(r.Count)
				})
			})
		}
		if touches {
			pending = nil
			out = append(out, item{op: textureBarrier, text: "TEXDEPBAR 0x0", target: -1, at: -1})
		}
		moved[n] = int32(len(out))
		if it.op.Class == isa.ClassReadOnly {
			pending = append(pending, it.op.Writes...)
		}
		out = append(out, it)
	}
	for n := range out {
		if t := out[n].target; t >= 0 {
			out[n].target = moved[t]
		}
	}
	k.items = out
	(&layout{kernel: k}).connect()
}
