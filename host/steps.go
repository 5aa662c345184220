package host

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// steps carries steps out, one after another. Round is that of the repetition that they are in, from 0.
func (j *Job) steps(ctx context.Context, steps []workload.Step, round int, r *Result) error {
	for i, s := range steps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped before step %d of %d: %w", i+1, len(steps), err)
		}
		var err error
		switch {
		case s.Launch != nil:
			err = j.launches(ctx, s, round, r)
		case s.Copy != nil:
			err = j.copy(s.Copy)
		case s.Repeat != nil:
			err = j.rounds(s, s.Repeat.Times, s.Repeat.Until, func(round int) error { return j.steps(ctx, s.Repeat.Steps, round, r) })
		}
		// Events, waits and syncs order streams, and here every step waits for the one before it.
		if err != nil {
			return err
		}
	}
	return nil
}

// rounds repeats something so many times, or until a condition holds after a round.
func (j *Job) rounds(s workload.Step, times int, until *workload.Until, do func(round int) error) error {
	for round := range times {
		if err := do(round); err != nil {
			return err
		}
		if until == nil {
			continue
		}
		t, raw, err := j.element(until.Element)
		if err != nil {
			return err
		}
		if until.Met(t, raw) {
			return nil
		}
	}
	if until != nil {
		j.note("%s:%d:%d: after %d rounds, the most there may be, until: %v does not hold", j.Workload.Path, s.Position.Line, s.Position.Column, times, until)
	}
	return nil
}

// element reads an element of a buffer or symbol.
func (j *Job) element(e workload.Element) (workload.Type, []byte, error) {
	b, _ := j.Workload.Buffer(e.Buffer)
	raw, offset := make([]byte, b.Type.Size()), uint64(e.Index)*uint64(b.Type.Size())
	var err error
	if v := j.variables[e.Buffer]; v != nil {
		err = v.module.ReadSymbol(v.symbol.Name, offset, raw)
	} else {
		err = j.gpu.Read(j.addresses[e.Buffer]+offset, raw)
	}
	if err != nil {
		return b.Type, nil, fmt.Errorf("element %d of %s: %w", e.Index, e.Buffer, err)
	}
	return b.Type, raw, nil
}

// launches runs a launch as often as it says. The rounds that its arguments go by are its own where it is repeated, else those of the
// repetition that it is in.
func (j *Job) launches(ctx context.Context, s workload.Step, round int, r *Result) error {
	l := s.Launch
	module := j.modules[l.Module]
	kernel, err := code.Kernel(module.Kernels(), l.Module, l.Kernel)
	if err != nil {
		return &Refused{err}
	}
	return j.rounds(s, l.Repeat, l.Until, func(own int) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped before run %d of %d of kernel %s: %w", own+1, l.Repeat, l.Kernel, err)
		}
		if l.Repeat > 1 {
			round = own
		}
		return j.launch(ctx, l, module, kernel, round, r)
	})
}

// launch runs a launch once.
func (j *Job) launch(ctx context.Context, l *workload.Launch, module *sim.Module, kernel *isa.Function, round int, r *Result) error {
	title := module.Program().Title(kernel.Name)
	arguments, err := l.ArgumentsAt(round, j.element)
	if err != nil {
		return fmt.Errorf("kernel %s: %w", title, err)
	}
	parameters, err := workload.PackArguments(title, Parameters(kernel), arguments, j)
	if err != nil {
		return &Refused{err}
	}
	j.options.Log.Info("launch", zap.String("kernel", kernel.Name), zap.Ints("grid", l.Grid[:]), zap.Ints("block", l.Block[:]), zap.Int("run", round+1))
	done, err := j.gpu.Launch(ctx, sim.Launch{Module: module, Kernel: kernel.Name, Grid: l.Grid, Block: l.Block, Shared: l.Shared,
		Parameters: parameters, Stream: l.Stream, CacheConfig: string(l.CacheConfig), BankMode: l.BankMode, GlobalLoads: l.GlobalLoads})
	if done == nil && err != nil {
		return &Refused{err}
	}
	if done != nil && (err != nil || j.picked == nil || j.picked(l)) {
		j.quotes.fill(done)
		if len(r.Launches) >= fullLaunches {
			done.Slim()
		}
		r.Launches = append(r.Launches, done)
	}
	return err
}
