package sim

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
)

// attribute is the value of a device attribute, of the device of a number on its host.
type attribute func(c *configs.Config, device int) int

// attributes are all that CUDA 11.8 has (cudaDeviceAttr, CUdevice_attribute), by number: one table for the host's calls and the kernels'.
// Plain numbers are what all of Kepler share (d CUDA C Programming Guide, "Features and Technical Specifications", column 3.x; m the rest
// as deviceQuery prints it of a Tesla K40m).
var attributes = map[int]attribute{
	1:  func(c *configs.Config, _ int) int { return c.SMX.ThreadsPerBlock },
	2:  func(c *configs.Config, _ int) int { return c.SMX.MaxBlockDim[0] },
	3:  func(c *configs.Config, _ int) int { return c.SMX.MaxBlockDim[1] },
	4:  func(c *configs.Config, _ int) int { return c.SMX.MaxBlockDim[2] },
	5:  func(c *configs.Config, _ int) int { return c.SMX.MaxGridDim[0] },
	6:  func(c *configs.Config, _ int) int { return c.SMX.MaxGridDim[1] },
	7:  func(c *configs.Config, _ int) int { return c.SMX.MaxGridDim[2] },
	8:  func(c *configs.Config, _ int) int { return c.SharedMemory.PerBlock },
	9:  always(1 << 16),   // bytes of constant memory
	10: always(32),        // lanes of a warp
	11: always(1<<31 - 1), // largest pitch of a copy
	12: func(c *configs.Config, _ int) int { return c.Registers.PerBlock },
	13: func(c *configs.Config, _ int) int { return c.Clocks.Core * 1000 },
	14: always(512), // alignment of textures
	15: always(1),   // copies beside kernels
	16: func(c *configs.Config, _ int) int { return c.SMX.Count },
	17: always(0),                                                                         // no display watches the time of kernels
	18: func(c *configs.Config, _ int) int { return flag(c.ComputeCapability == 32) },     // integrated: a Tegra K1's GPU
	19: always(1), 20: always(0), 21: always(65536), 22: always(65536), 23: always(65536), // mapped memory; textures
	24: always(4096), 25: always(4096), 26: always(4096), 27: always(16384), 28: always(16384), 29: always(2048),
	30: always(512), // alignment of surfaces
	31: func(c *configs.Config, _ int) int { return flag(c.HyperQ.Grids > 1) },
	32: func(c *configs.Config, _ int) int { return flag(c.DRAM.ECC) },
	33: func(_ *configs.Config, device int) int { return 2 + device }, 34: always(0), // PCI bus and device
	35: always(0), // TCC driver, of Windows
	36: func(c *configs.Config, _ int) int { return c.Clocks.Memory * 1000 },
	37: func(c *configs.Config, _ int) int { return c.DRAM.Channels * c.DRAM.ChannelBits },
	38: func(c *configs.Config, _ int) int { return int(c.L2.Bytes) },
	39: func(c *configs.Config, _ int) int { return c.SMX.Threads },
	40: func(c *configs.Config, _ int) int { return c.Copies.Engines },
	41: always(1),                                                                            // unified addressing
	42: always(16384), 43: always(2048), 44: always(1), 45: always(16384), 46: always(16384), // textures, gathers
	47: always(2048), 48: always(2048), 49: always(16384), 50: always(0), 51: always(32), 52: always(16384), 53: always(16384),
	54: always(2046), 55: always(65536), 56: always(65536), 57: always(32768), 58: always(65536), 59: always(32768), 60: always(2048),
	61: always(65536), 62: always(2048), 63: always(65536), 64: always(32768), 65: always(2048), 66: always(32768), 67: always(32768),
	68: always(2046), 69: always(1 << 27), 70: always(65000), 71: always(65000), 72: always(1048544), 73: always(16384), 74: always(16384),
	75: func(c *configs.Config, _ int) int { return int(c.ComputeCapability) / 10 },
	76: func(c *configs.Config, _ int) int { return int(c.ComputeCapability) % 10 },
	77: always(16384),
	78: func(c *configs.Config, _ int) int { return flag(c.HyperQ.Priorities > 1) },
	79: func(c *configs.Config, _ int) int { return flag(c.L1.GlobalLoads != configs.LoadsNever) },
	80: always(1), // local memory in L1
	81: func(c *configs.Config, _ int) (most int) {
		for _, cut := range c.SharedMemory.CarveOuts {
			most = max(most, cut.Shared)
		}
		return most
	},
	82: func(c *configs.Config, _ int) int { return c.Registers.PerSMX },
	83: always(1), // managed memory
	84: func(c *configs.Config, _ int) int { return flag(c.Host.Devices > 1) },
	85: func(c *configs.Config, device int) int { return device / max(c.Host.Devices, 1) },
	86: always(0), // atomics of the host over the link
	87: func(c *configs.Config, _ int) int {
		chip := stats.NewChip(c)
		if chip.LanesFP64 == 0 {
			return 0
		}
		return int(chip.LanesFP32 / chip.LanesFP64)
	},
	88: always(0), 89: always(0), 90: always(0), 91: always(0), 92: always(0), 93: always(0), 94: always(0), 95: always(0), 96: always(0),
	97: func(c *configs.Config, _ int) int { return c.SharedMemory.PerBlock },
	98: always(0), 99: always(1), 100: always(0), 101: always(0), // flushes of remote writes; registered memory; pageable memory
	// Memory mapped apart from its addresses, handles of other processes, and further down what capability 8.0 and 9.0 brought.
	102: always(0), 103: always(0), 104: always(0), 105: always(0),
	106: func(c *configs.Config, _ int) int { return c.SMX.Blocks },
	107: always(0), 108: always(0), 109: always(0), 110: always(0), 111: always(0), 112: always(0), 113: always(0), 114: always(0), 115: always(0),
	116: always(0), 117: always(0), 118: always(0), 119: always(0), 120: always(0), 121: always(0), 122: always(0),
}

func always(value int) attribute { return func(*configs.Config, int) int { return value } }

func flag(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// DeviceAttribute returns a device attribute by CUDA's number, of the device of a number on its host; false where CUDA has none of it.
func DeviceAttribute(c *configs.Config, of, device int) (value int64, ok bool) {
	f, ok := attributes[of]
	if !ok {
		return 0, false
	}
	return int64(f(c, device)), true
}
