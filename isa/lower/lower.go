package lower

import (
	"context"
	"errors"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/target"
	"github.com/keplersim/keplersim/isa/lower/value"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Options are what lowering needs to know about the chip and the user's wishes.
type Options = target.Options

// Shared keeps what lowerings of one program with different register limits share: see Options.Shared.
type Shared = target.Shared

// Error is a kernel that cannot be lowered, with the instruction at fault.
type Error = virtual.Error

// Program lowers one kernel of a program for one chip.
//
// Errors are of type *Error: an instruction without known Kepler operations. When ctx ends, lowering stops with ctx's error.
func Program(ctx context.Context, p *isa.Program, kernel *isa.Function, o target.Options) (*isa.MachineProgram, error) {
	o = o.WithDefaults()
	mp, err := lowerFunction(ctx, p, kernel, 0, o)
	if err != nil {
		return nil, err
	}
	return mp, appendCallees(ctx, mp, o)
}

// lowerFunction lowers a kernel or a device function. Its constants begin at offset literals of the bank of literals.
func lowerFunction(
	ctx context.Context, p *isa.Program, kernel *isa.Function, literals int, o target.Options,
) (mp *isa.MachineProgram, err error) {
	err = scheduledOrNot(o, func(o target.Options) error {
		mp, err = lowerOnce(ctx, p, kernel, literals, o)
		return err
	})
	return mp, err
}

// scheduledOrNot lowers with scheduling. If a value then finds no register, it lowers again in PTX order, where fewer values, and
// predicates among them, are live at once. If that fails too, it returns the first error.
func scheduledOrNot(o target.Options, lower func(target.Options) error) error {
	err := lower(o)
	noPlace := (*virtual.Error)(nil)
	if !errors.As(err, &noPlace) || o.NoSchedule {
		return err
	}
	o.NoSchedule = true
	if again := lower(o); !errors.As(again, &noPlace) {
		return again
	}
	return err
}

// lowerOnce runs all passes and writes the operations.
func lowerOnce(ctx context.Context, p *isa.Program, kernel *isa.Function, literals int, o target.Options) (*isa.MachineProgram, error) {
	f, _, err := allocated(ctx, p, kernel, literals, o)
	if err != nil {
		return nil, err
	}
	return f.Emit()
}

// mostSpilledTwice is the most spilling with which code is lowered a second time. Beyond it, hundreds of values are live in any order, and
// lowering takes seconds.
const mostSpilledTwice = 4000

// allocated runs all passes, and where values are spilled, once more with registers left over, unless that is the same. It returns what
// spills less, and its options.
func allocated(
	ctx context.Context, p *isa.Program, kernel *isa.Function, literals int, o target.Options,
) (*machine.Allocated, target.Options, error) {
	run := func(o target.Options) (*machine.Allocated, error) {
		f, err := operations(ctx, p, kernel, literals, o)
		if err != nil {
			return nil, err
		}
		return placed(f, watcher{})
	}
	f, err := run(o)
	if err != nil || f.Spills == (machine.Spills{}) || f.Spills.Accesses() > mostSpilledTwice || f.Frugal || o.Frugal || o.NoSchedule {
		return f, o, err
	}
	frugal := o
	frugal.Frugal = true
	if again, err := run(frugal); err == nil && again.Spills.Accesses() <= f.Spills.Accesses() {
		return again, frugal, nil
	}
	return f, o, ctx.Err()
}

// operationsKey is everything that unordered operations depend on.
type operationsKey struct {
	program              *isa.Program
	kernel               string
	literals             int
	capability           arch.Capability
	encodable, optimised bool
}

// begun are a function's operations in no order yet, or why there are none.
type begun struct {
	*machine.Function
	err error
}

// operations returns a kernel's operations in no order yet, which no cap on registers has a part in: those that Options.Shared has, or new
// ones.
func operations(ctx context.Context, p *isa.Program, kernel *isa.Function, literals int, o target.Options) (*machine.Function, error) {
	begin := func() (*machine.Function, error) { return unordered(value.New(ctx, p, kernel, literals, o), watcher{}) }
	if o.Shared == nil {
		return begin()
	}
	key := operationsKey{p, kernel.Name, literals, o.ComputeCapability, o.Encodable, !o.Unoptimised}
	kept, known := o.Shared.Kept[key].(begun)
	if !known {
		if kept.Function, kept.err = begin(); kept.err == nil {
			kept.ReducedPressure = map[isa.BlockID][]int32{}
		}
		if ctx.Err() == nil {
			o.Shared.Keep(key, kept)
		}
	}
	if kept.err != nil {
		return nil, kept.err
	}
	f := kept.Copy()
	f.Context, f.Kernel, f.Options = ctx, kernel, o
	return f, nil
}

// form is a function between two passes: values, operations, or operations with registers.
type form interface {
	// Stopped returns the context's error once lowering is cancelled.
	Stopped() error
	// Listing returns the function as text.
	Listing() string
}

// watcher has functions to call before and after each pass. An error of after ends lowering.
type watcher struct {
	before func(pass string, f form)
	after  func(pass string, f form) error
}

// runPasses takes a function from values to operations with registers.
func runPasses(values *value.Function, w watcher) (*machine.Allocated, error) {
	f, err := unordered(values, w)
	if err != nil {
		return nil, err
	}
	return placed(f, w)
}

// unordered takes a function from values to operations. It does not depend on the number of registers.
func unordered(values *value.Function, w watcher) (*machine.Function, error) {
	onValues, onOperations := valuePasses, machinePasses
	if values.Options.Unoptimised {
		onValues, onOperations = neededOf(valuePasses), neededOf(machinePasses)
	}
	if err := runSteps(onValues, values, w); err != nil {
		return nil, err
	}
	operations, err := change(expandPass, values, w)
	if err != nil {
		return nil, err
	}
	return operations, runSteps(onOperations, operations, w)
}

// placed orders operations and gives them registers.
func placed(operations *machine.Function, w watcher) (*machine.Allocated, error) {
	if !operations.Options.Unoptimised {
		if err := runSteps(orderPasses, operations, w); err != nil {
			return nil, err
		}
	}
	registers, err := change(allocatePass, operations, w)
	if err != nil {
		return nil, err
	}
	return registers, runSteps(allocatedPasses, registers, w)
}

// runSteps runs the passes over one form.
func runSteps[F form](steps []formPass[F], f F, w watcher) error {
	for n := range steps {
		s := transition[F, F]{steps[n].Pass, func(f F) (F, error) { return f, steps[n].run(f) }}
		if _, err := change(s, f, w); err != nil {
			return err
		}
	}
	return nil
}

// change runs one pass, unless lowering is cancelled.
func change[F, T form](t transition[F, T], f F, w watcher) (after T, err error) {
	if err := f.Stopped(); err != nil {
		return after, err
	}
	if w.before != nil {
		w.before(t.Name, f)
	}
	after, err = t.run(f)
	if err == nil && w.after != nil {
		err = w.after(t.Name, after)
	}
	return after, err
}
