package sim

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"os"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx"
)

// system is the driver's part that kernels call: output, the heap and assertions. Calls come in the order of (cycle, SMX, sequence), so its
// output and addresses do not depend on the host.
type system struct {
	gpu    *GPU
	out    *bufio.Writer
	heap   *memory.Heap
	over   <-chan struct{} // closed when the run is to end
	nested *nested
}

func newSystem(g *GPU) *system {
	var out io.Writer = os.Stdout
	if g.options.Printf != nil {
		out = g.options.Printf
	}
	return &system{gpu: g, out: bufio.NewWriter(out), nested: newNested(g)}
}

// systemFunctions has the calls that the device provides.
var systemFunctions = map[string]func(*system, *smx.SystemCall) *smx.Fault{
	"vprintf": (*system).printf, "malloc": (*system).malloc, "free": (*system).free, "__assertfail": (*system).assertFail,
}

// Call carries out a system call of a warp.
func (s *system) Call(c *smx.SystemCall) *smx.Fault {
	if f := nestedCalls[c.Name]; f != nil {
		return f(s.nested, c)
	}
	if kernel, ok := strings.CutPrefix(c.Name, isa.LaunchPrefix); ok {
		return s.nested.launchCall(c, kernel)
	}
	f := systemFunctions[c.Name]
	switch {
	case f == nil && strings.HasPrefix(c.Name, "cuda"):
		return systemFault(bits.TrailingZeros32(c.Lanes), "%s belongs to CUDA's device runtime, and is not simulated", c.Name)
	case f == nil:
		return systemFault(
			bits.TrailingZeros32(c.Lanes), "%s is declared but not defined, and no system call of that name is simulated", c.Name,
		)
	}
	return f(s, c)
}

func systemFault(lane int, format string, arguments ...any) *smx.Fault {
	return &smx.Fault{Kind: smx.FaultSystem, Lane: lane, Detail: fmt.Sprintf(format, arguments...)}
}

// eachLane calls f for the lanes of a call, in order, until one fails.
func eachLane(c *smx.SystemCall, f func(lane int) *smx.Fault) *smx.Fault {
	for m := c.Lanes; m != 0; m &= m - 1 {
		if fault := f(bits.TrailingZeros32(m)); fault != nil {
			return fault
		}
	}
	return nil
}

func (s *system) flush() error {
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("device-side printf: %w", err)
	}
	return nil
}

func who(c *smx.SystemCall, lane int) string {
	b, t := c.Block(), c.Thread(lane)
	return fmt.Sprintf("block (%d,%d,%d), thread (%d,%d,%d) at %s", b[0], b[1], b[2], t[0], t[1], t[2], c.Place().Where)
}

// mallocHeap returns the device heap, and makes it if necessary.
func (s *system) mallocHeap() (*memory.Heap, error) {
	if s.heap == nil {
		heap, err := s.gpu.global.NewHeap(uint64(s.gpu.config.Heap.Malloc))
		if err != nil {
			return nil, err
		}
		s.heap = heap
	}
	return s.heap, nil
}

// malloc returns a block of the heap to each lane, or null if there is no room.
func (s *system) malloc(c *smx.SystemCall) *smx.Fault {
	heap, err := s.mallocHeap()
	if err != nil {
		return systemFault(bits.TrailingZeros32(c.Lanes), "%v", err)
	}
	return eachLane(c, func(lane int) *smx.Fault {
		bytes := truncated(c, c.Argument(lane, 0))
		address := heap.Malloc(bytes, who(c, lane))
		if s.gpu.checker != nil && address != 0 {
			s.gpu.checker.Malloc(address, bytes)
		}
		c.SetResult(lane, address)
		return nil
	})
}

func (s *system) free(c *smx.SystemCall) *smx.Fault {
	return eachLane(c, func(lane int) *smx.Fault {
		address := truncated(c, c.Argument(lane, 0))
		switch {
		case address == 0:
			return nil
		case s.heap == nil:
			return systemFault(lane, "free of %#x before any malloc", address)
		}
		err := s.heap.Free(address, who(c, lane))
		if err == nil || s.gpu.checker != nil && s.gpu.checker.Free(c.Warp(), c.Op(), lane, address, err, s.heap.Freed(address)) {
			return nil
		}
		return systemFault(lane, "%v", err)
	})
}

// truncated returns an address or size in the program's width.
func truncated(c *smx.SystemCall, value uint64) uint64 {
	if c.AddressBytes() == 4 {
		return value & 0xffffffff
	}
	return value
}

// assertFail ends the run with the messages of all lanes that fail together.
func (s *system) assertFail(c *smx.SystemCall) *smx.Fault {
	first := bits.TrailingZeros32(c.Lanes)
	var lines []string
	_ = eachLane(c, func(lane int) *smx.Fault {
		text := func(n int) string {
			t, ok := readString(c, lane, truncated(c, c.Argument(lane, n)), maximumString)
			if !ok {
				return "?"
			}
			return t
		}
		b, t := c.Block(), c.Thread(lane)
		lines = append(lines, fmt.Sprintf("%s:%d: %s: block: [%d,%d,%d], thread: [%d,%d,%d] Assertion `%s` failed.",
			text(1), uint32(c.Argument(lane, 2)), text(3), b[0], b[1], b[2], t[0], t[1], t[2], text(0)))
		return nil
	})
	return &smx.Fault{Kind: smx.FaultAssert, Lane: first, Detail: strings.Join(lines, "\n  ")}
}
