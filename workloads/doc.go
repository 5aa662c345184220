// Package workloads holds thirty-three programs to simulate and to learn from. Each folder is one workload. NAME.cu begins with what it
// teaches; NAME.ptx is made from it; NAME.yaml is the workload file, with the results of a real GPU. NAME.sm_30.ptx exists if the code for
// GK110 uses an instruction that GK104 lacks. "make workloads" makes the .ptx anew. The package has no code: its tests compute every
// expected result again on the CPU and compare.
package workloads

//go:generate go run ./build
