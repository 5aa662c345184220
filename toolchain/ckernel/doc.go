// Package ckernel compiles the C of CUDA kernels to PTX, without clang: in a browser, and where no clang is installed.
//
// [Compile] reads a file in three steps. The preprocessor (lex.go, preprocess.go) makes tokens of text, with our CUDA headers in
// front of them. The parser (parse*.go) makes trees of tokens and resolves names. The generator (generate*.go) runs through the
// trees of each kernel and evaluates what it can: a loop of known length is written out, a call is replaced by what the function
// does, an array whose indices are all known lies in registers. What remains becomes instructions over registers that hold one value
// each, in basic blocks; isa/lower optimises them further, as it does with clang's PTX.
//
// It takes C with CUDA's words and what kernels use of C++: overloads, default arguments, constexpr, bool, declarations everywhere.
// Templates, references, classes and namespaces are refused, by name, with an error that says that they need
// clang. No input makes it read a file or run for long: limits.go bounds tokens, depth and instructions.
//
// The package knows neither clang nor a file system; toolchain calls it.
package ckernel
