// Package checkpoint saves the contents of a graph of Go objects, and restores them in another process of the same program. Package sim
// says which objects those are. This package knows no simulator.
//
// The [World] of a graph is the objects that both processes make for themselves. Some never change, such as lowered kernels and
// configurations. A pointer to anything inside them is saved as a position, which the same walk finds on both sides. Others are twins:
// their contents are saved, and restored in place. Everything else that twins lead to is saved, and allocated when loaded. The graph keeps
// its shape: pointers that shared a target share it again, even if one points into the other's target.
//
// Values without meaning in another process (functions, channels, addresses) make saving fail with the name of their field, unless the
// field is one that a World keeps.
package checkpoint
