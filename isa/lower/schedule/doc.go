// Package schedule orders the operations of each block by the chip's latencies in core cycles, within a limit on live registers. Among
// operations that can issue now it picks the most urgent: the one on the longest chain or, in blocks with enough work to fill the
// latencies, the first in PTX order. It runs once on virtual registers and, if values were spilled, once more on physical ones.
package schedule
