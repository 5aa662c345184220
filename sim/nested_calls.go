package sim

import (
	"encoding/binary"

	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/smx"
)

// nestedCalls has the functions of CUDA's runtime that kernels can call, by name. Names with _ptsz are for programs whose default stream is
// the per-thread one, and do the same.
var nestedCalls = map[string]func(*nested, *smx.SystemCall) *smx.Fault{
	"cudaGetParameterBuffer": (*nested).buffer, "cudaGetParameterBufferV2": (*nested).bufferV2,
	"cudaLaunchDevice": (*nested).launchDevice, "cudaLaunchDevice_ptsz": (*nested).launchDevice,
	"cudaLaunchDeviceV2": (*nested).launchDeviceV2, "cudaLaunchDeviceV2_ptsz": (*nested).launchDeviceV2,
	"cudaDeviceSynchronize": (*nested).synchronize, "__keplersim_configure_launch": (*nested).configure,

	"cudaStreamCreateWithFlags": each((*nested).streamCreate), "cudaStreamDestroy": each((*nested).streamDestroy),
	"cudaStreamWaitEvent": each((*nested).streamWaitEvent), "cudaStreamWaitEvent_ptsz": each((*nested).streamWaitEvent),
	"cudaEventCreateWithFlags": each((*nested).eventCreate), "cudaEventDestroy": each((*nested).eventDestroy),
	"cudaEventRecord": each((*nested).eventRecord), "cudaEventRecord_ptsz": each((*nested).eventRecord),

	"cudaMemcpyAsync": each((*nested).copy1D), "cudaMemcpyAsync_ptsz": each((*nested).copy1D),
	"cudaMemcpy2DAsync": each((*nested).copy2D), "cudaMemcpy2DAsync_ptsz": each((*nested).copy2D),
	"cudaMemsetAsync": each((*nested).set1D), "cudaMemsetAsync_ptsz": each((*nested).set1D),
	"cudaMemset2DAsync": each((*nested).set2D), "cudaMemset2DAsync_ptsz": each((*nested).set2D),
	"cudaMemcpy3DAsync": each((*nested).copy3D), "cudaMemcpy3DAsync_ptsz": each((*nested).copy3D),
	"cudaMemset3DAsync": each((*nested).set3D), "cudaMemset3DAsync_ptsz": each((*nested).set3D),
	"cudaMalloc": each((*nested).malloc), "cudaFree": each((*nested).free),

	"cudaGetLastError": (*nested).lastError, "cudaPeekAtLastError": (*nested).lastError,
	"cudaGetErrorString": (*nested).errorText, "cudaGetErrorName": (*nested).errorText,
	"cudaGetDevice": each((*nested).getDevice), "cudaGetDeviceCount": each((*nested).getDeviceCount),
	"cudaRuntimeGetVersion": each((*nested).getVersion), "cudaDeviceGetAttribute": each((*nested).getAttribute),
	"cudaDeviceGetLimit": each((*nested).getLimit), "cudaDeviceGetCacheConfig": each((*nested).getCacheConfig),
	"cudaFuncGetAttributes":                         each((*nested).functionAttributes),
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor": each((*nested).activeBlocks),
}

// each makes a call from a function for one lane. The function's result is the lane's, and if it is an error also its thread's last error.
func each(f func(*nested, *smx.SystemCall, int) int) func(*nested, *smx.SystemCall) *smx.Fault {
	return func(n *nested, c *smx.SystemCall) *smx.Fault {
		n.took(c, n.gpu.config.Nested.Call, 0)
		return eachLane(c, func(lane int) *smx.Fault {
			if number := f(n, c, lane); number != cudaSuccess {
				n.fail(c, lane, number)
			} else {
				c.SetResult(lane, cudaSuccess)
			}
			return nil
		})
	}
}

// handles has the streams and events of kernels, by handle.
type handles struct {
	next    uint64
	streams map[uint64]*ownStream
	events  map[uint64]*ownEvent
}

// ownStream is a stream of a grid. Its handle is only valid in that grid.
type ownStream struct {
	grid   *smx.Grid
	stream *hyperq.Stream
}

// ownEvent is an event of a grid.
type ownEvent struct {
	grid   *smx.Grid
	record *hyperq.Command
}

// Handles of default streams; in a kernel both are the block's.
const (
	handleLegacy    = 1
	handlePerThread = 2
	firstHandle     = 0x7000_0000_0000
)

func (h *handles) take() uint64 {
	if h.streams == nil {
		h.streams, h.events, h.next = map[uint64]*ownStream{}, map[uint64]*ownEvent{}, firstHandle
	}
	h.next += 16
	return h.next
}

// stream returns the stream of a handle: 0 is the block's NULL stream.
func (n *nested) stream(c *smx.SystemCall, handle uint64) (*hyperq.Stream, bool) {
	if handle = truncated(c, handle); handle > handlePerThread {
		s := n.handles.streams[handle]
		if s == nil || s.grid != c.Grid() {
			return nil, false
		}
		return s.stream, true
	}
	block := n.of(c)
	if block.null == nil {
		block.null = hyperq.NestedStream("NULL of a block", n.parent(c))
	}
	return block.null, true
}

