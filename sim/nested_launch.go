package sim

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/smx"
)

// mostParameterBytes is the largest parameter buffer, bufferBytes the allocation from which buffers are cut.
const (
	mostParameterBytes = 4096
	leastBufferBytes   = 64 // d CUDA dynamic parallelism: a buffer is 64-byte aligned whatever is asked for
	bufferBytes        = 1 << 18
)

// launchBuffers has the parameter buffers of coming launches, in sizes of powers of two.
type launchBuffers struct {
	free   map[int][]uint64 // addresses, by size
	taken  map[uint64]launchBuffer
	at     uint64 // of the allocation that is being cut
	remain uint64
}

// launchBuffer is a kernel's buffer before its launch.
type launchBuffer struct {
	bytes int
	of    *geometry // of cudaGetParameterBufferV2
}

// take returns a buffer; 0 if there is no memory left.
func (b *launchBuffers) take(g *GPU, bytes int) (address uint64) {
	if b.free == nil {
		b.free, b.taken = map[int][]uint64{}, map[uint64]launchBuffer{}
	}
	size := leastBufferBytes
	for size < bytes {
		size *= 2
	}
	if list := b.free[size]; len(list) > 0 {
		b.free[size] = list[:len(list)-1]
		return list[len(list)-1]
	}
	if b.remain < uint64(size) {
		at, err := g.Allocate("parameter buffers", bufferBytes)
		if err != nil {
			return 0
		}
		b.at, b.remain = at, bufferBytes
	}
	b.at, b.remain = b.at+uint64(size), b.remain-uint64(size)
	return b.at - uint64(size)
}

// give takes a buffer back.
func (b *launchBuffers) give(address uint64) {
	size := leastBufferBytes
	for size < b.taken[address].bytes {
		size *= 2
	}
	delete(b.taken, address)
	b.free[size] = append(b.free[size], address)
}

// buffer is cudaGetParameterBuffer(alignment, size): 0 if it fails.
func (n *nested) buffer(c *smx.SystemCall) *smx.Fault {
	k := &n.gpu.config.Nested
	n.took(c, k.Buffer, k.BufferLane)
	return eachLane(c, func(lane int) *smx.Fault {
		c.SetResult(lane, n.takeBuffer(c, lane, int(min(c.Argument(lane, 1), mostParameterBytes+1)), nil))
		return nil
	})
}

// bufferV2 is cudaGetParameterBufferV2(function, grid, block, shared): it checks the configuration and stores it with the buffer.
func (n *nested) bufferV2(c *smx.SystemCall) *smx.Fault {
	k := &n.gpu.config.Nested
	n.took(c, k.Buffer, k.BufferLane)
	return eachLane(c, func(lane int) *smx.Fault {
		of := &geometry{c.Argument(lane, 0), extent(c, lane, 1), extent(c, lane, 2), uint32(c.Argument(lane, 3))}
		number := n.allowed(c)
		if number == cudaSuccess {
			_, number = n.prepare(c, of, nil)
		}
		if number != cudaSuccess {
			n.note(c, lane, number)
			c.SetResult(lane, 0)
			return nil
		}
		_, f, _ := n.kernelOf(c, of.function)
		c.SetResult(lane, n.takeBuffer(c, lane, f.ParameterBytes(), of))
		return nil
	})
}

func (n *nested) takeBuffer(c *smx.SystemCall, lane, bytes int, of *geometry) (address uint64) {
	number := n.allowed(c)
	if number == cudaSuccess && bytes > mostParameterBytes {
		number = cudaInvalidValue
	}
	if number == cudaSuccess {
		if address = n.buffers.take(n.gpu, bytes); address != 0 {
			n.buffers.taken[address] = launchBuffer{bytes, of}
			if n.gpu.checker != nil {
				n.gpu.checker.Allocated(address, uint64(max(bytes, leastBufferBytes)))
			}
			return address
		}
		number = cudaMemoryAllocation
	}
	n.note(c, lane, number)
	return 0
}

