package runtime

import (
	"context"
	"errors"
	"slices"

	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/stats"
)

// The program has one clock, which its calls and waits advance. Each device has its own time, kept by sim, and receives the program's time
// before each request.

// syncFromProgram sets the device's host clock to the program's clock.
func (d *device) syncFromProgram() { d.gpu.Host().AdvanceTo(0, d.session.now) }

// syncToProgram advances the program's clock to the device's host clock.
func (d *device) syncToProgram() { d.session.now = max(d.session.now, d.gpu.Host().Clock(0)) }

// microseconds converts a simulated time since the program's start to µs.
func microseconds(t hyperq.Time) float64 { return float64(t) / 1e6 }

// done keeps an error from running the device for the program's next synchronising call, and counts finished work.
func (d *device) done(ctx context.Context, err error) {
	if err != nil && d.pending == Success && d.lost == Success {
		d.pending = failure(err)
		if ctx.Err() == nil {
			d.session.failed(kernelError{err, d.pending})
		}
	}
	d.count()
}

// drain runs the device to the end of its work, without making the program wait.
func (d *device) drain(ctx context.Context) { d.done(ctx, d.gpu.Drain(ctx)) }

// waitForRoom runs the device while its queue is full.
func (d *device) waitForRoom(ctx context.Context) {
	for d.gpu.Full() {
		if err := d.gpu.Host().Advance(ctx); err != nil {
			d.done(ctx, err)
			return
		}
		d.gpu.Host().AdvanceTo(0, d.gpu.Time())
	}
	d.gpu.Host().Settle()
}

// catchUp runs the device up to the program's time, because the program asks whether something is over.
func (d *device) catchUp(ctx context.Context, over func() bool) {
	for !over() && d.gpu.Time() < d.gpu.Host().Clock(0) {
		if err := d.gpu.Host().Advance(ctx); err != nil {
			d.done(ctx, err)
			return
		}
	}
	d.gpu.Host().Settle()
	d.count()
}

// timing switches timing on or off for the work submitted next.
func (d *device) timing(ctx context.Context, timed bool) {
	if d.functional != timed {
		return
	}
	d.drain(ctx)
	d.gpu.SetFunctional(!timed)
	d.functional = !timed
}

// refuse keeps an error for the next synchronising call if a launch tried to launch kernels and the chip cannot. Hardware would have no
// code for such a chip, so the program cannot continue without them.
func (d *device) refuse(l *stats.Launch) {
	note := l.Unlaunched()
	if note == "" || d.pending != Success || d.lost != Success {
		return
	}
	d.pending = ErrNotSupported
	if s := d.session; !slices.Contains(s.summary.Notes, note) {
		s.summary.Notes = append(s.summary.Notes, note)
		s.failed(kernelError{errors.New(note), ErrNotSupported})
	}
}

// keep adds a launch to the summary. Later launches reuse the memory of what the summary does not keep.
func (d *device) keep(us float64, l *stats.Launch) {
	kept := d.session.summary.kernel(us, l)
	d.gpu.Slim(l)
	if !kept {
		d.gpu.Reuse(l)
	}
}

// count adds finished kernels to the summary.
func (d *device) count() {
	left := d.running[:0]
	for _, l := range d.running {
		result := l.Result()
		if result == nil {
			left = append(left, l)
			continue
		}
		result.Device = d.number
		d.refuse(result)
		d.session.options.Detail.learn(result)
		d.session.options.Detail.note(result)
		d.keep(result.TimeUS, result)
	}
	clear(d.running[len(left):])
	d.running = left
}
