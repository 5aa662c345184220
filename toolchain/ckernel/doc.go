// Package ckernel compiles the C of CUDA kernels to PTX, without clang: in a browser, and where no clang is installed.
//
// [Compile] has three steps. The preprocessor (lex.go, preprocess.go) turns text into tokens, with our CUDA headers in front. The parser
// (parse*.go) turns tokens into trees and resolves names. The generator (generate*.go) walks through each kernel's trees and evaluates what
// is known: it unrolls loops of known length, inlines calls, and keeps arrays in registers if all their indices are known. The rest becomes
// instructions in basic blocks, over registers that hold one value each. isa/lower optimises them, as it does with clang's PTX.
//
// It takes C with CUDA's words and some C++: overloads, default arguments, constexpr, bool, declarations everywhere. Templates, references,
// classes and namespaces fail with an error that names them and says that they need clang. No input makes it read a file or run for long:
// limits.go bounds tokens, depth and instructions.
//
// The package knows neither clang nor a file system; toolchain calls it.
package ckernel
