// Package schedule orders the operations of each block by the chip's latencies in core cycles, as long as registers last: what can issue at
// once, and of that what others wait for longest, or in blocks with enough work to fill that time what PTX has first. It runs once on
// virtual registers, and once more on physical ones where values were spilled.
package schedule
