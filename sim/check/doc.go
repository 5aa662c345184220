// Package check finds mistakes in kernels that a run may hide: a result that is right here and wrong on another day. A [Checker] is an
// observer of one device for a whole run, timed or functional. It must receive the events of all SMXs on one host thread. Its results are
// [finding.Finding]s.
//
// # Races
//
// Two accesses to one byte race if at least one writes, at least one is weak (not atomic, volatile or otherwise strong), and neither
// happens before the other. The order is FastTrack's (Flanagan and Freund, PLDI 2009), with a clock for each warp. Each byte keeps the
// epochs of its last write and of the reads since. Each warp knows for every other warp of its block the clock up to which that one's
// accesses happened before. A new clock begins at events that order: barriers (those of all threads and named ones), fences with a flag,
// and changes of the warp's active lanes.
//
// Beyond the block a warp knows what it has acquired. Each atomic or strong write behind a fence is a release: it adds what the writer knew
// at its fence to the variable's log. A warp that reads the variable by an atomic or strong read acquires the log. Launches, copies and
// memsets have vector clocks by stream. Streams, events, the legacy default stream and the host's waits join these.
//
// Like FastTrack, the check is exact for the order of events in the run. If no two accesses to a byte were unordered, it reports nothing.
// If some were, it reports the first of them at that byte, with both lines. It covers the accesses of the run in any order, but not
// branches that other data or another order would take.
//
// Lanes of a warp run in lockstep on Kepler. So two instructions of a warp are ordered if both lanes are active together between them or at
// them. If nothing else orders them, that is a warning, since later GPUs do not promise it. A write of the value that is there already
// races with nothing.
//
// A launch without timing comes here only if a screen has not passed it; see package screen.
package check
