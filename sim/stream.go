package sim

import (
	"context"
	"fmt"
	"strconv"

	"github.com/keplersim/keplersim/sim/hyperq"
)

// Stream is an ordered sequence of commands on a device.
type Stream struct {
	gpu    *GPU
	stream *hyperq.Stream
}

// StreamOptions configure a stream.
type StreamOptions struct {
	// Name is for messages and timelines; "": the stream's number.
	Name string
	// NonBlocking excludes the stream from the order with the legacy default stream.
	NonBlocking bool
	// Priority is CUDA's: lower numbers go first, 0 is the default. Numbers outside the device's range count as the nearest.
	Priority int
	// Process is the stream's process.
	Process int
}

// NewStream makes a stream.
func (g *GPU) NewStream(o StreamOptions) *Stream {
	if o.Name == "" {
		o.Name = strconv.Itoa(len(g.device.Manager().Streams()) + 1)
	}
	g.host.know(o.Process)
	lowest := -(g.config.HyperQ.Priorities - 1)
	return &Stream{g, g.device.Manager().NewStream(hyperq.Stream{
		Name: o.Name, Context: o.Process, Blocking: !o.NonBlocking, Priority: -max(lowest, min(0, o.Priority)),
	})}
}

// streamKey identifies a stream by the number in launches.
type streamKey struct{ process, number int }

// PerThread is the number of the per-thread default stream: an ordinary blocking stream of one host thread.
const PerThread = -1

// Stream returns a process's stream with a number in launches: 0 is the legacy default stream, PerThread the per-thread one. The others are
// blocking streams, made on first use.
func (g *GPU) Stream(process, number int) *Stream {
	key := streamKey{process, number}
	s := g.streams[key]
	if s == nil {
		g.host.know(process)
		legacy, name := number == 0, strconv.Itoa(number)
		if number == PerThread {
			name = "per-thread"
		}
		s = &Stream{g, g.device.Manager().NewStream(hyperq.Stream{
			Name: name, Number: number, Context: process, Legacy: legacy, Blocking: !legacy,
		})}
		g.streams[key] = s
	}
	return s
}

// NumberStream makes a process's stream with a number in launches.
func (g *GPU) NumberStream(process, number int, o StreamOptions) *Stream {
	o.Process = process
	s := g.NewStream(o)
	s.stream.Number = number
	g.streams[streamKey{process, number}] = s
	return s
}

// Priority returns the stream's priority in CUDA's sense.
func (s *Stream) Priority() int { return -s.stream.Priority }

// GPU returns the stream's device.
func (s *Stream) GPU() *GPU { return s.gpu }

// Process returns the stream's process.
func (s *Stream) Process() int { return s.stream.Context }

// Name returns the stream's name in messages.
func (s *Stream) Name() string { return s.stream.Name }

// Done reports whether all commands of the stream have ended.
func (s *Stream) Done() bool {
	last := s.stream.Last()
	return last == nil || last.Ended()
}

// Took returns how long the stream's last command took on the device, in microseconds, after it has ended.
func (s *Stream) Took() float64 {
	if last := s.stream.Last(); last != nil {
		return microseconds(last.End - last.Start)
	}
	return 0
}

// LastEnd returns when the stream's last command ended.
func (s *Stream) LastEnd() hyperq.Time {
	if last := s.stream.Last(); last != nil {
		return last.End
	}
	return 0
}

// Synchronize waits until all commands of the stream have ended.
func (s *Stream) Synchronize(ctx context.Context) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	s.Waited(s.Process())
	return s.gpu.settle(ctx, s.Process())
}

func (s *Stream) wait(ctx context.Context) error {
	return s.gpu.host.wait(ctx, s.Process(), "wait for "+s.stream.String(), s.Done, s.LastEnd)
}

// Done reports whether all commands of a process on the device have ended.
func (g *GPU) Done(process int) bool {
	for _, s := range g.device.Manager().Streams() {
		if last := s.Last(); s.Context == process && last != nil && !last.Ended() {
			return false
		}
	}
	return true
}

// LastEnd returns when the last command of a process on the device ended.
func (g *GPU) LastEnd(process int) (at hyperq.Time) {
	for _, s := range g.device.Manager().Streams() {
		if last := s.Last(); s.Context == process && last != nil {
			at = max(at, last.End)
		}
	}
	return at
}

