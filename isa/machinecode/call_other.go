//go:build !amd64

package machinecode

import "unsafe"

// hostRuns is false: the code is for x86-64.
const hostRuns = false

func call(uintptr, unsafe.Pointer) {}
