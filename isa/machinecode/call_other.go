//go:build !amd64

package machinecode

import "unsafe"

// hostRuns is false: what is assembled runs on x86-64 only.
const hostRuns = false

func call(uintptr, unsafe.Pointer) {}
