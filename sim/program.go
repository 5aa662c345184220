package sim

import (
	"context"

	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
)

// For host programs other than workloads: a clock that others also advance, and a switch between runs with and without timing.

// AdvanceTo makes a process of the host go on no earlier than a time, after work elsewhere.
func (h *Host) AdvanceTo(process int, at hyperq.Time) {
	h.know(process)
	h.clocks[process] = max(h.clocks[process], at)
}

// Drain advances the device until every command of process 0 has ended. The host goes on meanwhile.
func (g *GPU) Drain(ctx context.Context) error {
	for !g.Done(0) {
		if err := g.host.Advance(ctx); err != nil {
			return err
		}
	}
	g.host.Settle()
	return nil
}

// SetFunctional makes later kernels and copies run without timing, or with it. Call it while the device is idle.
func (g *GPU) SetFunctional(on bool) {
	g.options.Functional = on
	g.device.SetFunctional(on)
}

// Fill submits a memset with an effect of the caller to a stream.
func (s *Stream) Fill(name string, address uint64, bytes int64, effect Effect) error {
	_, err := s.StartCopy(Copy{Name: name, Direction: setBytes, To: address, Bytes: bytes, Effect: effect, Pinned: true})
	return err
}

// WaitUntil delays all later commands of the stream until a time.
func (s *Stream) WaitUntil(name string, at hyperq.Time) {
	visible := s.gpu.host.call(s.Process(), "wait "+name, s.gpu.config.Host.Call)
	s.submit(&hyperq.Command{Kind: hyperq.Wait, Name: name, Event: name, Visible: max(visible, at)})
}

// Busy occupies the stream for us microseconds with work that is not simulated.
func (s *Stream) Busy(name string, us float64) {
	visible := s.gpu.host.Clock(s.Process())
	s.submit(&hyperq.Command{Kind: hyperq.Callback, Name: name, Visible: visible, Duration: device.Microseconds(us)})
}
