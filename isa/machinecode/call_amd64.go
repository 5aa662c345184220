package machinecode

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hostRuns reports that the processor has the extensions that the code uses.
var hostRuns = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

//go:noescape
func call(entry uintptr, argument unsafe.Pointer)
