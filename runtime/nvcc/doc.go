// Package nvcc is a drop-in for nvcc's command line: it reads the flags that Makefiles and CMake pass, and has clang compile and link what
// they ask for. What it makes are objects, libraries and programs of the machine's own linker, which carry PTX and CUDA's runtime API.
package nvcc
