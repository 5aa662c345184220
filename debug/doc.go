// Package debug is a debugger for kernels on the simulated GPU: it stops a run where it is told to, shows what warps, lanes and memory
// have, and steps on, or back. It is an observer of the run, which waits while it looks. A run is deterministic, so that going back is
// running again to the operation before, from a state that was kept on the way. A [Session] is driven by commands of text, from a person or
// a file, or by the Debug Adapter Protocol.
package debug
