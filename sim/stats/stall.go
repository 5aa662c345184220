package stats

// Stall is why a warp did not issue in a cycle.
type Stall uint8

// The stall reasons, as nvprof names them.
const (
	StallInstructionFetch    Stall = iota // the next instruction is not in the warp's buffer yet
	StallExecutionDependency              // an operand comes from an arithmetic operation still in its pipeline
	StallMemoryDependency                 // an operand comes from a memory access under way
	StallSync                             // the warp waits at a barrier
	StallPipeBusy                         // the execution unit takes no operation in this cycle
	StallMemoryThrottle                   // the load/store unit's queue is full
	StallNotSelected                      // ready, but the scheduler chose another warp
	StallConstant                         // a constant operand missed the constant cache
	StallTexture                          // an operand comes from the texture path
	StallOther                            // membar, the reissue distance and the rest
	StallCount
)

var stallNames = [StallCount]string{
	"inst_fetch", "exec_dependency", "memory_dependency", "sync", "pipe_busy", "memory_throttle", "not_selected", "constant_memory_dependency", "texture", "other",
}

// String is the reason's name in nvprof's metrics, without the stall_ before it.
func (s Stall) String() string { return stallNames[s] }
