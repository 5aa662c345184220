// Package trace writes what happened when as a trace that ui.perfetto.dev opens: JSON of the Trace Event Format. Streams,
// queues, copies, calls of the host, blocks on multiprocessors and counters come from a report; where a recording is at hand, also each
// warp with what it issued and why it waited, and requests at each level of memory with arrows from load to answer.
package trace
