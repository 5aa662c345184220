#include "textflag.h"

// func prefetchRows(rows unsafe.Pointer, numbers *uint16, count int)
TEXT ·prefetchRows(SB), NOSPLIT, $0-24
	MOVQ rows+0(FP), AX
	MOVQ numbers+8(FP), BX
	MOVQ count+16(FP), CX
	TESTQ CX, CX
	JLE done
next:
	MOVWLZX (BX), DX
	SHLQ $7, DX
	PREFETCHT0 (AX)(DX*1)
	PREFETCHT0 64(AX)(DX*1)
	ADDQ $2, BX
	DECQ CX
	JNE next
done:
	RET

// func prefetchBytes(at unsafe.Pointer, bytes int)
TEXT ·prefetchBytes(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ bytes+8(FP), CX
line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	SUBQ $64, CX
	JG line
	RET

// func prefetchOwned(at unsafe.Pointer, bytes int)
TEXT ·prefetchOwned(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ bytes+8(FP), CX
line:
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX)
	ADDQ $64, AX
	SUBQ $64, CX
	JG line
	RET

// func prefetchLines(a, b, c unsafe.Pointer)
TEXT ·prefetchLines(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	MOVQ b+8(FP), BX
	MOVQ c+16(FP), CX
	PREFETCHT0 (AX)
	PREFETCHT0 (BX)
	PREFETCHT0 (CX)
	RET
