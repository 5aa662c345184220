package runtime

import (
	"context"
	"fmt"
	"math"

	"github.com/keplersim/keplersim/sim"
)

// stream is a device's stream; the default stream has handle 0.
type stream struct {
	number   int
	flags    uint64
	priority int64
	queue    *sim.Stream
}

// event is a point in a stream.
type event struct {
	flags    uint64
	recorded bool
	device   *device
	mark     *sim.Event
}

// Flags of cudaEventCreateWithFlags and cudaStreamCreateWithFlags.
const (
	eventDisableTiming = 2
	streamNonBlocking  = 1
)

// perThread is CUDA's handle of a thread's own default stream. All threads share it here.
const perThread = 2

// stream finds a stream by its handle; small handles are CUDA's default streams.
func (d *device) stream(handle uint64) (*stream, Error) {
	if handle < perThread {
		handle = 0
	}
	if handle <= perThread && d.streams[handle] == nil {
		if handle == 0 {
			d.streams[0] = &stream{queue: d.gpu.Stream(0, 0)}
		} else {
			d.streams[handle] = d.newStream(0, 0)
		}
	}
	if st := d.streams[handle]; st != nil {
		return st, Success
	}
	return nil, ErrInvalidHandle
}

func (d *device) newStream(flags uint64, priority int64) *stream {
	d.names++
	queue := d.gpu.NumberStream(0, d.names, sim.StreamOptions{
		Name: fmt.Sprint(d.names), NonBlocking: flags&streamNonBlocking != 0, Priority: int(max(-1<<20, min(priority, 1<<20))),
	})
	return &stream{number: d.names, flags: flags, priority: int64(queue.Priority()), queue: queue}
}

func (s *Session) streamCreate(_ context.Context, d *device, q *request, a *response) {
	a.r[0] = d.handle()
	d.streams[a.r[0]] = d.newStream(q.a[0], int64(q.a[1]))
}

func (s *Session) streamDestroy(_ context.Context, d *device, q *request, a *response) {
	if q.a[0] <= perThread || d.streams[q.a[0]] == nil {
		a.err = ErrInvalidHandle
		return
	}
	delete(d.streams, q.a[0]) // work in the stream continues
}

// The questions of opStreamQuery.
const (
	queryDone  = iota // cudaStreamQuery
	queryFlags        // flags and priority
	queryName         // whether the stream exists
)

func (s *Session) streamQuery(ctx context.Context, d *device, q *request, a *response) {
	st, failed := d.stream(q.a[0])
	switch {
	case failed != Success:
		a.err = failed
	case q.a[1] == queryFlags:
		a.r[0], a.r[1] = st.flags, uint64(st.priority)
	case q.a[1] == queryDone:
		s.call(d)
		d.catchUp(ctx, st.queue.Done)
		if !st.queue.Done() && d.pending == Success || st.queue.LastEnd() > d.gpu.Host().Clock(0) {
			a.err = ErrNotReady
			return
		}
		d.settle(a)
	}
}

// call accounts for the time of a call that does not involve the device.
func (s *Session) call(d *device) {
	h := d.gpu.Host()
	h.AdvanceTo(0, h.Clock(0)+toTime(d.config.Host.Call))
}

func (s *Session) streamWait(ctx context.Context, d *device, q *request, a *response) {
	st, failed := d.stream(q.a[0])
	e := s.event(q.a[1])
	switch {
	case failed != Success:
		a.err = failed
	case e == nil:
		a.err = ErrInvalidHandle
	case e.recorded && e.device == d:
		st.queue.Wait(e.mark)
	case e.recorded:
		e.device.syncFromProgram()
		for !e.mark.Done() && e.device.pending == Success {
			if err := e.device.gpu.Host().Advance(ctx); err != nil {
				e.device.done(ctx, err)
			}
		}
		e.device.gpu.Host().Settle()
		st.queue.WaitUntil(e.mark.Name, e.mark.End())
	}
}

// event finds an event of any device.
func (s *Session) event(handle uint64) *event {
	for _, d := range s.devices {
		if e := d.events[handle]; e != nil {
			return e
		}
	}
	return nil
}

func (s *Session) eventCreate(_ context.Context, d *device, q *request, a *response) {
	a.r[0] = d.handle()
	d.events[a.r[0]] = &event{flags: q.a[0], device: d, mark: sim.NewEvent(fmt.Sprintf("event %d", len(d.events)+1))}
}

func (s *Session) eventDestroy(_ context.Context, _ *device, q *request, a *response) {
	if s.event(q.a[0]) == nil {
		a.err = ErrInvalidHandle
		return
	}
	for _, d := range s.devices {
		delete(d.events, q.a[0])
	}
}

