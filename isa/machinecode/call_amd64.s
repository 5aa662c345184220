#include "textflag.h"

// func call(entry uintptr, argument unsafe.Pointer)
TEXT ·call(SB), NOSPLIT, $8-16
	MOVQ entry+0(FP), AX
	MOVQ argument+8(FP), DI
	CALL AX
	VZEROUPPER
	RET
