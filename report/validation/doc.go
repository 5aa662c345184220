// Package validation prints the results of validation for people and for programs: text, JSON, CSV, a plot of our figures against theirs,
// and the staircase of a pointer chase. It also prints sweeps and the tuning guide's claims. It simulates nothing.
package validation
