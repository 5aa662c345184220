package sim

import (
	"context"

	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/memory"
)

// AllocateMapped takes page-locked memory of the host that kernels reach by an address of the device: every access crosses the link.
// It takes nothing of the device's memory. The alignment is a power of two, 256 or more.
func (g *GPU) AllocateMapped(name string, bytes, alignment uint64) (address uint64, err error) {
	address, err = g.settled().AllocateAt(memory.Mapped, name, bytes, alignment)
	return address, g.allocated(address, bytes, err)
}

// AllocateManaged takes memory that host and device share, as cudaMallocManaged below compute capability 6.0: all of it moves to the device
// before a launch, whether the kernel uses it or not, and back when the host has synchronised and the device is idle. No page moves alone.
func (g *GPU) AllocateManaged(name string, bytes uint64) (address uint64, err error) {
	g.managed.onDevice = false
	address, err = g.settled().AllocateAt(memory.Managed, name, bytes, 256)
	return address, g.allocated(address, bytes, err)
}

// managed is where the device's managed memory is.
type managed struct {
	onDevice bool
	arrival  *hyperq.Command // brought it to the device
}

// bringManaged moves managed memory to the device before a launch, unless it is there, and returns what the launch has to wait for.
func (g *GPU) bringManaged(s *Stream) (after []*hyperq.Command, err error) {
	bytes := int64(g.global.ManagedBytes())
	if bytes == 0 {
		return nil, nil
	}
	if !g.managed.onDevice {
		if _, err := s.StartCopy(Copy{Name: "managed memory", Direction: managedIn, Bytes: bytes, Pinned: true}); err != nil {
			return nil, err
		}
		g.managed.onDevice, g.managed.arrival = true, s.stream.Last()
	}
	return []*hyperq.Command{g.managed.arrival}, nil
}

// ReturnManaged begins to move managed memory back to the host, as it does when the host has synchronised: if it is on the device, and
// nothing of a process is left to do there. It returns the stream that the host has to wait for, nil where nothing moves.
func (g *GPU) ReturnManaged(process int) (*Stream, error) {
	bytes := int64(g.global.ManagedBytes())
	if bytes == 0 || !g.managed.onDevice || !g.Done(process) {
		return nil, nil
	}
	s := g.Stream(process, 0)
	_, err := s.StartCopy(Copy{Name: "managed memory", Direction: managedOut, Bytes: bytes, Pinned: true})
	g.managed = managed{}
	return s, err
}

// settle has a process that has synchronised wait for managed memory to come back.
func (g *GPU) settle(ctx context.Context, process int) error {
	s, err := g.ReturnManaged(process)
	if s == nil || err != nil {
		return err
	}
	return s.wait(ctx)
}

// Implicit is a call of a process that the driver lets nothing overlap: an allocation of device memory or of page-locked memory. What is
// put into any stream of the process afterwards waits for all that was put there before. It takes so many microseconds of the host's time.
func (g *GPU) Implicit(process int, name string, us float64) {
	visible := g.host.call(process, name, us)
	g.device.Manager().Barrier(process, name, visible)
}

// AllocationTime is what an allocation takes of the host's time, in microseconds, FreeTime giving memory back.
func (g *GPU) AllocationTime(bytes uint64) float64 {
	return g.config.Host.Call + g.config.Host.Allocate*float64(bytes)/(1<<20)
}

// FreeTime is what giving memory back takes of the host's time, in microseconds, once the device is idle: it waits for that.
func (g *GPU) FreeTime(bytes uint64) float64 {
	return g.config.Host.Call + g.config.Host.Free*float64(bytes)/(1<<20)
}
