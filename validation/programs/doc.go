// Package programs compares the simulator with published measurements of other people's programs: their time on Kepler cards, their
// counters, and their kernels' register counts from NVIDIA's compiler.
//
// Rows are data, in the folders rows and registers: the program's repository, commit and file, the launch, the measured figures, and where
// they are published. The programs themselves are not part of the project. They are compiled from a checkout that the user names.
//
// Half of the rows, chosen by a hash of the name, are blind: we never tune against them.
package programs
