// Package schedule orders the operations of each block: first what others wait for, by the chip's latencies in core cycles, as long as
// registers last. It runs once on virtual registers, and once more on physical ones where values were spilled.
package schedule
