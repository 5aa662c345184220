// Package observe is how the simulation tells others what happens: one interface of events, from commands and grids down to single
// issues and memory requests. Checkers, recorders, traces and debuggers implement it; no part of the device knows any of them.
//
// A part of the device holds an [Observer] that is nil when nobody listens; it then makes no event, and pays a comparison at most. An
// observer never changes what happens: no result and no cycle depends on it. Cycles are of the core clock; in a functional run, which has
// no time, they only count up.
package observe
