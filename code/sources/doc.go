// Package sources reads the files that a user names as code: PTX as it is, CUDA C compiled as the user says, standard input where a name
// stands for it. A command makes one Reader of its flags and hands it to whatever reads files.
package sources
