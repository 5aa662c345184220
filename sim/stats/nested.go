package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// Nested is what the kernels of a launch have launched in turn (dynamic parallelism), its children and theirs. What they did is in the
// launch's counters too.
type Nested struct {
	// Launches are those that the device took, Waits calls of cudaDeviceSynchronize that had something to wait for.
	Launches, Waits uint64
	// CallCycles is how long warps were in calls of the device's runtime but for these waits, all together.
	CallCycles uint64
	// Kernels are the children by parent, kernel and depth; see Sort.
	Kernels []NestedKernel
	// Errors are the calls that failed.
	Errors []NestedError
}

// NestedKernel is a kernel that a kernel has launched at a depth, all its launches together. Times are sums, in microseconds.
type NestedKernel struct {
	Kernel, Parent  string
	Depth           int // of its parent and one more; the launch from the host has 0
	Launches        uint64
	Blocks, Threads uint64
	Instructions    uint64  // of warps
	WarpCycles      uint64  // in which its warps were resident
	WaitUS          float64 // from the call to the start
	TimeUS          float64 // from start to end, children included
}

// NestedError is a call of the device's runtime that failed.
type NestedError struct {
	Number int    // of cudaError_t
	Name   string // as CUDA calls it
	Call   string // the function, and the kernel that called it
	First  string // which thread called it first, and where
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

// Fail counts a call that failed.
func (n *Nested) Fail(number int, name, call, first string) {
	i := slices.IndexFunc(n.Errors, func(o NestedError) bool { return o.Number == number && o.Call == call })
	if i < 0 {
		n.Errors = append(n.Errors, NestedError{Number: number, Name: name, Call: call, First: first})
		i = len(n.Errors) - 1
	}
	n.Errors[i].Count++
}

// NotSupported is the error of a call that asks for launches from kernels on a chip that has none (cudaErrorNotSupported).
const NotSupported = 801

// Unlaunched says that kernels of a launch wanted to launch others, which the chip cannot, so that its results lack what they would have
// done; "" where none did.
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

// LaunchShare is the part of the time of the launch's warps and its children's that calls of the device's runtime took, 0 to 1.
func (l *Launch) LaunchShare() float64 {
	if l.Nested == nil || l.Total.ActiveWarpCycles == 0 {
		return 0
	}
	return min(1, float64(l.Nested.CallCycles)/float64(l.Total.ActiveWarpCycles))
}
