// Package scheduler chooses which ready warp a warp scheduler issues from. A policy sees slots: a mask of the slots that could issue in
// this cycle of the core clock, and the order in which the slots' warps arrived. Each policy is one small file that registers itself by
// name. The SMX makes one policy object for each of its schedulers. A policy never decides which operations pair: the compiler marks pairs,
// and the SMX's units must be free.
package scheduler
