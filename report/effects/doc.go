// Package effects says what the table of a study shows of a metric: which axes matter, which points are best, what no point beats in two
// metrics. It reads tables and runs nothing.
package effects