func (s *Session) eventRecord(ctx context.Context, d *device, q *request, a *response) {
	st, failed := d.stream(q.a[1])
	e := d.events[q.a[0]]
	switch {
	case failed != Success:
		a.err = failed
	case e == nil:
		a.err = ErrInvalidHandle
	default:
		st.queue.Record(e.mark)
		e.recorded = true
		d.waitForRoom(ctx)
	}
}

func (s *Session) eventQuery(ctx context.Context, d *device, q *request, a *response) {
	e := s.event(q.a[0])
	if e == nil {
		a.err = ErrInvalidHandle
		return
	}
	if e.recorded {
		s.call(d)
		if !e.passed(ctx, d) {
			a.err = ErrNotReady
			return
		}
	}
	e.device.settle(a)
}

// passed runs the event's device up to the current time of d's host. It tells whether the event has passed by then.
func (e *event) passed(ctx context.Context, d *device) bool {
	h := e.device.gpu.Host()
	h.AdvanceTo(0, d.gpu.Host().Clock(0))
	e.device.catchUp(ctx, e.mark.Done)
	return (e.mark.Done() || e.device.pending != Success) && e.mark.End() <= h.Clock(0)
}

func (s *Session) eventElapsed(ctx context.Context, d *device, q *request, a *response) {
	start, stop := s.event(q.a[0]), s.event(q.a[1])
	if start == nil || stop == nil || !start.recorded || !stop.recorded || (start.flags|stop.flags)&eventDisableTiming != 0 {
		a.err = ErrInvalidHandle
		return
	}
	s.call(d)
	if !start.passed(ctx, d) || !stop.passed(ctx, d) {
		a.err = ErrNotReady
		return
	}
	us, ok := stop.mark.Elapsed(start.mark)
	if !ok {
		a.err = ErrNotReady
		return
	}
	a.r[0] = math.Float64bits(us / 1000)
}

// What opSynchronize waits for.
const (
	waitDevice = iota
	waitStream
	waitEvent
)

func (s *Session) synchronize(ctx context.Context, d *device, q *request, a *response) {
	switch q.a[0] {
	case waitStream:
		st, failed := d.stream(q.a[1])
		if failed != Success {
			a.err = failed
			return
		}
		d.done(ctx, st.queue.Synchronize(ctx))
	case waitEvent:
		e := s.event(q.a[1])
		if e == nil {
			a.err = ErrInvalidHandle
			return
		}
		if e.recorded {
			e.device.syncFromProgram()
			e.device.done(ctx, e.mark.Synchronize(ctx, e.device.gpu.Host(), 0))
			e.device.syncToProgram()
		}
		if e.device != d {
			e.device.settle(a)
			return
		}
	default:
		d.done(ctx, d.gpu.Synchronize(ctx))
	}
	d.settle(a)
}

// callback puts a call of a program's function, identified by a number, into a stream.
func (s *Session) callback(_ context.Context, d *device, q *request, a *response) {
	st, failed := d.stream(q.a[0])
	if failed != Success {
		a.err = failed
		return
	}
	number := q.a[1]
	st.queue.Callback(fmt.Sprintf("callback %d", number), 0, func() { s.callBack(number, d.pending) })
}

// callBack makes the program call its function and waits for the end. The answer to the program's request follows later.
func (s *Session) callBack(number uint64, status Error) {
	interim := response{callback: true, r: [6]uint64{number, uint64(status)}}
	if _, err := s.program.Write(interim.bytes()); err != nil {
		return // the program has ended
	}
	if q, err := s.next(); err == nil && q.operation != opCallbackDone {
		s.complain(fmt.Errorf("the program asked for operation %d before its callback returned", q.operation))
	}
}

// progress runs the devices while the program waits for a callback.
func (s *Session) progress(ctx context.Context, _ *device, _ *request, _ *response) {
	for _, d := range s.devices {
		d.drain(ctx)
	}
}

// goodbye is the orderly end of the program. Work that it has not waited for still runs.
func (s *Session) goodbye(ctx context.Context, d *device, q *request, a *response) {
	s.progress(ctx, d, q, a)
}

// sleep runs the devices for the time that the program sleeps, in ns. The part that --host-time counts anyway is left out.
func (s *Session) sleep(ctx context.Context, d *device, q *request, _ *response) {
	us := float64(q.a[0]) / 1000 * max(0, 1-s.options.HostTime)
	until := d.gpu.Host().Clock(0) + toTime(min(us, mostSleep))
	for _, other := range s.devices {
		other.gpu.Host().AdvanceTo(0, until)
		other.catchUp(ctx, func() bool { return other.gpu.Done(0) })
	}
}

// mostSleep is the most that one sleep counts, in µs: an hour.
const mostSleep = 3600e6

// elapsed is the end of the last work, in µs.
func (s *Session) elapsed() float64 {
	end := microseconds(s.now)
	for _, d := range s.devices {
		_, last := d.gpu.Host().Elapsed()
		end = max(end, last)
	}
	return end
}
