// Package scheduler chooses which ready warp a warp scheduler issues from. A policy sees slots, not warps: a bit mask of the
// slots that could issue in this cycle of the core clock, and the order in which the slots' warps arrived. Each policy is one small
// file that registers itself by name; the SMX makes one policy object for each of its schedulers. A policy never decides
// what pairs: that is the compiler's mark and the SMX's units.
package scheduler
