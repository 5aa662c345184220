// Package hyperq is everything between a host's commands and the SMXs: streams and events, the hardware's work queues, and the grid
// management unit with its pending grids. It also has the block scheduler, which deals the blocks of several grids to the SMXs. Time is in
// core cycles for blocks, and in picoseconds from the host's start for commands. The package knows no memory and no internals of an SMX.
package hyperq
