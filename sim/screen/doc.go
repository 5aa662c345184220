// Package screen looks at launches that run without timing for whether their accesses need a closer look: whether there may be a race in
// them, or a read of what nobody has written. It is quick: it keeps one exec.Cell of four bytes for a word, and nothing for memory that a
// launch only reads, and machine code fills the cells in. A launch that it passes is clean. One that it suspects is undone, and run again
// by the checks, which know what it is.
//
// What it knows of order is the order within a thread, the barriers of whole blocks, and that a launch begins when those before it have
// ended. All else that orders accesses, such as fences and flags, or __syncwarp, is for the checks: the screen then suspects a launch that
// is clean. A word may be touched within an epoch, the time from one barrier of a block to the next, by one thread in any way, by several
// that read, or by several that change it atomically; what a block writes in a launch other blocks must not touch, and what is changed
// atomically is not touched otherwise in the launch. Every pair of accesses that the checks tell of breaks one of these rules.
package screen