// extent returns a dim3 argument.
func extent(c *smx.SystemCall, lane, argument int) (e [3]uint32) {
	var raw [12]byte
	c.Bytes(lane, argument, raw[:])
	for i := range e {
		e[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return e
}

// launchDevice is cudaLaunchDevice(function, buffer, grid, block, shared, stream).
func (n *nested) launchDevice(c *smx.SystemCall) *smx.Fault {
	return n.launches(c, func(lane int) (*geometry, uint64, uint64) {
		of := &geometry{c.Argument(lane, 0), extent(c, lane, 2), extent(c, lane, 3), uint32(c.Argument(lane, 4))}
		return of, truncated(c, c.Argument(lane, 1)), c.Argument(lane, 5)
	})
}

// launchDeviceV2 is cudaLaunchDeviceV2(buffer, stream).
func (n *nested) launchDeviceV2(c *smx.SystemCall) *smx.Fault {
	return n.launches(c, func(lane int) (*geometry, uint64, uint64) {
		buffer := truncated(c, c.Argument(lane, 0))
		return n.buffers.taken[buffer].of, buffer, c.Argument(lane, 1)
	})
}

// launches carries out the launches of a warp's lanes one after another.
func (n *nested) launches(c *smx.SystemCall, read func(lane int) (of *geometry, buffer, stream uint64)) *smx.Fault {
	k := &n.gpu.config.Nested
	n.took(c, k.Launch, k.LaunchLane)
	place := 0
	return eachLane(c, func(lane int) *smx.Fault {
		place++
		of, buffer, stream := read(lane)
		number := n.allowed(c)
		switch {
		case number != cudaSuccess:
		case of == nil:
			number = cudaInvalidValue
		default:
			number = n.launch(c, place, of, stream, func(bytes int) []byte {
				data := make([]byte, bytes)
				if bytes > 0 && n.gpu.global.Read(buffer, data) != nil {
					return nil
				}
				return data
			})
		}
		if _, ok := n.buffers.taken[buffer]; ok {
			n.buffers.give(buffer)
		}
		if number != cudaSuccess {
			n.fail(c, lane, number)
		} else {
			c.SetResult(lane, cudaSuccess)
		}
		return nil
	})
}

// configure is the first half of kernel<<<grid, block, shared, stream>>>(arguments) in device code, as our compiler translates it.
func (n *nested) configure(c *smx.SystemCall) *smx.Fault {
	k := &n.gpu.config.Nested
	n.took(c, k.Buffer, k.BufferLane)
	return eachLane(c, func(lane int) *smx.Fault {
		f := &configuration{stream: c.Argument(lane, 7)}
		for i := range 3 {
			f.grid[i], f.block[i] = uint32(c.Argument(lane, i)), uint32(c.Argument(lane, 3+i))
		}
		f.shared = uint32(min(c.Argument(lane, 6), 1<<31))
		n.of(c).configured[c.ThreadNumber(lane)] = f
		return nil
	})
}

// launchCall is the second half: the call of the kernel with its arguments. A failure becomes the thread's last error.
func (n *nested) launchCall(c *smx.SystemCall, kernel string) *smx.Fault {
	k := &n.gpu.config.Nested
	n.took(c, k.Launch, k.LaunchLane)
	place, program := 0, c.Grid().Program.Machine.Program
	index := slices.IndexFunc(program.Functions, func(f *isa.Function) bool { return f.Name == kernel })
	return eachLane(c, func(lane int) *smx.Fault {
		place++
		thread := c.ThreadNumber(lane)
		f := n.of(c).configured[thread]
		if f == nil {
			return systemFault(lane, "kernel %s is called, and no launch of it configured", kernel)
		}
		delete(n.of(c).configured, thread)
		f.function = exec.FunctionAddress(int32(index))
		number := n.launch(c, place, &f.geometry, f.stream, func(bytes int) []byte {
			data := make([]byte, bytes)
			for i, p := range program.Functions[index].Parameters {
				c.Bytes(lane, i, data[p.Offset:p.Offset+p.Bytes])
			}
			return data
		})
		if number != cudaSuccess {
			n.note(c, lane, number)
		}
		return nil
	})
}

// first returns the first lane of a call.
func first(c *smx.SystemCall) int { return bits.TrailingZeros32(c.Lanes) & 31 }
