// Package effects analyses a metric in a study's table: which axes matter, which points are best, and which no other point beats in two
// metrics. It reads tables and runs nothing.
package effects
