package host

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// steps executes the steps of a process, one after another. round is the current round of the enclosing repetition, from 0.
func (j *process) steps(ctx context.Context, steps []workload.Step, round int) error {
	for i, s := range steps {
		if s.Repeat == nil && processOf(&s) != j.number {
			continue
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped before step %d of %d: %w", i+1, len(steps), err)
		}
		var err error
		switch {
		case s.Launch != nil:
			err = j.launches(ctx, s, round)
		case s.Repeat != nil:
			err = j.rounds(s, s.Repeat.Times, s.Repeat.Until, func(round int) error { return j.steps(ctx, s.Repeat.Steps, round) })
		default:
			err = j.step(&s)
		}
		if err != nil {
			return err
		}
		j.yield(nil) // another process may be further behind
	}
	return nil
}

// rounds repeats a step up to a number of times, or until a condition holds after a round.
func (j *process) rounds(s workload.Step, times int, until *workload.Until, do func(round int) error) error {
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
		j.note("%s:%d:%d: after %d rounds, the most there may be, until: %v does not hold", j.Workload.Path, s.Position.Line,
			s.Position.Column, times, until)
	}
	return nil
}

// element reads an element of a buffer or symbol, after all work that the process has submitted.
func (j *process) element(e workload.Element) (workload.Type, []byte, error) {
	j.waitForAll()
	b, _ := j.Workload.Buffer(e.Buffer)
	raw, err := j.ask(func() ([]byte, error) {
		raw := make([]byte, b.Type.Size())
		return raw, j.read(&b, uint64(e.Index)*uint64(b.Type.Size()), raw)
	})
	if err != nil {
		return b.Type, nil, fmt.Errorf("element %d of %s: %w", e.Index, e.Buffer, err)
	}
	return b.Type, raw, nil
}

// launches runs a launch as often as the workload says. A repeated launch selects its arguments by its own rounds, others by the enclosing
// repetition's.
func (j *process) launches(ctx context.Context, s workload.Step, round int) error {
	l := s.Launch
	module := j.moduleOf(l)
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
		return j.launch(ctx, l, module, kernel, round)
	})
}

// launch puts a launch into its stream once.
func (j *process) launch(ctx context.Context, l *workload.Launch, module *sim.Module, kernel *isa.Function, round int) error {
	title := module.Program().Title(kernel.Name)
	arguments, err := l.ArgumentsAt(round, j.element)
	if err != nil {
		return fmt.Errorf("kernel %s: %w", title, err)
	}
	parameters, err := workload.PackArguments(title, Parameters(kernel), arguments, j.Job)
	if err != nil {
		return &Refused{err}
	}
	switch _, err := module.Lower(ctx, kernel.Name); {
	case ctx.Err() != nil:
		return fmt.Errorf("kernel %s: stopped while it was compiled: %w", title, ctx.Err())
	case err != nil:
		return &Refused{err}
	}
	gpu := j.gpus[l.Device]
	if full, _ := j.askBool(func() (bool, error) { return gpu.Full(), nil }); full {
		j.yield(&condition{"wait for room in the queue", func() bool { return !gpu.Full() }, gpu.Time})
	}
	if j.isReplaying() {
		return nil
	}
	j.options.Log.Info("launch", slog.String("kernel", kernel.Name), slog.Any("grid", l.Grid[:]), slog.Any("block", l.Block[:]),
		slog.Int("run", round+1))
	started, err := gpu.Start(ctx, sim.Launch{Module: module, Kernel: kernel.Name, Grid: l.Grid, Block: l.Block, Shared: l.Shared,
		Parameters: parameters, Stream: l.Stream, Process: l.Process, CacheConfig: string(l.CacheConfig), BankMode: l.BankMode,
		GlobalLoads: l.GlobalLoads})
	if err != nil {
		return &Refused{err}
	}
	j.count++
	j.execution.launched = append(j.execution.launched, launched{started, l, j.count})
	return nil
}
