package machinecode

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hostRuns tells whether the processor has what the code uses.
var hostRuns = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

//go:noescape
func call(entry uintptr, argument unsafe.Pointer)
