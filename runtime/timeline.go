package runtime

import (
	"context"
	"errors"
	"slices"

	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/stats"
)

// The program has one clock, which its calls move and its waits; each device has the time of its own that sim keeps, and hears of the
// program's before it is asked for something.

// enter brings the program's clock to a device.
func (d *device) enter() { d.gpu.Host().GoOn(0, d.session.now) }

// leave takes it back.
func (d *device) leave() { d.session.now = max(d.session.now, d.gpu.Host().Clock(0)) }

// microseconds of simulated time since the program's start.
func microseconds(t hyperq.Time) float64 { return float64(t) / 1e6 }

// done makes an error of running the device the program's, to be told at its next synchronising call, and counts what has ended.
func (d *device) done(ctx context.Context, err error) {
	if err != nil && d.pending == Success && d.lost == Success {
		d.pending = failure(err)
		if ctx.Err() == nil {
			d.session.failed(told{err, d.pending})
		}
	}
	d.count()
}

// drain lets the device end what it was asked for, without the program waiting.
func (d *device) drain(ctx context.Context) { d.done(ctx, d.gpu.Drain(ctx)) }

// room lets the device go on while its queue is full.
func (d *device) room(ctx context.Context) {
	for d.gpu.Full() {
		if err := d.gpu.Host().Advance(ctx); err != nil {
			d.done(ctx, err)
			return
		}
		d.gpu.Host().GoOn(0, d.gpu.Time())
	}
	d.gpu.Host().Settle()
}

// catchUp lets the device run until the program's own time, as it asks whether something is over.
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

// timing says whether what is put into the device from now on is timed.
func (d *device) timing(ctx context.Context, timed bool) {
	if d.functional != timed {
		return
	}
	d.drain(ctx)
	d.gpu.SetFunctional(!timed)
	d.functional = !timed
}

// refuse makes it the program's error, to be told at its next synchronising call, that a launch wanted to launch kernels and the chip
// cannot. Hardware has no code for such a chip, and so nothing that could go on without them.
func (d *device) refuse(l *stats.Launch) {
	note := l.Unlaunched()
	if note == "" || d.pending != Success || d.lost != Success {
		return
	}
	d.pending = ErrNotSupported
	if s := d.session; !slices.Contains(s.summary.Notes, note) {
		s.summary.Notes = append(s.summary.Notes, note)
		s.failed(told{errors.New(note), ErrNotSupported})
	}
}

// count puts what has ended into the summary.
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
		d.session.summary.kernel(result.TimeUS, result)
		d.gpu.Slim(result)
	}
	clear(d.running[len(left):])
	d.running = left
}
