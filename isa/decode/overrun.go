package decode

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// noteOverrun warns of a load past the end of the kernel's parameters or of a variable in constant memory. Neither faults, here as on a
// GPU: the load reads what follows, or zero.
func (d *functionDecoder) noteOverrun(i *isa.Instruction, pos ptx.Position, r reference, addend int64) {
	bytes := int64(max(1, int(i.Memory.Vector)) * i.Type.Bytes())
	from, size, what := addend, int64(0), ""
	switch {
	case i.Op != isa.OpLd:
		return
	case r.kind == referenceParameter:
		from += int64(d.f.Parameters[r.index].Offset)
		size, what = int64(d.f.ParameterBytes()), "the parameters of `"+d.f.Name+"`"
	case r.kind == referenceSymbol && d.program.Symbols[r.index].Space == isa.SpaceConst:
		s := d.program.Symbols[r.index]
		size, what = int64(s.Bytes), "`"+s.Name+"`"
	default:
		return
	}
	if size > 0 && (from < 0 || from+bytes > size) {
		d.note(pos, "the load reads bytes %d to %d, beyond the %d bytes of %s: it gets what follows, or zero",
			from, from+bytes-1, size, what)
	}
}
