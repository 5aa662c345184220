package sim

import (
	"context"
	"encoding/binary"

	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
)

// runtimeVersion is the CUDA version of the device runtime: 11.8, the last toolkit for Kepler.
const runtimeVersion = 11080

// number returns the device's number in the program.
func (n *nested) number() int { return n.gpu.index + n.gpu.options.Device }

func (n *nested) getDevice(c *smx.SystemCall, lane int) int {
	return put(c, lane, uint64(n.number()), 4)
}

func (n *nested) getDeviceCount(c *smx.SystemCall, lane int) int {
	return put(c, lane, uint64(max(len(n.gpu.host.gpus), n.gpu.options.Devices)), 4)
}

func (n *nested) getVersion(c *smx.SystemCall, lane int) int {
	return put(c, lane, runtimeVersion, 4)
}

func (n *nested) getCacheConfig(c *smx.SystemCall, lane int) int { return put(c, lane, 0, 4) }

// getLimit is cudaDeviceGetLimit(&value, limit).
func (n *nested) getLimit(c *smx.SystemCall, lane int) int {
	g := n.gpu
	limits := []uint64{
		uint64(g.config.Heap.Stack), 1 << 20, uint64(g.config.Heap.Malloc), uint64(n.limits.SyncDepth), uint64(n.limits.Pending),
	}
	limit := uint32(c.Argument(lane, 1))
	if int(limit) >= len(limits) {
		return cudaUnsupportedLimit
	}
	return put(c, lane, limits[limit], c.AddressBytes())
}

// getAttribute is cudaDeviceGetAttribute(&value, attribute, device).
func (n *nested) getAttribute(c *smx.SystemCall, lane int) int {
	value, ok := DeviceAttribute(n.gpu.config, int(uint32(c.Argument(lane, 1))), n.number())
	switch {
	case !ok:
		return cudaInvalidValue
	case int(uint32(c.Argument(lane, 2))) != n.number():
		return cudaInvalidDevice
	}
	return put(c, lane, uint64(value), 4)
}

// functionAttributes is cudaFuncGetAttributes(&attributes, function).
func (n *nested) functionAttributes(c *smx.SystemCall, lane int) int {
	m, f, ok := n.kernelOf(c, c.Argument(lane, 1))
	if !ok {
		return cudaInvalidDeviceFunction
	}
	program, err := m.prepared(context.Background(), f.Name)
	if err != nil {
		return cudaInvalidKernelImage
	}
	capability := uint32(n.gpu.config.ComputeCapability)
	machine := program.Machine
	var raw []byte
	for _, size := range []int{machine.SharedBytes, len(m.constants), machine.LocalBytes} { // size_t each
		raw = binary.LittleEndian.AppendUint64(raw, uint64(size))
	}
	for _, value := range []uint32{uint32(n.gpu.config.SMX.ThreadsPerBlock), uint32(machine.Registers), capability, capability, 0} {
		raw = binary.LittleEndian.AppendUint32(raw, value)
	}
	if !c.Write(lane, truncated(c, c.Argument(lane, 0)), raw) {
		return cudaInvalidValue
	}
	return cudaSuccess
}

// activeBlocks is cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared).
func (n *nested) activeBlocks(c *smx.SystemCall, lane int) int {
	m, f, ok := n.kernelOf(c, c.Argument(lane, 1))
	if !ok {
		return cudaInvalidDeviceFunction
	}
	var r occupancy.Result
	r, err := n.gpu.Resident(context.Background(), Launch{Module: m, Kernel: f.Name,
		Block: [3]int{int(int32(c.Argument(lane, 2)))}, Shared: int(c.Argument(lane, 3))})
	if err != nil {
		return cudaInvalidValue
	}
	return put(c, lane, uint64(r.Blocks), 4)
}
