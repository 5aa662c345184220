// Package recording is the record of a run for looking at it cycle by cycle: what each warp did, where each request was, when each block
// and grid lived. It reads and writes the file format that recording/FORMAT.md describes. sim/record fills it while kernels run; views,
// traces and tests read it.
//
// Cycles count a device's core clock while it has something to do; a grid's own cycles begin at its Start. The same run gives the same
// bytes for any number of host threads.
package recording
