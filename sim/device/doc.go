// Package device is what lives as long as a GPU: its SMXs, its memory system and its clock, and the grids that run. A Step is one epoch, in
// which the SMXs run on the host's threads and the memory system takes what they sent, after them or at the same time. The timed
// and the functional run are two engines under the same loop. Package sim calls it; it knows no streams and no host.
package device
