// Package flow analyses control flow, whatever the blocks contain: dominators, loops, regions between a branch and the meeting point of its
// paths, and liveness between blocks.
//
// isa/lower/value and isa/lower/machine embed its Block in theirs, and pass their blocks as [Blocks].
package flow
