// Package screen checks whether the accesses of launches without timing need a closer look: whether there may be a race, or a read of
// unwritten memory. It is fast: it keeps one exec.Cell of four bytes for each word, and none for memory that a launch only reads, and
// machine code updates the cells. A launch that passes is clean. A suspected launch is undone, and run again with the checks, which find
// out. Before that it runs once without either, and is undone, to learn which memory it only reads: such reads the checks need not see.
//
// The screen knows only the order within a thread, the barriers of whole blocks, and that a launch begins after earlier ones have ended.
// Fences, flags, __syncwarp and other ways to order accesses are left to the checks: the screen then suspects a launch that is clean.
//
// An epoch is the time from one barrier of a block to the next. Within an epoch a word may be accessed by one thread in any way, by several
// that read, or by several that change it atomically. Words that a block writes in a launch must not be accessed by other blocks. Words
// that are changed atomically must not be accessed otherwise in the launch. Every pair of accesses that the checks report breaks one of
// these rules.
package screen
