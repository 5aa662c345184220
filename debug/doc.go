// Package debug is a debugger for kernels on the simulated GPU. It stops a run at given points, shows the state of warps, lanes and memory,
// and steps forwards or backwards. It observes the run, which waits while the user looks. Runs are deterministic: a step back runs again
// from a kept state to the operation before. Text commands, from a person or a file, or the Debug Adapter Protocol drive a [Session].
package debug