// mostQueued is the most commands that may wait on a device before the host waits for room (x: like launch queues of 1,024).
const mostQueued = 1024

// Full reports whether the host has to wait before it can submit another command.
func (g *GPU) Full() bool { return g.device.Manager().Remaining() >= mostQueued }

// Time returns the device's time.
func (g *GPU) Time() hyperq.Time { return g.device.Time() }

// Synchronize waits until all commands of process 0 on the device have ended.
func (g *GPU) Synchronize(ctx context.Context) error {
	done, last := func() bool { return g.Done(0) }, func() hyperq.Time { return g.LastEnd(0) }
	if err := g.host.wait(ctx, 0, "wait for the device", done, last); err != nil {
		return err
	}
	g.Waited(0)
	return g.settle(ctx, 0)
}

// submit submits a command.
func (s *Stream) submit(c *hyperq.Command) {
	c.Stream = s.stream
	s.gpu.host.submitted(s.gpu, c)
	s.gpu.device.Manager().Submit(c)
}

// Event is a point in a stream.
type Event struct {
	Name   string
	record *hyperq.Command
}

// NewEvent makes an event that is not recorded.
func NewEvent(name string) *Event { return &Event{Name: name} }

// Expect announces a record of the event, so that waits submitted before it also wait for it. Otherwise, as in CUDA, a wait for an event
// that is not recorded waits for nothing.
func (e *Event) Expect() {
	if e.record == nil {
		e.record = &hyperq.Command{Kind: hyperq.Record, Name: e.Name, Event: e.Name}
	}
}

// Record marks the event when all earlier commands of the stream have ended. Another Record marks it again; earlier waits still wait for
// the earlier mark.
func (s *Stream) Record(e *Event) {
	visible := s.gpu.host.call(s.Process(), "record "+e.Name, s.gpu.config.Host.Call)
	if e.record == nil || e.record.Submitted() {
		e.record = &hyperq.Command{Kind: hyperq.Record, Name: e.Name, Event: e.Name}
	}
	e.record.Visible = visible
	s.submit(e.record)
}

// Wait delays all later commands of the stream until the event has been marked.
func (s *Stream) Wait(e *Event) {
	c := &hyperq.Command{
		Kind: hyperq.Wait, Name: e.Name, Event: e.Name, Visible: s.gpu.host.call(s.Process(), "wait "+e.Name, s.gpu.config.Host.Call),
	}
	if e.record != nil {
		c.After = []*hyperq.Command{e.record}
	}
	s.submit(c)
}

// Callback runs a function when all earlier commands of the stream have ended. Later commands wait for it. It takes us microseconds of the
// host's time. The function must not call the simulator.
func (s *Stream) Callback(name string, us float64, f func()) {
	visible := s.gpu.host.call(s.Process(), "callback "+name, s.gpu.config.Host.Call)
	var effect hyperq.Effect
	if f != nil {
		effect = hyperq.EffectFunc(func() error { f(); return nil })
	}
	s.submit(&hyperq.Command{Kind: hyperq.Callback, Name: name, Visible: visible, Duration: hyperq.Time(us * 1e6), Effect: effect})
}

// Done reports whether the event has been marked.
func (e *Event) Done() bool { return e.record != nil && e.record.Ended() }

// End returns when the event was marked.
func (e *Event) End() hyperq.Time {
	if e.record == nil {
		return 0
	}
	return e.record.End
}

// Synchronize makes a process of a host wait until the event has been marked.
func (e *Event) Synchronize(ctx context.Context, h *Host, process int) error {
	if e.record == nil {
		return fmt.Errorf("event %s is waited for, and nothing records it", e.Name)
	}
	defer e.Waited(h, process)
	return h.wait(ctx, process, "wait for event "+e.Name, e.Done, e.End)
}

// Elapsed returns the time from one event to another, in microseconds; false if one is not marked.
func (e *Event) Elapsed(since *Event) (us float64, ok bool) {
	if !e.Done() || !since.Done() {
		return 0, false
	}
	return microseconds(e.record.End - since.record.End), true
}
