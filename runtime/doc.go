// Package runtime is the simulator's side of a whole CUDA program. The host part runs as its own process, linked with native/, and its CUDA
// calls come here over a socket.
//
// A Session serves one program: its devices, modules, memory, streams and events. Device memory is an arena that the program maps at the
// same addresses. So pointers mean the same on both sides, and a copy is one memcpy in the program.
package runtime
