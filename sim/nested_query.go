package sim

import (
	"context"
	"encoding/binary"

	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
)

// runtimeVersion is CUDA's whose device runtime this is: 10.2, the last toolkit for all of Kepler.
const runtimeVersion = 10020

func (n *nested) getDevice(c *smx.SystemCall, lane int) int {
	return put(c, lane, 0, uint64(n.gpu.index), 4)
}

func (n *nested) getDeviceCount(c *smx.SystemCall, lane int) int {
	return put(c, lane, 0, uint64(len(n.gpu.host.gpus)), 4)
}

func (n *nested) getVersion(c *smx.SystemCall, lane int) int {
	return put(c, lane, 0, runtimeVersion, 4)
}

func (n *nested) getCacheConfig(c *smx.SystemCall, lane int) int { return put(c, lane, 0, 0, 4) }

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
	return put(c, lane, 0, limits[limit], c.AddressBytes())
}

// getAttribute is cudaDeviceGetAttribute(&value, attribute, device), for attributes that say what kernels are bounded by.
func (n *nested) getAttribute(c *smx.SystemCall, lane int) int {
	k := n.gpu.config
	value, ok := map[uint32]int{
		1: k.SMX.ThreadsPerBlock, 2: k.SMX.MaxBlockDim[0], 3: k.SMX.MaxBlockDim[1], 4: k.SMX.MaxBlockDim[2], 5: k.SMX.MaxGridDim[0],
		6: k.SMX.MaxGridDim[1], 7: k.SMX.MaxGridDim[2], 8: k.SharedMemory.PerBlock, 9: 1 << 16, 10: 32, 12: k.Registers.PerBlock,
		13: k.Clocks.Core * 1000, 16: k.SMX.Count, 31: 1, 36: k.Clocks.Memory * 1000, 37: k.DRAM.Channels * k.DRAM.ChannelBits,
		38: int(k.L2.Bytes), 39: k.SMX.Threads, 40: k.Copies.Engines, 75: int(k.ComputeCapability) / 10, 76: int(k.ComputeCapability) % 10,
		82: k.Registers.PerSMX,
	}[uint32(c.Argument(lane, 1))]
	switch {
	case !ok:
		return cudaInvalidValue
	case int(uint32(c.Argument(lane, 2))) != n.gpu.index:
		return cudaInvalidDevice
	}
	return put(c, lane, 0, uint64(value), 4)
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
	return put(c, lane, 0, uint64(r.Blocks), 4)
}
