// Package engine holds time: the units that cycles are counted in, conversion between clock domains, and the two queues
// that hand events out in order.
//
// A [Cycle] is a cycle of the SM clock unless a name says otherwise. [Ratio] converts between two domains with integers
// only, so that a run of any length never drifts. [Heap] orders events of any distance; [Wheel] orders events that lie no
// farther ahead than its length, in constant time. Both give events of equal time back in the order in which they came,
// and neither allocates once it has grown to its working size.
//
// The package knows no part of a GPU; sim/memory and the SMXs are built on it.
package engine
