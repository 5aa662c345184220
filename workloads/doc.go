// Package workloads holds thirty-three programs to simulate and to learn from. Each folder is one workload: NAME.cu, which
// opens with what it teaches; NAME.ptx, made from it; NAME.yaml, the workload file with the results that a real GPU
// gave; and NAME.sm_30.ptx where the code for GK110 uses an instruction that GK104 lacks. "make workloads" makes the
// .ptx anew. The package has no code: its tests compute every expected result a second time, on the CPU, and compare.
package workloads

//go:generate go run ./build
