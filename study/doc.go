// Package study runs a kernel or a workload at many points of a space: chips, configuration keys, compiler options, launch shapes. A file
// describes the study. The result is a table with a row for each point. The commands sweep and tune use the package.
package study
