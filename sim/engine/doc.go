// Package engine has time: the units in which cycles are counted, conversion between clock domains, and two queues of events in order of
// time.
//
// A [Cycle] is a cycle of the SM clock unless a name says otherwise. [Ratio] converts between two domains with integers only, so that a run
// of any length never drifts. [Heap] orders events of any distance. [Wheel] orders events no farther ahead than its length in constant
// time. Both return events of equal time in the order in which they came. Neither allocates after it has grown to its working size.
//
// The package knows no part of a GPU; sim/memory and the SMXs are built on it.
package engine
