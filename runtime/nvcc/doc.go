// Package nvcc replaces nvcc's command line. It reads the flags that Makefiles and CMake pass, and compiles and links with clang. The
// results are objects, libraries and programs of the machine's own linker, with PTX and CUDA's runtime API inside.
package nvcc
