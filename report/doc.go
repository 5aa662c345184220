// Package report writes the results of a run for people and programs: as text, JSON or CSV, from the counters in sim/stats and the checks
// of a workload's results.
//
// The command line calls it. The package runs nothing, and computes only sentences beyond the metrics table. Equal runs give equal output.
// Only figures of the host and the number of threads differ: the last line of the text, and the member "wall_clock" of the JSON. CSV has
// neither.
package report
