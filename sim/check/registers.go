package check

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// beginRegisters marks a warp's registers as unset if some are watched.
func (c *Checker) beginRegisters(w *warp) {
	if w.block.grid.program.unset != nil {
		w.registers = &exec.LanesSet{}
	}
}

// useRegisters checks the watched registers that an operation reads, and marks those that it writes.
func (c *Checker) useRegisters(w *warp, e *observe.Issue) {
	missing := w.block.grid.program.unset.Use(w.registers, e.Op, e.Mask, e.Warp.State.Operand)
	if missing == 0 {
		return
	}
	c.report(finding.UnsetRegister, w, e.Op, noOp, func(f *finding.Finding) {
		f.Places = append(f.Places, c.here(w, e.Op, bits.TrailingZeros32(missing), "uses it"))
	})
}
