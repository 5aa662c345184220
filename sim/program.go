package sim

import (
	"context"

	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
)

// What a host program that is not ours needs beside workloads: a clock that others move too, and a choice between timing and none.

// GoOn has a process of the host go on no earlier than a time: what it did meanwhile was elsewhere.
func (h *Host) GoOn(process int, at hyperq.Time) {
	h.know(process)
	h.clocks[process] = max(h.clocks[process], at)
}

// Drain lets the device run until every command of process 0 has ended; the host goes on meanwhile.
func (g *GPU) Drain(ctx context.Context) error {
	for !g.Done(0) {
		if err := g.host.Advance(ctx); err != nil {
			return err
		}
	}
	g.host.Settle()
	return nil
}

// SetFunctional has kernels and copies from now on run without timing, or with it. It is called while the device is idle.
func (g *GPU) SetFunctional(on bool) {
	g.options.Functional = on
	g.device.SetFunctional(on)
}

// Fill puts a memset into a stream whose effect is the caller's.
func (s *Stream) Fill(name string, address uint64, bytes int64, effect Effect) error {
	_, err := s.StartCopy(Copy{Name: name, Direction: setBytes, To: address, Bytes: bytes, Effect: effect, Pinned: true})
	return err
}

// WaitUntil holds everything put into the stream from now on back until a time.
func (s *Stream) WaitUntil(name string, at hyperq.Time) {
	visible := s.gpu.host.call(s.Process(), "wait "+name, s.gpu.config.Host.Call)
	s.submit(&hyperq.Command{Kind: hyperq.Wait, Name: name, Event: name, Visible: max(visible, at)})
}

// Busy has the stream take so many microseconds for something that is not simulated.
func (s *Stream) Busy(name string, us float64) {
	visible := s.gpu.host.Clock(s.Process())
	s.submit(&hyperq.Command{Kind: hyperq.Callback, Name: name, Visible: visible, Duration: device.Microseconds(us)})
}
