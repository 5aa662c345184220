// Package largepages asks the operating system for large pages of memory: 2 MB instead of 4 KB on amd64. A first touch of memory is a page
// fault, and one fault then serves as much memory as 512 others. Other systems than Linux choose the size of pages themselves.
package largepages

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

var planned atomic.Pointer[func()]

// Plan sets what the next Begin calls: ForHeap, for a program that knows how far its heap will grow.
func Plan(do func()) { planned.Store(&do) }

// Begin is called when a simulation begins. Commands that simulate nothing are short, and need not wait for what is planned.
func Begin() {
	if do := planned.Swap(nil); do != nil {
		(*do)()
	}
}

// ForHeap asks for large pages for the next bytes that the heap grows by. It collects garbage once; call it before the heap grows.
func ForHeap(bytes int) {
	if !supported {
		return
	}
	// The heap maps new memory for this slice, which nothing touches. The collection frees it for the program's own objects.
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collection until then
	Ask(make([]byte, bytes))
	runtime.GC()
}
