// Package schedule orders the operations of each block by the chip's latencies in core cycles, while registers last. It picks what can
// issue now; among that the most urgent: the longest chain or, in blocks with enough work to fill the latencies, PTX order. It runs once on
// virtual registers and, if values were spilled, once more on physical ones.
package schedule
