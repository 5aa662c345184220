package sim

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
)

// attribute computes a device attribute, given the device's number on its host.
type attribute func(c *configs.Config, device int) int

// attributes has the attributes that follow from a configuration, by CUDA's number (cudaDeviceAttr, CUdevice_attribute of CUDA 11.8), for
// calls of the host and of kernels. The others are the generation's (arch.Generation.Attributes).
var attributes = map[int]attribute{
	1:  func(c *configs.Config, _ int) int { return c.SMX.ThreadsPerBlock },
	2:  func(c *configs.Config, _ int) int { return c.SMX.MaxBlockDim[0] },
	3:  func(c *configs.Config, _ int) int { return c.SMX.MaxBlockDim[1] },
	4:  func(c *configs.Config, _ int) int { return c.SMX.MaxBlockDim[2] },
	5:  func(c *configs.Config, _ int) int { return c.SMX.MaxGridDim[0] },
	6:  func(c *configs.Config, _ int) int { return c.SMX.MaxGridDim[1] },
	7:  func(c *configs.Config, _ int) int { return c.SMX.MaxGridDim[2] },
	8:  func(c *configs.Config, _ int) int { return c.SharedMemory.PerBlock },
	12: func(c *configs.Config, _ int) int { return c.Registers.PerBlock },
	13: func(c *configs.Config, _ int) int { return c.Clocks.Core * 1000 },
	16: func(c *configs.Config, _ int) int { return c.SMX.Count },
	18: func(c *configs.Config, _ int) int { return flag(c.ComputeCapability.Abilities().Integrated) }, // integrated: a Tegra K1's GPU
	31: func(c *configs.Config, _ int) int { return flag(c.HyperQ.Grids > 1) },
	32: func(c *configs.Config, _ int) int { return flag(c.DRAM.ECC) },
	33: func(_ *configs.Config, device int) int { return 2 + device }, // PCI bus and device
	36: func(c *configs.Config, _ int) int { return c.Clocks.Memory * 1000 },
	37: func(c *configs.Config, _ int) int { return c.DRAM.Channels * c.DRAM.ChannelBits },
	38: func(c *configs.Config, _ int) int { return int(c.L2.Bytes) },
	39: func(c *configs.Config, _ int) int { return c.SMX.Threads },
	40: func(c *configs.Config, _ int) int { return c.Copies.Engines },
	75: func(c *configs.Config, _ int) int { return c.ComputeCapability.Major() },
	76: func(c *configs.Config, _ int) int { return c.ComputeCapability.Minor() },
	78: func(c *configs.Config, _ int) int { return flag(c.HyperQ.Priorities > 1) },
	79: func(c *configs.Config, _ int) int { return flag(c.L1.GlobalLoads != configs.LoadsNever) },
	81: func(c *configs.Config, _ int) (most int) {
		for _, cut := range c.SharedMemory.CarveOuts {
			most = max(most, cut.Shared)
		}
		return most
	},
	82: func(c *configs.Config, _ int) int { return c.Registers.PerSMX },
	84: func(c *configs.Config, _ int) int { return flag(c.Host.Devices > 1) },
	85: func(c *configs.Config, device int) int { return device / max(c.Host.Devices, 1) },
	87: func(c *configs.Config, _ int) int {
		chip := stats.NewChip(c)
		if chip.LanesFP64 == 0 {
			return 0
		}
		return int(chip.LanesFP32 / chip.LanesFP64)
	},
	97:  func(c *configs.Config, _ int) int { return c.SharedMemory.PerBlock },
	106: func(c *configs.Config, _ int) int { return c.SMX.Blocks },
}

func flag(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// DeviceAttribute returns a device attribute by CUDA's number, given the device's number on its host; false if CUDA has no such attribute.
func DeviceAttribute(c *configs.Config, of, device int) (value int64, ok bool) {
	if f, ok := attributes[of]; ok {
		return int64(f(c, device)), true
	}
	fixed, ok := c.ComputeCapability.Generation().Attributes[of]
	return int64(fixed), ok
}
