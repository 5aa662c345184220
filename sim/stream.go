package sim

import (
	"context"
	"fmt"
	"strconv"

	"github.com/keplersim/keplersim/sim/hyperq"
)

// Stream is an order of commands on a device.
type Stream struct {
	gpu    *GPU
	stream *hyperq.Stream
}

// StreamOptions are what a stream is made with.
type StreamOptions struct {
	// Name is for messages and timelines; "" is a number.
	Name string
	// NonBlocking leaves the stream out of the order with the legacy default stream.
	NonBlocking bool
	// Priority is as CUDA has it: lower numbers go first, 0 is the default. Numbers that the device does not have are brought to the
	// nearest.
	Priority int
	// Process is the process whose stream it is.
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

// streamKey is a stream by the number that launches name it by.
type streamKey struct{ process, number int }

// PerThread is the number of the per-thread default stream: an ordinary blocking stream that is a host thread's own.
const PerThread = -1

// Stream returns the stream that launches of a process name by a number: 0 is the legacy default stream, PerThread the per-thread one, the
// others are blocking streams, made when they are first named.
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

// NumberStream makes the stream that launches of a process name by a number.
func (g *GPU) NumberStream(process, number int, o StreamOptions) *Stream {
	o.Process = process
	s := g.NewStream(o)
	s.stream.Number = number
	g.streams[streamKey{process, number}] = s
	return s
}

// Priority is the stream's, as CUDA has it.
func (s *Stream) Priority() int { return -s.stream.Priority }

// GPU is the stream's device.
func (s *Stream) GPU() *GPU { return s.gpu }

// Process is the stream's process.
func (s *Stream) Process() int { return s.stream.Context }

// Name is what messages call the stream.
func (s *Stream) Name() string { return s.stream.Name }

// Done reports that everything put into the stream has ended.
func (s *Stream) Done() bool {
	last := s.stream.Last()
	return last == nil || last.Ended()
}

// Took is how long the stream's last command took on the device, in microseconds, once it has ended.
func (s *Stream) Took() float64 {
	if last := s.stream.Last(); last != nil {
		return microseconds(last.End - last.Start)
	}
	return 0
}

// LastEnd is when the stream's last command ended.
func (s *Stream) LastEnd() hyperq.Time {
	if last := s.stream.Last(); last != nil {
		return last.End
	}
	return 0
}

// Synchronize waits until everything put into the stream has ended.
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

// Done reports that every command of a process on the device has ended.
func (g *GPU) Done(process int) bool {
	for _, s := range g.device.Manager().Streams() {
		if last := s.Last(); s.Context == process && last != nil && !last.Ended() {
			return false
		}
	}
	return true
}

// LastEnd is when the last command of a process on the device ended.
func (g *GPU) LastEnd(process int) (at hyperq.Time) {
	for _, s := range g.device.Manager().Streams() {
		if last := s.Last(); s.Context == process && last != nil {
			at = max(at, last.End)
		}
	}
	return at
}

// mostQueued is how many commands may wait on a device before the host waits for room (x: as launch queues of 1,024 are told of).
const mostQueued = 1024

// Full reports that the host has to wait before it can put in another command.
func (g *GPU) Full() bool { return g.device.Manager().Remaining() >= mostQueued }

// Time is the device's time.
func (g *GPU) Time() hyperq.Time { return g.device.Time() }

// Synchronize waits until every command of process 0 on the device has ended.
func (g *GPU) Synchronize(ctx context.Context) error {
	done, last := func() bool { return g.Done(0) }, func() hyperq.Time { return g.LastEnd(0) }
	if err := g.host.wait(ctx, 0, "wait for the device", done, last); err != nil {
		return err
	}
	g.Waited(0)
	return g.settle(ctx, 0)
}

// submit puts a command into a stream.
func (s *Stream) submit(c *hyperq.Command) *hyperq.Command {
	c.Stream = s.stream
	s.gpu.host.submitted(s.gpu, c)
	s.gpu.device.Manager().Submit(c)
	return c
}

// Event is a point in a stream.
type Event struct {
	Name   string
	record *hyperq.Command
}

// NewEvent makes an event that has not been recorded.
func NewEvent(name string) *Event { return &Event{Name: name} }

// Expect says that the event will be recorded: waits that come before the record wait for it. Without, a wait for an event that has not
// been recorded waits for nothing, as in CUDA.
func (e *Event) Expect() {
	if e.record == nil {
		e.record = &hyperq.Command{Kind: hyperq.Record, Name: e.Name, Event: e.Name}
	}
}

// Record marks the event when everything put into the stream before has ended. An event that is recorded again is marked anew; waits that
// were put into streams before still wait for the earlier mark.
func (s *Stream) Record(e *Event) {
	visible := s.gpu.host.call(s.Process(), "record "+e.Name, s.gpu.config.Host.Call)
	if e.record == nil || e.record.Submitted() {
		e.record = &hyperq.Command{Kind: hyperq.Record, Name: e.Name, Event: e.Name}
	}
	e.record.Visible = visible
	s.submit(e.record)
}

// Wait holds everything put into the stream from now on back until the event has been marked.
func (s *Stream) Wait(e *Event) {
	c := &hyperq.Command{
		Kind: hyperq.Wait, Name: e.Name, Event: e.Name, Visible: s.gpu.host.call(s.Process(), "wait "+e.Name, s.gpu.config.Host.Call),
	}
	if e.record != nil {
		c.After = []*hyperq.Command{e.record}
	}
	s.submit(c)
}

// Callback runs a function when everything put into the stream before has ended; what comes later in the stream waits for it. It takes so
// many microseconds of the host's time. The function must not call the simulator.
func (s *Stream) Callback(name string, us float64, f func()) {
	visible := s.gpu.host.call(s.Process(), "callback "+name, s.gpu.config.Host.Call)
	var effect hyperq.Effect
	if f != nil {
		effect = hyperq.EffectFunc(func() error { f(); return nil })
	}
	s.submit(&hyperq.Command{Kind: hyperq.Callback, Name: name, Visible: visible, Duration: hyperq.Time(us * 1e6), Effect: effect})
}

// Done reports that the event has been marked.
func (e *Event) Done() bool { return e.record != nil && e.record.Ended() }

// End is when the event was marked.
func (e *Event) End() hyperq.Time {
	if e.record == nil {
		return 0
	}
	return e.record.End
}

// Synchronize has a process of a host wait until the event has been marked.
func (e *Event) Synchronize(ctx context.Context, h *Host, process int) error {
	if e.record == nil {
		return fmt.Errorf("event %s is waited for, and nothing records it", e.Name)
	}
	defer e.Waited(h, process)
	return h.wait(ctx, process, "wait for event "+e.Name, e.Done, e.End)
}

// Elapsed is the time from one event to another, in microseconds; false where one has not been marked.
func (e *Event) Elapsed(since *Event) (us float64, ok bool) {
	if !e.Done() || !since.Done() {
		return 0, false
	}
	return microseconds(e.record.End - since.record.End), true
}
