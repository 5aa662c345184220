package occupancy

import "strings"

// Launch has the resources that a kernel's blocks ask for.
type Launch struct {
	// Threads is the size of a block.
	Threads int
	// Registers is the number of 32-bit registers of one thread.
	Registers int
	// Shared is the shared memory of one block, static and dynamic together, in bytes.
	Shared int
	// Cache is the cache preference.
	Cache CacheConfig
}

// Resource is a resource that a block takes.
type Resource uint8

// The resources, in the order of the bits of NVIDIA's limiting mask.
const (
	Warps Resource = iota
	Registers
	SharedMemory
	Blocks
	resources
)

var resourceNames = [resources]string{"warps", "registers", "shared", "blocks"}

// String returns the resource's name in reports.
func (r Resource) String() string { return resourceNames[r] }

// Resources returns all resources, in order.
func Resources() []Resource { return []Resource{Warps, Registers, SharedMemory, Blocks} }

// Limiters is a set of resources; bit r stands for Resource r.
type Limiters uint8

// Has reports whether a resource is in the set.
func (l Limiters) Has(r Resource) bool { return l>>r&1 != 0 }

// Names returns the names of the resources in the set, in order.
func (l Limiters) Names() []string {
	names := []string{}
	for _, r := range Resources() {
		if l.Has(r) {
			names = append(names, r.String())
		}
	}
	return names
}

// String returns the names with commas.
func (l Limiters) String() string { return strings.Join(l.Names(), ", ") }

// Result is the occupancy of a launch.
type Result struct {
	// Blocks and Warps are the resident ones of an SMX.
	Blocks, Warps int
	// Occupancy is the resident warps as a fraction of those that the SMX can hold, 0 to 1.
	Occupancy float64
	// Limit is the number of blocks that each Resource allows; Unlimited if a block takes none of it.
	Limit [resources]int
	// Limiters are the resources that allow no further block.
	Limiters Limiters
	// WarpsPerBlock is the block's size in warps.
	WarpsPerBlock int
	// AllocatedRegisters is what one block takes, in 32-bit registers, and AllocatedShared, in bytes.
	AllocatedRegisters, AllocatedShared int
	// SharedPerSMX is the carve-out: the shared memory of the SMX under the launch's cache preference, in bytes.
	SharedPerSMX int
	// Wasted is the unused part of the SMX.
	Wasted Waste
}

// Waste is what resident blocks leave free on an SMX, or take without using it.
type Waste struct {
	// Warps and Blocks are free slots.
	Warps, Blocks int
	// Registers is the free part of the register file, Shared that of the carve-out in bytes.
	Registers, Shared int
	// RoundedRegisters is what resident warps have beyond their threads' request, in registers: the rounding to the allocation unit, and
	// lanes without a thread. RoundedShared is the same for shared memory, in bytes.
	RoundedRegisters, RoundedShared int
	// Lanes is the number of lanes of resident warps without a thread.
	Lanes int
}

// RegistersPerWarp returns the size of a warp's registers in the register file, given the registers of a thread.
func (l Limits) RegistersPerWarp(registers int) int {
	return roundUp(registers*warpSize, l.RegisterUnit)
}

// Calculate returns how many blocks of a launch fit into an otherwise empty SMX.
func (l Limits) Calculate(launch Launch) Result {
	r := Result{
		WarpsPerBlock:   (launch.Threads + warpSize - 1) / warpSize,
		AllocatedShared: roundUp(launch.Shared, l.SharedUnit),
	}
	perWarp := l.RegistersPerWarp(launch.Registers)
	r.AllocatedRegisters = perWarp * r.WarpsPerBlock
	r.SharedPerSMX = l.carveOut(launch.Cache, r.AllocatedShared)

	r.Limit[Blocks] = l.Blocks
	if launch.Threads >= 1 && launch.Threads <= l.ThreadsPerBlock {
		r.Limit[Warps] = l.Warps / r.WarpsPerBlock
		r.Limit[Registers] = l.registerLimit(perWarp, r.WarpsPerBlock)
	}
	switch {
	case r.AllocatedShared > l.SharedPerBlock:
	case r.AllocatedShared == 0:
		r.Limit[SharedMemory] = Unlimited
	default:
		r.Limit[SharedMemory] = r.SharedPerSMX / r.AllocatedShared
	}

	r.Blocks = min(r.Limit[Warps], r.Limit[Registers], r.Limit[SharedMemory], r.Limit[Blocks])
	r.Warps = r.Blocks * r.WarpsPerBlock
	r.Occupancy = float64(r.Warps) / float64(l.Warps)
	for _, resource := range Resources() {
		if r.Limit[resource] == r.Blocks {
			r.Limiters |= 1 << resource
		}
	}
	r.Wasted = Waste{
		Warps: l.Warps - r.Warps, Blocks: l.Blocks - r.Blocks,
		Registers: l.Registers - r.Blocks*r.AllocatedRegisters, Shared: r.SharedPerSMX - r.Blocks*r.AllocatedShared,
		RoundedRegisters: r.Blocks * (r.AllocatedRegisters - launch.Registers*launch.Threads),
		RoundedShared:    r.Blocks * (r.AllocatedShared - launch.Shared),
		Lanes:            r.Blocks * (r.WarpsPerBlock*warpSize - launch.Threads),
	}
	return r
}

// registerLimit returns the number of blocks that the register file holds. Each partition holds whole warps. A block spreads its warps
// evenly over the partitions, and never fits if it then takes more registers than a block may have.
func (l Limits) registerLimit(perWarp, warps int) int {
	switch {
	case perWarp == 0:
		return Unlimited
	case roundUp(warps, l.Partitions)*perWarp > l.RegistersPerBlock:
		return 0
	}
	return l.Registers / l.Partitions / perWarp * l.Partitions / warps
}

// carveOut returns the shared memory of an SMX. It ignores a preference under which not one block would fit.
func (l Limits) carveOut(prefer CacheConfig, allocated int) int {
	if bytes := l.Shared[prefer]; bytes >= allocated {
		return bytes
	}
	return l.Largest()
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }
