// Package runtime is the simulator's side of a whole CUDA program: the host part runs as a process of its own, linked with native/, and
// its calls of CUDA come here over a socket.
//
// A Session serves one program: its devices, modules, memory, streams and events. Device memory is an arena that the program maps at the
// same addresses, so that pointers mean the same on both sides, and copies cost one memcpy in the program.
package runtime
