// Package occupancy writes an occupancy study: tables, sentences, advice, CSV, JSON, plots and the picture of one SMX.
//
// A study is a launch, or a sweep over one or two of its numbers, on one or more chips. The figures come from sim/smx/occupancy, which the
// simulator itself uses. The command keplersim occupancy calls the package.
package occupancy
