package stats

// Stall is the reason why a warp did not issue in a cycle.
type Stall uint8

// The stall reasons: nvprof's, and parts of two of them that a programmer would ask about next. Of maps parts to nvprof's reasons.
const (
	StallInstructionFetch    Stall = iota // the next instruction is not in the warp's buffer yet
	StallExecutionDependency              // an operand comes from an arithmetic operation still in its pipeline
	StallMemoryDependency                 // an operand comes from a memory access in flight
	StallSync                             // the warp waits at a barrier
	StallPipeBusy                         // the execution unit takes no operation in this cycle
	StallMemoryThrottle                   // the load/store unit's queue is full
	StallNotSelected                      // ready, but the scheduler chose another warp
	StallConstant                         // a constant operand missed the constant cache
	StallTexture                          // an operand comes from the texture path
	StallOther                            // the issue distance and the rest
)

// ProfilerStalls is the number of nvprof's reasons, which come first.
const ProfilerStalls = StallOther + 1

// The parts.
const (
	StallShared Stall = iota + ProfilerStalls // an operand comes from shared memory: part of the execution dependencies
	StallBranch                               // the warp has just branched or returned: this and the following are parts of the others
	StallFence                                // the warp waits at a fence
	StallExit                                 // the warp has exited, but its last stores are not acknowledged; charged to these
	StallSleep                                // nanosleep
	StallSystem                               // a system call: printf, malloc
	StallCount
)

// stalls has the reasons' names (nvprof's metrics without stall_), what the warp waits for, and nvprof's reason that a part belongs to.
var stalls = [StallCount]struct {
	name, meaning string
	of            Stall
}{
	StallInstructionFetch:    {"inst_fetch", "the next instruction was not fetched yet", StallInstructionFetch},
	StallExecutionDependency: {"exec_dependency", "an operand was not ready yet", StallExecutionDependency},
	StallMemoryDependency:    {"memory_dependency", "the data of a load or atomic were not there yet", StallMemoryDependency},
	StallSync:                {"sync", "the warp waited at a barrier", StallSync},
	StallPipeBusy:            {"pipe_busy", "the instruction's execution pipeline was busy", StallPipeBusy},
	StallMemoryThrottle:      {"memory_throttle", "too many memory operations were already waiting", StallMemoryThrottle},
	StallNotSelected:         {"not_selected", "the warp was ready, but the scheduler chose another", StallNotSelected},
	StallConstant:            {"constant_memory_dependency", "a constant missed the constant cache", StallConstant},
	StallTexture:             {"texture", "a texture read or read-only load had not returned its data", StallTexture},
	StallOther:               {"other", "the warp waited for something else", StallOther},
	StallShared:              {"shared", "an access to shared memory had not returned its data", StallExecutionDependency},
	StallBranch:              {"branch", "the warp had just branched and its next instruction issues some cycles later", StallOther},
	StallFence:               {"fence", "the warp waited at a fence", StallOther},
	StallExit:                {"exit", "the warp had ended and its last stores were not written yet", StallOther},
	StallSleep:               {"sleep", "the warp slept (nanosleep)", StallOther},
	StallSystem:              {"system", "the warp waited for a system call (printf, malloc)", StallOther},
}

// Of returns nvprof's reason that a reason belongs to, or is.
func (s Stall) Of() Stall { return stalls[s].of }

// String returns the reason's name in nvprof's metrics without stall_. The name of a part follows that of the whole.
func (s Stall) String() string {
	if of := s.Of(); of != s {
		return stalls[of].name + "_" + stalls[s].name
	}
	return stalls[s].name
}

// Meaning describes what a warp waits for.
func (s Stall) Meaning() string { return stalls[s].meaning }

// StallCycles has the warp cycles of each reason.
type StallCycles [StallCount]uint64

// Profiler returns the cycles of a reason with all its parts, as nvprof counts them.
func (c *StallCycles) Profiler(reason Stall) uint64 {
	sum := uint64(0)
	for s, cycles := range c {
		if Stall(s).Of() == reason {
			sum += cycles
		}
	}
	return sum
}

// Sum returns the cycles of all reasons.
func (c *StallCycles) Sum() uint64 {
	sum := uint64(0)
	for _, cycles := range c {
		sum += cycles
	}
	return sum
}
