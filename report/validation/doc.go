// Package validation prints what became of validation's rows, for people and for programs: text, JSON, CSV, a plot of ours
// against theirs, and the staircase of a pointer chase; likewise sweeps and the tuning guide's claims. It simulates nothing.
package validation
