#include "textflag.h"

// f64, four lanes at a time: sums and products as the host has them, and the mask of the lanes that came out as NaN, whose payload the caller sorts
// out. Comparisons, which return masks.

#define NANS(R, T, SHIFT) \
	VCMPPD $3, R, R, T \
	VMOVMSKPD T, R9 \
	SHLL $SHIFT, R9 \
	ORL R9, AX

#define BINARY64(OP, OFFSET, SHIFT, A, T) \
	VMOVUPD OFFSET(SI), A \
	OP OFFSET(BX), A, A \
	NANS(A, T, SHIFT) \
	VMOVUPD A, OFFSET(DI)

#define ALLBINARY64(OP) \
	MOVQ d+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), BX \
	XORL AX, AX \
	BINARY64(OP, 0, 0, Y0, Y8) \
	BINARY64(OP, 32, 4, Y1, Y9) \
	BINARY64(OP, 64, 8, Y2, Y10) \
	BINARY64(OP, 96, 12, Y3, Y11) \
	BINARY64(OP, 128, 16, Y4, Y12) \
	BINARY64(OP, 160, 20, Y5, Y13) \
	BINARY64(OP, 192, 24, Y6, Y14) \
	BINARY64(OP, 224, 28, Y7, Y15) \
	VZEROUPPER \
	MOVL AX, nans+24(FP) \
	RET

// The quiet ordered predicates of VCMPPS: 0x11 less, 0x00 equal, 0x1e greater.

#define COMPARED(CMP, MASK, A, B, SHIFT) \
	CMP $0x11, B, A, Y8 \
	MASK Y8, R9 \
	SHLL $SHIFT, R9 \
	ORL R9, AX \
	CMP $0x00, B, A, Y9 \
	MASK Y9, R10 \
	SHLL $SHIFT, R10 \
	ORL R10, DX \
	CMP $0x1e, B, A, Y10 \
	MASK Y10, R11 \
	SHLL $SHIFT, R11 \
	ORL R11, DI

#define COMPARE(LOAD, CMP, MASK, OFFSET, SHIFT) \
	LOAD OFFSET(SI), Y0 \
	LOAD OFFSET(BX), Y1 \
	COMPARED(CMP, MASK, Y0, Y1, SHIFT)

#define BEGINCOMPARE \
	MOVQ a+0(FP), SI \
	MOVQ b+8(FP), BX \
	XORL AX, AX \
	XORL DX, DX \
	XORL DI, DI

#define ENDCOMPARE \
	VZEROUPPER \
	MOVL AX, below+16(FP) \
	MOVL DX, same+20(FP) \
	MOVL DI, above+24(FP) \
	RET

// func vectorAdd64(d, a, b *Lanes64) (nans uint32)
TEXT ·vectorAdd64(SB), NOSPLIT, $0-28
	ALLBINARY64(VADDPD)

// func vectorSub64(d, a, b *Lanes64) (nans uint32)
TEXT ·vectorSub64(SB), NOSPLIT, $0-28
	ALLBINARY64(VSUBPD)

// func vectorMul64(d, a, b *Lanes64) (nans uint32)
TEXT ·vectorMul64(SB), NOSPLIT, $0-28
	ALLBINARY64(VMULPD)

#define FUSED64(OFFSET, SHIFT, A, B, T) \
	VMOVUPD OFFSET(SI), A \
	VMOVUPD OFFSET(BX), B \
	VFMADD213PD OFFSET(CX), B, A \
	NANS(A, T, SHIFT) \
	VMOVUPD A, OFFSET(DI)

// func vectorFMA64(d, a, b, c *Lanes64) (nans uint32)
TEXT ·vectorFMA64(SB), NOSPLIT, $0-36
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ c+24(FP), CX
	XORL AX, AX
	FUSED64(0, 0, Y0, Y4, Y8)
	FUSED64(32, 4, Y1, Y5, Y9)
	FUSED64(64, 8, Y2, Y6, Y10)
	FUSED64(96, 12, Y3, Y7, Y11)
	FUSED64(128, 16, Y0, Y4, Y8)
	FUSED64(160, 20, Y1, Y5, Y9)
	FUSED64(192, 24, Y2, Y6, Y10)
	FUSED64(224, 28, Y3, Y7, Y11)
	VZEROUPPER
	MOVL AX, nans+32(FP)
	RET

// func vectorCompare32(a, b *Lanes32) (below, same, above uint32)
TEXT ·vectorCompare32(SB), NOSPLIT, $0-28
	BEGINCOMPARE
	COMPARE(VMOVUPS, VCMPPS, VMOVMSKPS, 0, 0)
	COMPARE(VMOVUPS, VCMPPS, VMOVMSKPS, 32, 8)
	COMPARE(VMOVUPS, VCMPPS, VMOVMSKPS, 64, 16)
	COMPARE(VMOVUPS, VCMPPS, VMOVMSKPS, 96, 24)
	ENDCOMPARE

// func vectorCompare64(a, b *Lanes64) (below, same, above uint32)
TEXT ·vectorCompare64(SB), NOSPLIT, $0-28
	BEGINCOMPARE
	COMPARE(VMOVUPD, VCMPPD, VMOVMSKPD, 0, 0)
	COMPARE(VMOVUPD, VCMPPD, VMOVMSKPD, 32, 4)
	COMPARE(VMOVUPD, VCMPPD, VMOVMSKPD, 64, 8)
	COMPARE(VMOVUPD, VCMPPD, VMOVMSKPD, 96, 12)
	COMPARE(VMOVUPD, VCMPPD, VMOVMSKPD, 128, 16)
	COMPARE(VMOVUPD, VCMPPD, VMOVMSKPD, 160, 20)
	COMPARE(VMOVUPD, VCMPPD, VMOVMSKPD, 192, 24)
	COMPARE(VMOVUPD, VCMPPD, VMOVMSKPD, 224, 28)
	ENDCOMPARE

#define CONVERT(OP, OFFSET, A) \
	VMOVUPS OFFSET(SI), A \
	OP A, A \
	VMOVUPS A, OFFSET(DI)

// func vectorFromS32(d, a *Lanes32)
TEXT ·vectorFromS32(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	CONVERT(VCVTDQ2PS, 0, Y0)
	CONVERT(VCVTDQ2PS, 32, Y1)
	CONVERT(VCVTDQ2PS, 64, Y2)
	CONVERT(VCVTDQ2PS, 96, Y3)
	VZEROUPPER
	RET

// TRUNCATE converts to integers and collects the lanes that the host could not convert, which it answers with the sign bit alone.
#define TRUNCATE(OFFSET, SHIFT, A, T) \
	VMOVUPS OFFSET(SI), A \
	VCVTTPS2DQ A, A \
	VPCMPEQD Y14, A, T \
	VMOVMSKPS T, R9 \
	SHLL $SHIFT, R9 \
	ORL R9, AX \
	VMOVUPS A, OFFSET(DI)

// func vectorToS32(d, a *Lanes32) (outside uint32)
TEXT ·vectorToS32(SB), NOSPLIT, $0-20
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	XORL AX, AX
	MOVL $0x80000000, R8
	VMOVD R8, X14
	VPBROADCASTD X14, Y14
	TRUNCATE(0, 0, Y0, Y8)
	TRUNCATE(32, 8, Y1, Y9)
	TRUNCATE(64, 16, Y2, Y10)
	TRUNCATE(96, 24, Y3, Y11)
	VZEROUPPER
	MOVL AX, outside+16(FP)
	RET
