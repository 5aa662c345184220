// Package programs compares the simulator with measurements of programs that others wrote and published: their time on Kepler cards,
// their counters, and the registers that NVIDIA's compiler gave their kernels.
//
// Rows are data, in the folders rows and registers: the program's repository, commit and file, the launch, what was measured, and where
// the figure stands. The programs themselves are not part of the project. They are compiled from a checkout that the user names.
//
// Half of the rows, chosen by a hash of the name, are blind: nobody looks at them while the model is tuned.
package programs
