// Package host does the work of a host program. It finds the code and the workload file, or makes a workload up. It compiles CUDA C,
// allocates and fills buffers on a simulated GPU, executes the steps, and compares the results with the expected ones.
//
// The command line and the tests of the workloads call it. It prints nothing and knows no clock: a launch's time is in its stats.Launch.
package host
