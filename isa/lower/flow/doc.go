// Package flow analyses control flow whatever the blocks hold: dominators, loops, the regions between a branch and where its paths meet,
// and what is live between blocks.
//
// isa/lower/value and isa/lower/machine embed its Block in theirs, and hand it their blocks as [Blocks].
package flow
