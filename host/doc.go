// Package host does what a host program does around a kernel: it finds the code and the workload file (or makes a
// workload up), compiles CUDA C, allocates and fills buffers on a simulated GPU, carries out the steps, and compares
// the results with what is expected.
//
// The command line and the tests of the workloads call it. Streams and copies run one after another, and copies take no
// time. It prints nothing and knows no clock: what a launch took stands in its stats.Launch.
package host
