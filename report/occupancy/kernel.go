package occupancy

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
)

// Kernel has the resources of a kernel's block, as lowered for one chip.
type Kernel struct {
	// Name is the kernel's name.
	Name string
	// Registers is the number of 32-bit registers per thread.
	Registers int
	// Shared is the static shared memory of a block, in bytes.
	Shared int
	// Threads is the block size that the kernel requests: .reqntid, else .maxntid, else 0.
	Threads int
	// Block is the threads of a block, and Dynamic its dynamic shared memory in bytes, as the kernel's workload file launches it; 0 if
	// there is none.
	Block, Dynamic int
	// SpillBytes is a thread's local memory for spilled registers. SpillLoads and SpillStores are the instructions that spilling adds to
	// the program.
	SpillBytes, SpillLoads, SpillStores int
}

// Source is a kernel that can be lowered for any chip, as keplersim occupancy FILE reads it.
type Source interface {
	// Kernel lowers for a chip with at most maxRegisters registers per thread; 0 is the chip's own limit.
	Kernel(chip *configs.Config, maxRegisters int) (Kernel, error)
}

// Spills says what a register cap costs, for advice.
func (k Kernel) Spills() string {
	if k.SpillBytes == 0 {
		return fmt.Sprintf("lowering then takes %d and spills nothing", k.Registers)
	}
	return fmt.Sprintf("lowering then takes %d and spills %d bytes a thread (%d loads, %d stores)", k.Registers, k.SpillBytes, k.SpillLoads,
		k.SpillStores)
}
