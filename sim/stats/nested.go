package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// Nested has the nested launches of a launch (dynamic parallelism): its children and theirs. The launch's counters include them.
type Nested struct {
	// Launches is the number of launches, Waits that of calls of cudaDeviceSynchronize that had to wait.
	Launches, Waits uint64
	// CallCycles is how long warps were in other calls of the device's runtime, summed.
	CallCycles uint64
	// Kernels are the children by parent, kernel and depth; see Sort.
	Kernels []NestedKernel
	// Errors are the calls that failed.
	Errors []NestedError
}

// NestedKernel has the sums of all nested launches of a kernel by one parent at one depth. Times are in microseconds.
type NestedKernel struct {
	Kernel, Parent  string
	Depth           int // its parent's plus one; the host's launch has 0
	Launches        uint64
	Blocks, Threads uint64
	Instructions    uint64  // of warps
	WarpCycles      uint64  // with its warps resident
	WaitUS          float64 // from the call to the start
	TimeUS          float64 // from start to end, children included
}

// NestedError is a failed call of the device's runtime.
type NestedError struct {
	Number int    // cudaError_t
	Name   string // as CUDA calls it
	Call   string // the function and the kernel that called it
	First  string // the first thread that called it, and where
	Count  uint64
}

// Add adds the figures of a child.
func (n *Nested) Add(k *NestedKernel) {
	i := slices.IndexFunc(n.Kernels, func(o NestedKernel) bool {
		return o.Depth == k.Depth && o.Kernel == k.Kernel && o.Parent == k.Parent
	})
	if i < 0 {
		n.Kernels = append(n.Kernels, *k)
		return
	}
	o := &n.Kernels[i]
	o.Launches += k.Launches
	o.Blocks += k.Blocks
	o.Threads += k.Threads
	o.Instructions += k.Instructions
	o.WarpCycles += k.WarpCycles
	o.WaitUS += k.WaitUS
	o.TimeUS += k.TimeUS
}

// Fail counts a failed call.
func (n *Nested) Fail(number int, name, call, first string) {
	i := slices.IndexFunc(n.Errors, func(o NestedError) bool { return o.Number == number && o.Call == call })
	if i < 0 {
		n.Errors = append(n.Errors, NestedError{Number: number, Name: name, Call: call, First: first})
		i = len(n.Errors) - 1
	}
	n.Errors[i].Count++
}

// NotSupported is the error of a nested launch on a chip without them (cudaErrorNotSupported).
const NotSupported = 801

// Unlaunched describes nested launches that the chip does not support, because results lack their effects; "" for none.
func (l *Launch) Unlaunched() string {
	if l.Nested == nil {
		return ""
	}
	for i := range l.Nested.Errors {
		if e := &l.Nested.Errors[i]; e.Number == NotSupported {
			return fmt.Sprintf("%s launches kernels, and %s has no launches from kernels: results lack what these would have done (error "+
				"%d, %s). Compute capability 3.5 has them: choose another chip, as in --config gk110",
				l.DisplayName(), l.Chip.Title(), e.Number, e.Name)
		}
	}
	return ""
}

// Sort orders the children by depth, parent and kernel.
func (n *Nested) Sort() {
	slices.SortFunc(n.Kernels, func(a, b NestedKernel) int {
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.Parent, b.Parent), cmp.Compare(a.Kernel, b.Kernel))
	})
}

// LaunchShare returns the fraction of the time of the launch's warps and its children's in calls of the device's runtime, 0 to 1.
func (l *Launch) LaunchShare() float64 {
	if l.Nested == nil || l.Total.ActiveWarpCycles == 0 {
		return 0
	}
	return min(1, float64(l.Nested.CallCycles)/float64(l.Total.ActiveWarpCycles))
}
