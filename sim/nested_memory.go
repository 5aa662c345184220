package sim

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/smx"
)

// cudaMemcpyKind values that kernels may use.
const (
	copyWithinDevice = 3
	copyDefault      = 4
)

// rows are the bytes of a copy or memset: height rows of width bytes, pitch apart; in a volume depth slices of them, slice apart.
type rows struct{ address, pitch, width, height, slice, depth uint64 }

// span returns the distance from the first to behind the last byte; the maximum for absurd sizes.
func (r *rows) span() uint64 {
	if r.width == 0 || r.height == 0 || r.depth == 0 {
		return 0
	}
	if max(r.width, r.height, r.depth, r.pitch) > mostSpan || r.slice > mostSpan {
		return math.MaxUint64
	}
	return (r.depth-1)*r.slice + (r.height-1)*r.pitch + r.width
}

// bytes returns the number of bytes.
func (r *rows) bytes() uint64 { return r.width * r.height * r.depth }

// each calls a function with each row's address, and its offset among the bytes.
func (r *rows) each(f func(address, at uint64) error) error {
	for z := range r.depth {
		for y := range r.height {
			if err := f(r.address+z*r.slice+y*r.pitch, (z*r.height+y)*r.width); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostSpan is the most of each extent of a copy: a product of two fits 64 bits.
const mostSpan = 1 << 31

// check returns an error number unless rows are in device memory. As in CUDA, shared and local memory are errors.
func (n *nested) check(c *smx.SystemCall, r *rows) int {
	if r.address = truncated(c, r.address); r.span() == 0 {
		return cudaSuccess
	}
	switch space, _ := exec.Resolve(r.address); {
	case space == isa.SpaceShared || space == isa.SpaceLocal:
		return cudaInvalidDevicePointer
	case r.height > 1 && r.pitch < r.width, r.depth > 1 && r.slice < (r.height-1)*r.pitch+r.width, r.span() > 1<<40,
		!n.gpu.global.Find(r.address, int(r.span())):
		return cudaInvalidValue
	}
	return cudaSuccess
}

// transfer submits a copy or memset with its effect.
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
	if checker := n.gpu.checker; checker != nil {
		command.Effect = hyperq.EffectFunc(func() error {
			_ = to.each(func(address, _ uint64) error {
				checker.Written(address, to.width)
				return nil
			})
			return effect.Apply()
		})
	}
	command.Writes = hyperq.Range{Address: to.address, Bytes: to.bytes()}
	if from != nil {
		command.Reads = hyperq.Range{Address: from.address, Bytes: to.bytes()}
	}
	if of.Bytes = int64(to.bytes()); !n.gpu.options.Functional {
		command.Duration = device.Microseconds(CopyTime(n.gpu.config, &of))
	}
	n.give(c, command, k.Launch+k.LaunchLane)
	return cudaSuccess
}

// copyRows submits a copy of rows with a cudaMemcpyKind.
func (n *nested) copyRows(c *smx.SystemCall, kind uint32, stream uint64, to, from rows) int {
	if kind != copyWithinDevice && kind != copyDefault {
		return cudaInvalidMemcpyDirection
	}
	return n.transfer(c, "copy of a kernel", Copy{Direction: Within}, stream, &to, &from, copying{n.gpu, &to, &from})
}

// copying is the effect of a copy of rows.
type copying struct {
	gpu      *GPU
	to, from *rows
}

// Apply copies the rows. It reads all before it writes any, because they may overlap.
func (e copying) Apply() error {
	to, global := e.to, e.gpu.global
	data := make([]byte, to.bytes())
	err := e.from.each(func(address, at uint64) error { return global.Read(address, data[at:][:to.width]) })
	if err != nil {
		return err
	}
	return to.each(func(address, at uint64) error { return global.Write(address, data[at:][:to.width]) })
}

// copy1D is cudaMemcpyAsync(to, from, count, kind, stream).
func (n *nested) copy1D(c *smx.SystemCall, lane int) int {
	count := c.Argument(lane, 2)
	to, from := rows{address: c.Argument(lane, 0)}, rows{address: c.Argument(lane, 1)}
	to.width, to.height, to.depth = count, 1, 1
	from.width, from.height, from.depth = count, 1, 1
	return n.copyRows(c, uint32(c.Argument(lane, 3)), c.Argument(lane, 4), to, from)
}

// copy2D is cudaMemcpy2DAsync(to, pitch, from, pitch, width, height, kind, stream).
func (n *nested) copy2D(c *smx.SystemCall, lane int) int {
	width, height := c.Argument(lane, 4), c.Argument(lane, 5)
	to := rows{address: c.Argument(lane, 0), pitch: c.Argument(lane, 1), width: width, height: height, depth: 1}
	from := rows{address: c.Argument(lane, 2), pitch: c.Argument(lane, 3), width: width, height: height, depth: 1}
	return n.copyRows(c, uint32(c.Argument(lane, 6)), c.Argument(lane, 7), to, from)
}

// volumeWords is the number of address-sized words at the start of a cudaMemcpy3DParms. Source and destination each have an array, a
// position, and a pointer with its pitch, width and height. Then comes the extent, and a number, the kind.
const volumeWords = 19

// words reads address-sized values.
func words(c *smx.SystemCall, raw []byte, into []uint64) {
	for i := range into {
		if c.AddressBytes() == 4 {
			into[i] = uint64(binary.LittleEndian.Uint32(raw[4*i:]))
		} else {
			into[i] = binary.LittleEndian.Uint64(raw[8*i:])
		}
	}
}

// volume returns the rows of a cudaPitchedPtr and an extent, from a position on.
func volume(pointer, position, extent []uint64) rows {
	pitch, height := pointer[1], pointer[3]
	slice := pitch * height
	return rows{
		address: pointer[0] + position[0] + position[1]*pitch + position[2]*slice,
		pitch:   pitch, width: extent[0], height: extent[1], slice: slice, depth: extent[2],
	}
}

// copy3D is cudaMemcpy3DAsync(parameters, stream) of pointers: kernels have no arrays to copy.
func (n *nested) copy3D(c *smx.SystemCall, lane int) int {
	raw, w := make([]byte, volumeWords*c.AddressBytes()+4), [volumeWords]uint64{}
	if !c.Read(lane, truncated(c, c.Argument(lane, 0)), raw) {
		return cudaInvalidValue
	}
	if words(c, raw, w[:]); w[0] != 0 || w[8] != 0 {
		return cudaInvalidValue
	}
	from, to := volume(w[4:8], w[1:4], w[16:19]), volume(w[12:16], w[9:12], w[16:19])
	return n.copyRows(c, binary.LittleEndian.Uint32(raw[len(raw)-4:]), c.Argument(lane, 1), to, from)
}

// setRows submits a memset of rows.
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
	return e.to.each(func(address, _ uint64) error { return e.gpu.global.Write(address, data) })
}

// set1D is cudaMemsetAsync(to, value, count, stream).
func (n *nested) set1D(c *smx.SystemCall, lane int) int {
	to := rows{address: c.Argument(lane, 0), width: c.Argument(lane, 2), height: 1, depth: 1}
	return n.setRows(c, byte(c.Argument(lane, 1)), c.Argument(lane, 3), to)
}

// set2D is cudaMemset2DAsync(to, pitch, value, width, height, stream).
func (n *nested) set2D(c *smx.SystemCall, lane int) int {
	to := rows{address: c.Argument(lane, 0), pitch: c.Argument(lane, 1), depth: 1}
	to.width, to.height = c.Argument(lane, 3), c.Argument(lane, 4)
	return n.setRows(c, byte(c.Argument(lane, 2)), c.Argument(lane, 5), to)
}

// set3D is cudaMemset3DAsync(pointer with its pitch, value, extent, stream).
func (n *nested) set3D(c *smx.SystemCall, lane int) int {
	pointer, extent, raw := [4]uint64{}, [3]uint64{}, make([]byte, 4*c.AddressBytes())
	c.Bytes(lane, 0, raw)
	words(c, raw, pointer[:])
	c.Bytes(lane, 2, raw[:3*c.AddressBytes()])
	words(c, raw, extent[:])
	return n.setRows(c, byte(c.Argument(lane, 1)), c.Argument(lane, 3), volume(pointer[:], []uint64{0, 0, 0}, extent[:]))
}

// malloc is cudaMalloc(&address, bytes), on the heap of malloc.
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
	if n.gpu.checker != nil && address != 0 {
		n.gpu.checker.Malloc(address, bytes)
	}
	return put(c, lane, address, c.AddressBytes())
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
