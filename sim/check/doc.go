// Package check looks for mistakes in kernels that a run may hide: a result that is right here and wrong on another day. A [Checker] is an
// observer of one device for a whole run, timed or functional; it must hear the events of all SMXs on one host thread. What it finds are
// [finding.Finding]s.
//
// # Races
//
// Two accesses of one byte race if at least one writes, at least one is weak (not atomic, volatile or otherwise strong), and none happens
// before the other. The order is FastTrack's (Flanagan and Freund, PLDI 2009), with the warp as the unit that has a clock: each byte keeps
// the epoch of its last write and those of the reads since; each warp knows up to which of its clocks every other warp of its block has
// come before it. Clocks go on at what orders: barriers (those of all threads and named ones), fences with a flag, and changes of the
// warp's active lanes. Beyond the block a warp knows what it has acquired: each atomic or strong write behind a fence is a release, which
// adds what the writer knew at its fence to the variable's log, and whoever reads the variable by an atomic or strong read knows the log
// from then on. Launches, copies and memsets have vector clocks by stream, that streams, events, the legacy default stream and the host's
// waits join.
//
// As FastTrack's, the answer is exact for the order of events that the run had: if no two accesses to a byte were unordered in it, nothing
// is reported, and if some were, the first of them at that byte is, with both lines. A run tells of the accesses that it made, whichever
// way they happened to go, but not of branches that other data or another order would take.
//
// Lanes of a warp go in lockstep on Kepler, so that two instructions of a warp are ordered where both lanes are active together between
// them or at them; what is ordered by that alone is a warning, since later GPUs do not promise it. A write of the value that
// is there already races with nothing.
//
// A launch without timing comes here only where a screen has not passed it; see package screen.
package check