// put writes a result to the address that is a lane's first argument.
func put(c *smx.SystemCall, lane int, value uint64, bytes int) int {
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], value)
	if !c.Write(lane, truncated(c, c.Argument(lane, 0)), raw[:bytes]) {
		return cudaInvalidValue
	}
	return cudaSuccess
}

// streamNonBlocking and eventDisableTiming are the only flags of streams and events that kernels can use.
const (
	streamNonBlocking  = 1
	eventDisableTiming = 2
)

func (n *nested) streamCreate(c *smx.SystemCall, lane int) int {
	if uint32(c.Argument(lane, 1)) != streamNonBlocking {
		return cudaInvalidValue
	}
	if lane == first(c) {
		n.took(c, n.gpu.config.Nested.Stream-n.gpu.config.Nested.Call, 0)
	}
	handle := n.handles.take()
	n.handles.streams[handle] = &ownStream{c.Grid(), hyperq.NestedStream("of a kernel", n.parent(c))}
	return put(c, lane, handle, c.AddressBytes())
}

func (n *nested) streamDestroy(c *smx.SystemCall, lane int) int {
	handle := truncated(c, c.Argument(lane, 0))
	if s := n.handles.streams[handle]; s == nil || s.grid != c.Grid() {
		return cudaInvalidResourceHandle
	}
	delete(n.handles.streams, handle) // its commands go on
	return cudaSuccess
}

func (n *nested) eventCreate(c *smx.SystemCall, lane int) int {
	if uint32(c.Argument(lane, 1)) != eventDisableTiming {
		return cudaInvalidValue
	}
	handle := n.handles.take()
	n.handles.events[handle] = &ownEvent{grid: c.Grid()}
	return put(c, lane, handle, c.AddressBytes())
}

func (n *nested) event(c *smx.SystemCall, lane, argument int) (handle uint64, e *ownEvent) {
	handle = truncated(c, c.Argument(lane, argument))
	if e = n.handles.events[handle]; e == nil || e.grid != c.Grid() {
		return handle, nil
	}
	return handle, e
}

func (n *nested) eventDestroy(c *smx.SystemCall, lane int) int {
	handle, e := n.event(c, lane, 0)
	if e == nil {
		return cudaInvalidResourceHandle
	}
	delete(n.handles.events, handle)
	return cudaSuccess
}

func (n *nested) eventRecord(c *smx.SystemCall, lane int) int {
	_, e := n.event(c, lane, 0)
	s, ok := n.stream(c, c.Argument(lane, 1))
	if e == nil || !ok {
		return cudaInvalidResourceHandle
	}
	e.record = &hyperq.Command{Kind: hyperq.Record, Name: "event of a kernel", Event: "of a kernel", Stream: s}
	n.give(c, e.record, 0)
	return cudaSuccess
}

func (n *nested) streamWaitEvent(c *smx.SystemCall, lane int) int {
	s, ok := n.stream(c, c.Argument(lane, 0))
	_, e := n.event(c, lane, 1)
	if e == nil || !ok {
		return cudaInvalidResourceHandle
	}
	wait := &hyperq.Command{Kind: hyperq.Wait, Name: "event of a kernel", Event: "of a kernel", Stream: s}
	if e.record != nil {
		wait.After = []*hyperq.Command{e.record}
	}
	n.give(c, wait, 0)
	return cudaSuccess
}

// lastError is cudaGetLastError, which clears the error, and cudaPeekAtLastError.
func (n *nested) lastError(c *smx.SystemCall) *smx.Fault {
	n.took(c, n.gpu.config.Nested.Call, 0)
	errors := n.of(c).errors
	return eachLane(c, func(lane int) *smx.Fault {
		thread := c.ThreadNumber(lane)
		c.SetResult(lane, uint64(errors[thread]))
		if c.Name == "cudaGetLastError" {
			delete(errors, thread)
		}
		return nil
	})
}

// errorText is cudaGetErrorString and cudaGetErrorName: texts in device memory.
func (n *nested) errorText(c *smx.SystemCall) *smx.Fault {
	n.took(c, n.gpu.config.Nested.Call, 0)
	return eachLane(c, func(lane int) *smx.Fault {
		number := int(int32(c.Argument(lane, 0)))
		e, ok := cudaErrors[number]
		text, key := e.text, 2*number
		if c.Name == "cudaGetErrorName" {
			text, key = e.name, 2*number+1
		}
		if !ok {
			text, key = "unrecognized error code", -1
		}
		address, err := n.text(key, text)
		if err != nil {
			return systemFault(lane, "%s: %v", c.Name, err)
		}
		c.SetResult(lane, address)
		return nil
	})
}

// text returns the address of a string in device memory.
func (n *nested) text(key int, text string) (uint64, error) {
	if n.strings == nil {
		n.strings = map[int]uint64{}
	}
	if at, ok := n.strings[key]; ok {
		return at, nil
	}
	at, err := n.gpu.Allocate("error text", uint64(len(text)+1))
	if err == nil {
		err = n.gpu.Write(at, append([]byte(text), 0))
	}
	n.strings[key] = at
	return at, err
}
