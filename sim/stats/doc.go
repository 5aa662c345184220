// Package stats has the counters of a run, from which every report is made. They are plain numbers in plain structs. The parts of the
// simulator add to them, and nothing reads them while a kernel runs. A [Launch] has the counters of one kernel launch. The metrics table
// computes the values of nvprof's metrics from it.
package stats
