// Package stats holds the counters of a run, from which every report is made. Counters are plain numbers in plain structs: the
// parts of the simulator add to them, nothing reads them while a kernel runs. A [Launch] gathers what one kernel launch did;
// the metrics table gives nvprof's names their values from it.
package stats
