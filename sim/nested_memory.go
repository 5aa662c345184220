package sim

import (
	"bytes"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/smx"
)

// Directions of cudaMemcpyKind that kernels may ask for.
const (
	copyWithinDevice = 3
	copyDefault      = 4
)

// rows are a copy's or memset's bytes: height rows of width bytes, pitch apart.
type rows struct{ address, pitch, width, height uint64 }

// span is from the first byte to behind the last.
func (r *rows) span() uint64 {
	if r.width == 0 || r.height == 0 {
		return 0
	}
	return (r.height-1)*r.pitch + r.width
}

// check says whether rows lie in device memory: shared and local memory are refused, as CUDA says.
func (n *nested) check(c *smx.SystemCall, r *rows) int {
	if r.address = truncated(c, r.address); r.span() == 0 {
		return cudaSuccess
	}
	switch space, _ := exec.Resolve(r.address); {
	case space == isa.SpaceShared || space == isa.SpaceLocal:
		return cudaInvalidDevicePointer
	case r.height > 1 && r.pitch < r.width, r.span() > 1<<40, !n.gpu.global.Find(r.address, int(r.span())):
		return cudaInvalidValue
	}
	return cudaSuccess
}

// transfer gives the device a copy or memset, with its effect.
func (n *nested) transfer(c *smx.SystemCall, name string, of Copy, stream uint64, to, from *rows, effect hyperq.Effect) int {
	number := n.allowed(c)
	if number == cudaSuccess {
		number = n.check(c, to)
	}
	if number == cudaSuccess && from != nil {
		number = n.check(c, from)
	}
	s, ok := n.stream(c, stream)
	if number == cudaSuccess && !ok {
		number = cudaInvalidResourceHandle
	}
	if number != cudaSuccess || to.span() == 0 {
		return number
	}
	k := &n.gpu.config.Nested
	command := &hyperq.Command{Kind: hyperq.Memset, Name: name, Stream: s, Effect: effect, Detail: of.Direction.String()}
	command.Writes = hyperq.Range{Address: to.address, Bytes: to.width * to.height}
	if from != nil {
		command.Reads = hyperq.Range{Address: from.address, Bytes: to.width * to.height}
	}
	if of.Bytes = int64(to.width * to.height); !n.gpu.options.Functional {
		command.Duration = device.Microseconds(CopyTime(n.gpu.config, &of))
	}
	n.give(c, command, k.Launch+k.LaunchLane)
	return cudaSuccess
}

// copyRows is a copy of rows, whose kind is an argument.
func (n *nested) copyRows(c *smx.SystemCall, lane, kind int, stream uint64, to, from rows) int {
	if k := uint32(c.Argument(lane, kind)); k != copyWithinDevice && k != copyDefault {
		return cudaInvalidMemcpyDirection
	}
	return n.transfer(c, "copy of a kernel", Copy{Direction: Within}, stream, &to, &from, copying{n.gpu, &to, &from})
}

// copying is the effect of a copy of rows.
type copying struct {
	gpu      *GPU
	to, from *rows
}

// Apply copies the rows: all are read before any is written, as they may overlap.
func (e copying) Apply() error {
	to, from := e.to, e.from
	data := make([]byte, to.width*to.height)
	for row := range to.height {
		if err := e.gpu.global.Read(from.address+row*from.pitch, data[row*to.width:][:to.width]); err != nil {
			return err
		}
	}
	for row := range to.height {
		if err := e.gpu.global.Write(to.address+row*to.pitch, data[row*to.width:][:to.width]); err != nil {
			return err
		}
	}
	return nil
}

// copy1D is cudaMemcpyAsync(to, from, count, kind, stream).
func (n *nested) copy1D(c *smx.SystemCall, lane int) int {
	count := c.Argument(lane, 2)
	return n.copyRows(c, lane, 3, c.Argument(lane, 4), rows{c.Argument(lane, 0), 0, count, 1}, rows{c.Argument(lane, 1), 0, count, 1})
}

// copy2D is cudaMemcpy2DAsync(to, pitch, from, pitch, width, height, kind, stream).
func (n *nested) copy2D(c *smx.SystemCall, lane int) int {
	width, height := c.Argument(lane, 4), c.Argument(lane, 5)
	to, from := rows{c.Argument(lane, 0), c.Argument(lane, 1), width, height}, rows{c.Argument(lane, 2), c.Argument(lane, 3), width, height}
	return n.copyRows(c, lane, 6, c.Argument(lane, 7), to, from)
}

// setRows is a memset of rows.
func (n *nested) setRows(c *smx.SystemCall, value byte, stream uint64, to rows) int {
	return n.transfer(c, "memset of a kernel", Copy{Direction: setBytes}, stream, &to, nil, settingRows{n.gpu, &to, value})
}

// settingRows is the effect of a memset of rows.
type settingRows struct {
	gpu   *GPU
	to    *rows
	value byte
}

// Apply sets the rows.
func (e settingRows) Apply() error {
	data := bytes.Repeat([]byte{e.value}, int(e.to.width))
	for row := range e.to.height {
		if err := e.gpu.global.Write(e.to.address+row*e.to.pitch, data); err != nil {
			return err
		}
	}
	return nil
}

// set1D is cudaMemsetAsync(to, value, count, stream).
func (n *nested) set1D(c *smx.SystemCall, lane int) int {
	return n.setRows(c, byte(c.Argument(lane, 1)), c.Argument(lane, 3), rows{c.Argument(lane, 0), 0, c.Argument(lane, 2), 1})
}

// set2D is cudaMemset2DAsync(to, pitch, value, width, height, stream).
func (n *nested) set2D(c *smx.SystemCall, lane int) int {
	to := rows{c.Argument(lane, 0), c.Argument(lane, 1), c.Argument(lane, 3), c.Argument(lane, 4)}
	return n.setRows(c, byte(c.Argument(lane, 2)), c.Argument(lane, 5), to)
}

// malloc is cudaMalloc(&address, bytes): of the heap of malloc.
func (n *nested) malloc(c *smx.SystemCall, lane int) int {
	heap, err := n.gpu.system.mallocHeap()
	if err != nil {
		return cudaMemoryAllocation
	}
	bytes := truncated(c, c.Argument(lane, 1))
	address := heap.Malloc(bytes, who(c, lane))
	if address == 0 && bytes > 0 {
		return cudaMemoryAllocation
	}
	return put(c, lane, 0, address, c.AddressBytes())
}

// free is cudaFree(address).
func (n *nested) free(c *smx.SystemCall, lane int) int {
	address := truncated(c, c.Argument(lane, 0))
	if address == 0 {
		return cudaSuccess
	}
	heap, err := n.gpu.system.mallocHeap()
	if err != nil || heap.Free(address, who(c, lane)) != nil {
		return cudaInvalidDevicePointer
	}
	return cudaSuccess
}
