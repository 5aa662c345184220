// Package workload handles the workload file, which describes as data what a host program would do with a kernel. A file has device buffers
// with their initial contents, the steps (launches, copies, events) in the order of the host program, and the expected results.
//
// The package reads and checks such files (YAML or JSON), makes initial contents, packs kernel arguments into parameter bytes, and compares
// results with the expected ones. It also makes up a workload for a kernel without a file. The command line calls it and passes the results
// to the simulator. It knows no clock and no chip, allocates no device memory, and never runs a step.
//
// docs/workload-file.md describes the format.
package workload
