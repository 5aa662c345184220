// Package recording is what a run leaves for those who look at it cycle by cycle: what each warp did, where each request was, when each
// block and grid lived. It knows the file format, which recording/FORMAT.md describes, and reads and writes it; sim/record fills it while
// kernels run, and views, traces and tests read it.
//
// Cycles are those of a device's core clock, in which it had something to do: a grid's own begin at its Start. The same run gives the same
// bytes, whatever the number of host threads.
package recording
