// Package hyperq is what stands between a host's commands and the SMXs: streams and events, the hardware's work queues, the grid management
// unit with its pending grids, and the block scheduler, which deals the blocks of several grids to the SMXs. Time is the device's, in core
// cycles, where blocks are dealt, and in picoseconds from the host's start where commands are. It knows no memory and no SMX's inside.
package hyperq
