// Package sources reads the files that a user names as code: PTX as it is, CUDA C compiled with the user's options, and standard input
// under the name for it. A command makes one Reader from its flags and passes it to everything that reads files.
package sources
