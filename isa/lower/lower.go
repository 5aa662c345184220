package lower

import (
	"context"

	"github.com/keplersim/keplersim/isa"
)

// Program lowers one kernel of a program for one chip.
//
// Errors are of type *Error: an instruction that no Kepler operations are known for. When ctx ends, so does lowering, with its error.
func Program(ctx context.Context, p *isa.Program, kernel *isa.Function, o Options) (*isa.MachineProgram, error) {
	o = o.withDefaults()
	mp, err := lowerFunction(ctx, p, kernel, 0, o)
	if err != nil {
		return nil, err
	}
	return mp, appendCallees(ctx, mp, o)
}

// lowerFunction lowers a kernel or a device function, whose numbers lie in constant memory from literals on. Scheduling lets more values
// live at once, predicates among them: what finds no place then may find one in PTX order.
func lowerFunction(ctx context.Context, p *isa.Program, kernel *isa.Function, literals int, o Options) (*isa.MachineProgram, error) {
	mp, err := newFunction(ctx, p, kernel, literals, o).lowered()
	if err == nil || o.NoSchedule || ctx.Err() != nil {
		return mp, err
	}
	o.NoSchedule = true
	if mp, again := newFunction(ctx, p, kernel, literals, o).lowered(); again == nil {
		return mp, nil
	}
	return nil, err
}

// lowered runs all passes and writes the operations.
func (f *function) lowered() (*isa.MachineProgram, error) {
	for n := range Passes {
		if err := f.runPass(&Passes[n]); err != nil {
			return nil, err
		}
	}
	return f.emitProgram()
}

// runPass runs one pass, unless nobody wants its result any more.
func (f *function) runPass(p *Pass) error {
	if err := f.stopped(); err != nil {
		return err
	}
	return p.run(f)
}
