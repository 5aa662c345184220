// Package lessons reads the lab's lessons, one Markdown file each, and grades answers to their exercises.
//
// A lesson begins with its title and length as YAML, between two lines of ---. Fenced blocks are plain Markdown, except those whose first
// line names more than a language:
//
//	```cuda cell=NAME       a kernel that the reader runs and edits; ptx instead of cuda for PTX
//	```cuda hidden=NAME     a kernel that only scenes run; readers do not see it
//	```scheduler cell=NAME  an expression that the warp schedulers pick by; ```cuda module=NAME is what runs
//	```scene=KIND cell=NAME a picture drawn from runs of a cell, with one handle (YAML: Scene)
//	```yaml workload=NAME   the workload file with which the cell runs; its module is kernel.ptx
//	```yaml exercise=NAME   an exercise on a cell: task, checks, hints
//	```cuda answer=NAME     the model answer of an exercise
//	```cuda wrong=NAME      an answer that the checks must refuse; readers do not see it
//	```question             a question, a line of ---, and its answer, which the page keeps folded
//
// docs/teaching.md tells lecturers how to write one.
package lessons
