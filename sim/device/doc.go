// Package device has what lives as long as a GPU: its SMXs, memory system, clock, and running grids. A Step is one epoch, in which the SMXs
// run on the host's threads and the memory system takes their requests, after them or at the same time. Timed and functional runs are two
// engines in the same loop. Package sim calls it. It knows no streams and no host.
package device
