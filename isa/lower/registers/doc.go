// Package registers allocates physical registers to virtual ones. It colours the interference graph, places registers that an operation
// reads together in different banks, and spills values to local memory if registers run out.
package registers
