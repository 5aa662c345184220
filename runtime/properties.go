package runtime

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/stats"
)

// Numbers of limits: CUDA's, and two of our own for the splits of a device.
const (
	limitStack = iota
	limitPrintf
	limitHeap
	limitSyncDepth
	limitPending
	limitCacheConfig  = 100
	limitSharedConfig = 101
)

// defaultLimits returns a new device's.
func defaultLimits(c *configs.Config) map[uint64]uint64 {
	return map[uint64]uint64{limitStack: uint64(c.Heap.Stack), limitPrintf: 1 << 20, limitHeap: uint64(c.Heap.Malloc), limitSyncDepth: 2,
		limitPending: 2048, limitCacheConfig: 0, limitSharedConfig: 0}
}

// limit reads or writes one.
func (s *Session) limit(_ context.Context, d *device, q *request, a *response) {
	if _, ok := d.limits[q.a[0]]; !ok {
		a.err = ErrUnsupportedLimit
		return
	}
	if q.a[2] != 0 {
		d.limits[q.a[0]] = q.a[1]
	}
	a.r[0] = d.limits[q.a[0]]
}

const (
	attributeCount  = 256
	attributeMemory = 200
	nameBytes       = 256
)

// kepler are the attributes that all of Kepler share, by CUDA's numbers (d CUDA C Programming Guide, "Features and Technical
// Specifications", column 3.x; the rest as deviceQuery prints it of a Tesla K40m).
var kepler = map[int]int64{
	9: 65536, 10: 32, 11: 1<<31 - 1, 14: 512, 15: 1, 19: 1, 21: 65536, 22: 65536, 23: 65536, 24: 4096, 25: 4096, 26: 4096, 27: 16384,
	28: 16384, 29: 2048, 30: 512, 31: 1, 41: 1, 42: 16384, 43: 2048, 45: 16384, 46: 16384, 47: 2048, 48: 2048, 49: 16384, 51: 32, 52: 16384,
	53: 16384, 54: 2046, 55: 65536, 56: 65536, 57: 32768, 58: 65536, 59: 32768, 60: 2048, 61: 65536, 62: 2048, 63: 65536, 64: 32768,
	65: 2048, 66: 32768, 67: 32768, 68: 2046, 69: 134217728, 70: 65000, 71: 65000, 72: 1048544, 73: 16384, 74: 16384, 77: 16384, 80: 1,
	83: 1, 44: 1, 99: 1,
}

// attributes tells a device's name and attributes.
func (s *Session) attributes(_ context.Context, d *device, _ *request, a *response) {
	var v [attributeCount]int64
	for number, value := range kepler {
		v[number] = value
	}
	c := d.config
	for number, value := range map[int]int{
		1: c.SMX.ThreadsPerBlock, 2: c.SMX.MaxBlockDim[0], 3: c.SMX.MaxBlockDim[1], 4: c.SMX.MaxBlockDim[2],
		5: c.SMX.MaxGridDim[0], 6: c.SMX.MaxGridDim[1], 7: c.SMX.MaxGridDim[2], 8: c.SharedMemory.PerBlock, 12: c.Registers.PerBlock,
		13: c.Clocks.Core * 1000, 16: c.SMX.Count, 33: 2 + d.number, 36: c.Clocks.Memory * 1000, 37: c.DRAM.Channels * c.DRAM.ChannelBits,
		38: int(c.L2.Bytes), 39: c.SMX.Threads, 40: 1, 75: int(c.ComputeCapability) / 10, 76: int(c.ComputeCapability) % 10,
		82: c.Registers.PerSMX, 85: d.number, 97: c.SharedMemory.PerBlock, 106: c.SMX.Blocks,
	} {
		v[number] = int64(value)
	}
	for _, cut := range c.SharedMemory.CarveOuts {
		v[81] = max(v[81], int64(cut.Shared))
	}
	for number, yes := range map[int]bool{32: c.DRAM.ECC, 78: c.ComputeCapability >= 35, 79: c.ComputeCapability >= 35} {
		if yes {
			v[number] = 1
		}
	}
	v[87] = ratio(c)
	_, total := d.gpu.Memory()
	v[attributeMemory] = int64(total)
	a.data = make([]byte, nameBytes, nameBytes+8*attributeCount)
	copy(a.data[:nameBytes-1], BoardName(c))
	for _, value := range v {
		a.data = binary.LittleEndian.AppendUint64(a.data, uint64(value))
	}
}

// BoardName returns the name that the driver would tell: the description's beginning.
func BoardName(c *configs.Config) string {
	name, _, _ := strings.Cut(c.Description, ",")
	if name == "" {
		return c.Name
	}
	return name
}

// ratio returns how many times faster single precision is than double.
func ratio(c *configs.Config) int64 {
	chip := stats.NewChip(c)
	if chip.LanesFP64 == 0 {
		return 0
	}
	return int64(chip.LanesFP32 / chip.LanesFP64)
}

// UUID returns a device's, as nvidia-smi writes it; the bytes are those of cudaDeviceProp.uuid.
func UUID(device int) string {
	b := []byte("keplersim device")
	b[15] = byte('0' + device)
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// MemoryBytes returns the size of a board's memory, less what ECC takes.
func MemoryBytes(c *configs.Config) uint64 { return memory.NewGlobal(c).Capacity() }
