// Package trace writes a run as a trace for ui.perfetto.dev: JSON of the Trace Event Format. From a report come streams, queues, copies,
// calls of the host, blocks on SMXs and counters. A recording adds each warp's issues and stalls, and requests at each level of memory with
// arrows from load to answer.
package trace
