// Package report writes what a person or a program reads of a run: text, JSON or CSV, from the counters in
// sim/stats and the result of a workload's checks.
//
// The command line calls it. It runs nothing, and computes nothing that is not in the metrics table but sentences. All
// output is the same for the same run, host and number of threads aside; what depends on the host stands apart: the last
// line of the text, the member "wall_clock" of the JSON. CSV has none of it.
package report
