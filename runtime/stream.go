package runtime

import (
	"context"
	"math"
)

// stream is a queue of a device's; the default stream has handle 0.
type stream struct {
	number   int
	flags    uint64
	priority int64
	end      float64 // when what is in it ends, µs
}

// event is a point in a stream.
type event struct {
	flags    uint64
	recorded bool
	at       float64 // µs
}

// Flags of cudaEventCreateWithFlags.
const eventDisableTiming = 2

// stream finds a stream by its handle; the small ones are CUDA's names of the default stream.
func (d *device) stream(handle uint64) (*stream, Error) {
	if handle <= 2 {
		handle = 0
		if d.streams[0] == nil {
			d.streams[0] = &stream{}
		}
	}
	if st := d.streams[handle]; st != nil {
		return st, Success
	}
	return nil, ErrInvalidHandle
}

func (s *Session) streamCreate(_ context.Context, d *device, q *request, a *response) {
	a.r[0] = d.handle()
	d.names++
	least, greatest := int64(0), int64(0)
	if d.config.ComputeCapability >= 35 {
		greatest = -1
	}
	d.streams[a.r[0]] = &stream{number: d.names, flags: q.a[0], priority: max(greatest, min(int64(q.a[1]), least))}
}

func (s *Session) streamDestroy(_ context.Context, d *device, q *request, a *response) {
	if q.a[0] <= 2 || d.streams[q.a[0]] == nil {
		a.err = ErrInvalidHandle
		return
	}
	delete(d.streams, q.a[0])
}

// Ways of opStreamQuery.
const (
	queryDone  = iota // cudaStreamQuery
	queryFlags        // flags and priority
	queryJoin         // the state that a callback is told
)

func (s *Session) streamQuery(_ context.Context, d *device, q *request, a *response) {
	st, failed := d.stream(q.a[0])
	switch {
	case failed != Success:
		a.err = failed
	case q.a[1] == queryFlags:
		a.r[0], a.r[1] = st.flags, uint64(st.priority)
	case q.a[1] == queryJoin:
		a.r[0] = uint64(d.pending)
	default:
		d.engine.wait(st)
		d.settle(a)
	}
}

func (s *Session) streamWait(_ context.Context, d *device, q *request, a *response) {
	st, failed := d.stream(q.a[0])
	e := s.event(q.a[1])
	switch {
	case failed != Success:
		a.err = failed
	case e == nil:
		a.err = ErrInvalidHandle
	case e.recorded:
		d.engine.after(st, e)
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
	d.events[a.r[0]] = &event{flags: q.a[0]}
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

func (s *Session) eventRecord(_ context.Context, d *device, q *request, a *response) {
	st, failed := d.stream(q.a[1])
	e := d.events[q.a[0]]
	switch {
	case failed != Success:
		a.err = failed
	case e == nil:
		a.err = ErrInvalidHandle
	default:
		d.engine.record(st, e)
	}
}

// eventQuery is always true: work has been carried out when the call that asked for it returns.
func (s *Session) eventQuery(_ context.Context, d *device, q *request, a *response) {
	if s.event(q.a[0]) == nil {
		a.err = ErrInvalidHandle
		return
	}
	d.settle(a)
}

func (s *Session) eventElapsed(_ context.Context, _ *device, q *request, a *response) {
	start, stop := s.event(q.a[0]), s.event(q.a[1])
	if start == nil || stop == nil || !start.recorded || !stop.recorded || (start.flags|stop.flags)&eventDisableTiming != 0 {
		a.err = ErrInvalidHandle
		return
	}
	a.r[0] = math.Float64bits((stop.at - start.at) / 1000)
}

// What opSynchronize waits for.
const (
	waitDevice = iota
	waitStream
	waitEvent
)

func (s *Session) synchronize(_ context.Context, d *device, q *request, a *response) {
	switch q.a[0] {
	case waitStream:
		st, failed := d.stream(q.a[1])
		if failed != Success {
			a.err = failed
			return
		}
		d.engine.wait(st)
	case waitEvent:
		e := s.event(q.a[1])
		if e == nil {
			a.err = ErrInvalidHandle
			return
		}
		d.engine.waitEvent(e)
	default:
		d.engine.waitAll()
	}
	d.settle(a)
}

// elapsed is when the last work ends, µs.
func (s *Session) elapsed() float64 {
	end := s.host.now
	for _, d := range s.devices {
		end = max(end, d.engine.end())
	}
	return end
}
