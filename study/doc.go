// Package study runs a kernel or a workload at many points of a space: chips, configuration keys, compiler options, launch shapes. A study
// is a file that says the space; its result is a table with a row for each point. The command line's sweep and tune call it.
package study
