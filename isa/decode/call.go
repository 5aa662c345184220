package decode

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

func (d *functionDecoder) call(i *isa.Instruction, s *ptx.Instruction) {
	d.errorf(s.Pos, "calls are not yet simulated")
}
