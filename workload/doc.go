// Package workload is the workload file: what a host program would do with a kernel, written as data. A file names
// device buffers with their first contents, the steps (launches, copies, events) in the order of the host program, and
// the results to expect.
//
// The package reads and checks such files (YAML or JSON), makes the buffers' first bytes, packs kernel arguments into
// parameter bytes, compares results with what the file expects, and makes up a workload for a kernel that has none. The
// command line calls it and hands the pieces to the simulator. It knows no clock and no chip, allocates no device
// memory, and never runs a step.
//
// docs/workload-file.md describes the format.
package workload
