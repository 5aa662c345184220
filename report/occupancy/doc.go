// Package occupancy makes what a person reads of an occupancy study: tables, words, advice, CSV, JSON, plots and the
// picture of one SMX.
//
// A study is a launch, or a sweep over one or two of its numbers, on one or several chips. The figures come from
// sim/smx/occupancy, which the simulator itself uses; where points are simulated as well, Simulate runs them through a
// function that its caller gives, and keeps what it has run in a cache on disk. Command keplersim occupancy calls it.
package occupancy
