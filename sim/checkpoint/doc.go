// Package checkpoint takes down what a graph of Go objects holds, and gives it back to another process of the same program. Package sim
// says which objects those are; this package knows no simulator.
//
// What a graph stands in is its World: objects that both processes make for themselves. Some never change, such as lowered kernels and
// configurations: pointers to anything inside of them are kept by their place, which is found by the same walk on both sides. Others are
// twins, whose contents are saved, and restored at their place. Everything else that twins lead to is saved, and made anew. The graph keeps
// its shape: what two pointers had in common they have in common again, also where one points into what the other points to.
//
// What has no meaning in another process (functions, channels, addresses) is refused by the name of the field that holds it, unless the
// field is one that a World keeps.
package checkpoint
