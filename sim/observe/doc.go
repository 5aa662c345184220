// Package observe reports what happens in the simulation: one interface of events, from commands and grids down to single issues and memory
// requests. Checkers, recorders, traces and debuggers implement it. No part of the device knows them.
//
// A part of the device holds an [Observer], nil for none. Without one it makes no event, and pays a comparison at most. An observer never
// changes a result or a cycle. Cycles are of the core clock. In a functional run, which has no time, they only count up.
package observe
