package occupancy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/configs"
)

// warpSize is the number of lanes of a warp.
const warpSize = 32

// Unlimited is the number of blocks that a resource allows if a kernel uses none of it.
const Unlimited = 1<<31 - 1

// CacheConfig is the cache preference of a launch: how shared memory and L1 split.
type CacheConfig uint8

// The cache preferences, with cudaFuncCache's numbers.
const (
	PreferNone   CacheConfig = iota // the device's default
	PreferShared                    // as much shared memory as there is
	PreferL1                        // as much L1 as there is
	PreferEqual                     // the middle
	cacheConfigs
)

var cacheConfigNames = [cacheConfigs]string{"none", "shared", "l1", "equal"}

// String returns the preference's name as the command line takes it.
func (c CacheConfig) String() string { return cacheConfigNames[c] }

// ParseCacheConfig reads none, shared, l1 or equal.
func ParseCacheConfig(name string) (CacheConfig, error) {
	for i, n := range cacheConfigNames {
		if n == name {
			return CacheConfig(i), nil
		}
	}
	return 0, fmt.Errorf("cache preference %q: choose one of none, shared, l1, equal", name)
}

// Limits are the resources of an SMX.
type Limits struct {
	// Name is the configuration's name.
	Name string
	// Capability is the compute capability, as in 3.5.
	Capability string
	// Warps and Blocks are the most that one SMX can hold.
	Warps, Blocks int
	// ThreadsPerBlock is the largest size of a block.
	ThreadsPerBlock int
	// Registers is an SMX's register file, in 32-bit registers. RegistersPerBlock and RegistersPerThread are the most for a block and a
	// thread.
	Registers, RegistersPerBlock, RegistersPerThread int
	// RegisterUnit is the allocation unit of a warp's registers, in 32-bit registers.
	RegisterUnit int
	// Partitions is the number of equal parts of the register file. A warp's registers are in one part.
	Partitions int
	// SharedPerBlock is the most shared memory of one block, in bytes.
	SharedPerBlock int
	// SharedUnit is the allocation unit of a block's shared memory, in bytes.
	SharedUnit int
	// Shared is the shared memory of an SMX under each cache preference, in bytes.
	Shared [cacheConfigs]int
}

// CacheConfig parses a preference: its name, or the shared memory that it gives an SMX of this chip in KB, as in 32 or 32K. The error lists
// the chip's sizes.
func (l Limits) CacheConfig(text string) (CacheConfig, error) {
	kilobytes, err := strconv.Atoi(strings.TrimSuffix(text, "K"))
	if err != nil {
		config, err := ParseCacheConfig(text)
		if err != nil {
			return 0, fmt.Errorf("%w, and no size of shared memory, as in 32K", err)
		}
		return config, nil
	}
	var sizes []string
	for prefer := PreferShared; prefer < cacheConfigs; prefer++ {
		if l.Shared[prefer] == kilobytes<<10 {
			return prefer, nil
		}
		if size := fmt.Sprintf("%dK", l.Shared[prefer]>>10); !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	return 0, fmt.Errorf("%s cannot have %d KB of shared memory an SMX: choose %s, none, shared, l1 or equal", l.Name, kilobytes,
		strings.Join(sizes, ", "))
}

// FromConfig returns the limits of a chip's or board's configuration.
func FromConfig(c *configs.Config) Limits {
	l := Limits{
		Name: c.Name, Capability: c.ComputeCapability.String(),
		Warps: min(c.SMX.Warps, c.SMX.Threads/warpSize), Blocks: c.SMX.Blocks, ThreadsPerBlock: c.SMX.ThreadsPerBlock,
		Registers: c.RegisterFile(), RegistersPerBlock: c.Registers.PerBlock, RegistersPerThread: c.Registers.PerThread,
		RegisterUnit: c.Registers.AllocationUnit, Partitions: c.Registers.WarpAllocation,
		SharedPerBlock: c.SharedMemory.PerBlock, SharedUnit: c.SharedMemory.AllocationUnit,
	}
	for _, cut := range c.SharedMemory.CarveOuts {
		if cut.Prefer == c.SharedMemory.CacheConfig {
			l.Shared[PreferNone] = cut.Shared
		}
		for prefer := PreferShared; prefer < cacheConfigs; prefer++ {
			if string(cut.Prefer) == prefer.String() {
				l.Shared[prefer] = cut.Shared
			}
		}
	}
	for prefer, bytes := range l.Shared {
		if bytes == 0 { // the chip has no such split: its default
			l.Shared[prefer] = l.Shared[PreferNone]
		}
	}
	return l
}

// Fermi returns a multiprocessor of compute capability 2.0, for comparison.
func Fermi() Limits {
	c, err := configs.Load("gf110", nil)
	if err != nil {
		panic(err) // the file is ours
	}
	l := FromConfig(c)
	l.Name = "fermi"
	return l
}

// Largest returns the most shared memory that any cache preference gives an SMX, in bytes.
func (l Limits) Largest() int {
	largest := 0
	for _, bytes := range l.Shared {
		largest = max(largest, bytes)
	}
	return largest
}

// Check returns an error for a launch that the chip cannot run, with the limit that it breaks and its value.
func (l Limits) Check(launch Launch) error {
	switch {
	case launch.Threads < 1:
		return fmt.Errorf("a block of %d threads: a block has 1 thread at least", launch.Threads)
	case launch.Threads > l.ThreadsPerBlock:
		return fmt.Errorf("a block of %d threads: %s has blocks of %d threads at most", launch.Threads, l.Name, l.ThreadsPerBlock)
	case launch.Registers < 0:
		return fmt.Errorf("%d registers a thread: give 0 or more", launch.Registers)
	case launch.Registers > l.RegistersPerThread:
		return fmt.Errorf("%d registers a thread: %s has %d at most", launch.Registers, l.Name, l.RegistersPerThread)
	case launch.Shared < 0:
		return fmt.Errorf("%d bytes of shared memory a block: give 0 or more", launch.Shared)
	case launch.Shared > l.SharedPerBlock:
		return fmt.Errorf("%d bytes of shared memory a block: %s has %d at most", launch.Shared, l.Name, l.SharedPerBlock)
	case launch.Cache >= cacheConfigs:
		return fmt.Errorf("cache preference %d: the preferences are 0 to %d", launch.Cache, cacheConfigs-1)
	}
	return nil
}
