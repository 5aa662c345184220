package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/workload"
)

// defaultLaunches are the made-up launches by the number of dimensions that a kernel reads of its thread index: 16 blocks of 256 threads in
// all.
var defaultLaunches = map[int]struct{ grid, block [3]int }{
	1: {[3]int{workload.DefaultBlocks, 1, 1}, [3]int{workload.DefaultThreads, 1, 1}},
	2: {[3]int{4, 4, 1}, [3]int{16, 16, 1}},
	3: {[3]int{2, 2, 4}, [3]int{8, 8, 4}},
}

// usualShape returns the launch of a kernel, completing the user's options. The block is the one that the kernel requires; else it has as
// many dimensions as the kernel reads of its thread index. why explains the block.
func (j *Job) usualShape(kernel *isa.Function, program *isa.Program) (s shape, why string) {
	s = shape{grid: j.options.Grid, block: j.options.Block, shared: j.options.Shared}
	threads, blocks := asked(program, kernel)
	most := kernel.Limits.MaxThreads
	switch required := kernel.Limits.RequiredThreads; {
	case s.block != [3]int{}:
	case required[0] > 0:
		s.block, why = [3]int{required[0], max(required[1], 1), max(required[2], 1)}, "as the kernel requires (.reqntid)"
	case most[0] > 0 && most[0]*max(most[1], 1)*max(most[2], 1) < workload.DefaultThreads:
		s.block, why = [3]int{most[0], max(most[1], 1), max(most[2], 1)}, "the most that the kernel allows (.maxntid)"
	default:
		s.block = defaultLaunches[threads].block
		for s.block[0]*s.block[1]*s.block[2] > j.Config.SMX.ThreadsPerBlock {
			s.block[slices.Index(s.block[:], slices.Max(s.block[:]))] /= 2
		}
		if threads > 1 {
			why = fmt.Sprintf("as the kernel reads %%tid.%c", "xyz"[threads-1])
		}
	}
	if s.grid == [3]int{} {
		s.grid = defaultLaunches[max(blocks, 1)].grid
	}
	if kernel.DynamicAlign > 0 && s.shared == 0 {
		s.shared = s.block[0] * s.block[1] * s.block[2] * max(kernel.DynamicAlign, 4)
	}
	return s, why
}

// asked returns the number of block and grid dimensions that a kernel, or a function that it may call, reads.
func asked(program *isa.Program, kernel *isa.Function) (threads, blocks int) {
	threads, blocks = 1, 1
	for _, f := range program.Functions {
		if f.Kernel && f != kernel {
			continue
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instructions {
				i.Sources(func(o *isa.Operand) {
					if o.Kind != isa.OperandSpecial {
						return
					}
					switch o.Special {
					case isa.TidY, isa.NtidY:
						threads = max(threads, 2)
					case isa.TidZ, isa.NtidZ:
						threads = 3
					case isa.CtaidY, isa.NctaidY:
						blocks = max(blocks, 2)
					case isa.CtaidZ, isa.NctaidZ:
						blocks = 3
					}
				})
			}
		}
	}
	return threads, blocks
}

// noteShape notes the made-up parts of a launch.
func (j *Job) noteShape(s shape, why string, kernel *isa.Function, wishes *workload.Wishes) {
	if wishes.Block == [3]int{} {
		prefix := MadeUp
		if kernel.Limits.RequiredThreads[0] > 0 || strings.Contains(why, ".maxntid") {
			prefix = ""
		}
		if why != "" {
			why = ", " + why
		}
		j.note("%sblock: %s threads%s", prefix, extent3(s.block), why)
	}
	if wishes.Grid == [3]int{} {
		j.note(MadeUp+"grid: %s blocks", extent3(s.grid))
	}
	if wishes.Shared == 0 && s.shared > 0 {
		each := s.shared / (s.block[0] * s.block[1] * s.block[2])
		j.note(MadeUp+"shared: %d bytes of dynamic shared memory, %d for each thread", s.shared, each)
	}
}

// extent3 formats an extent without trailing ones: 16 × 16.
func extent3(e [3]int) string {
	n := 3
	for n > 1 && e[n-1] <= 1 {
		n--
	}
	text := fmt.Sprint(e[0])
	for i := 1; i < n; i++ {
		text += fmt.Sprintf(" × %d", e[i])
	}
	return text
}
