#include "textflag.h"

// Eight lanes at a time with AVX2 and FMA. The constants are broadcast once a call.
//
// Y12 zero, Y13 the exponent mask (also +infinity), Y14 the sign bit, Y15 the canonical NaN; Y11 the smallest normal value.

#define BROADCAST(value, X, Y) \
	MOVL $value, R8 \
	VMOVD R8, X \
	VPBROADCASTD X, Y

// CANONICAL replaces the NaN lanes of R by the canonical NaN.
#define CANONICAL(R, T) \
	VCMPPS $3, R, R, T \
	VBLENDVPS T, Y15, R, R

// FLUSH replaces the subnormal lanes of R by zeros of their sign.
#define FLUSH(R, T, U) \
	VPAND Y13, R, T \
	VPCMPEQD Y12, T, T \
	VPAND Y14, R, U \
	VBLENDVPS T, U, R, R

#define CONSTANTS \
	BROADCAST(0x7fffffff, X15, Y15) \
	BROADCAST(0x80000000, X14, Y14) \
	BROADCAST(0x7f800000, X13, Y13) \
	BROADCAST(0x00800000, X11, Y11) \
	VPXOR Y12, Y12, Y12

// LEAST shifts into AX the mask of the lanes of R whose magnitude is the smallest normal value.
#define LEAST(R, T, SHIFT) \
	VPAND Y15, R, T \
	VPCMPEQD Y11, T, T \
	VMOVMSKPS T, R9 \
	SHLL $SHIFT, R9 \
	ORL R9, AX

#define BINARY(OP, OFFSET, A) \
	VMOVUPS OFFSET(SI), A \
	OP OFFSET(BX), A, A \
	CANONICAL(A, Y8) \
	VMOVUPS A, OFFSET(DI)

#define BINARYFLUSH(OP, OFFSET, SHIFT, A) \
	VMOVUPS OFFSET(SI), A \
	VMOVUPS OFFSET(BX), Y9 \
	FLUSH(A, Y8, Y10) \
	FLUSH(Y9, Y8, Y10) \
	OP Y9, A, A \
	CANONICAL(A, Y8) \
	LEAST(A, Y8, SHIFT) \
	FLUSH(A, Y8, Y10) \
	VMOVUPS A, OFFSET(DI)

#define LOADBINARY \
	MOVQ d+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), BX

#define ALLBINARY(OP) \
	LOADBINARY \
	BROADCAST(0x7fffffff, X15, Y15) \
	BINARY(OP, 0, Y0) \
	BINARY(OP, 32, Y1) \
	BINARY(OP, 64, Y2) \
	BINARY(OP, 96, Y3) \
	VZEROUPPER \
	RET

#define ALLBINARYFLUSH(OP) \
	LOADBINARY \
	XORL AX, AX \
	CONSTANTS \
	BINARYFLUSH(OP, 0, 0, Y0) \
	BINARYFLUSH(OP, 32, 8, Y1) \
	BINARYFLUSH(OP, 64, 16, Y2) \
	BINARYFLUSH(OP, 96, 24, Y3) \
	VZEROUPPER \
	MOVL AX, least+24(FP) \
	RET

// func vectorAdd(d, a, b *Lanes32)
TEXT ·vectorAdd(SB), NOSPLIT, $0-24
	ALLBINARY(VADDPS)

// func vectorSub(d, a, b *Lanes32)
TEXT ·vectorSub(SB), NOSPLIT, $0-24
	ALLBINARY(VSUBPS)

// func vectorMul(d, a, b *Lanes32)
TEXT ·vectorMul(SB), NOSPLIT, $0-24
	ALLBINARY(VMULPS)

// func vectorAddFlush(d, a, b *Lanes32) (least uint32)
TEXT ·vectorAddFlush(SB), NOSPLIT, $0-28
	ALLBINARYFLUSH(VADDPS)

// func vectorSubFlush(d, a, b *Lanes32) (least uint32)
TEXT ·vectorSubFlush(SB), NOSPLIT, $0-28
	ALLBINARYFLUSH(VSUBPS)

// func vectorMulFlush(d, a, b *Lanes32) (least uint32)
TEXT ·vectorMulFlush(SB), NOSPLIT, $0-28
	ALLBINARYFLUSH(VMULPS)

#define FUSED(OFFSET, A, B) \
	VMOVUPS OFFSET(SI), A \
	VMOVUPS OFFSET(BX), B \
	VFMADD213PS OFFSET(CX), B, A \
	CANONICAL(A, Y8) \
	VMOVUPS A, OFFSET(DI)

// func vectorFMA(d, a, b, c *Lanes32)
TEXT ·vectorFMA(SB), NOSPLIT, $0-32
	LOADBINARY
	MOVQ c+24(FP), CX
	BROADCAST(0x7fffffff, X15, Y15)
	FUSED(0, Y0, Y4)
	FUSED(32, Y1, Y5)
	FUSED(64, Y2, Y6)
	FUSED(96, Y3, Y7)
	VZEROUPPER
	RET

#define FUSEDFLUSH(OFFSET, SHIFT, A, B) \
	VMOVUPS OFFSET(SI), A \
	VMOVUPS OFFSET(BX), B \
	VMOVUPS OFFSET(CX), Y9 \
	FLUSH(A, Y8, Y10) \
	FLUSH(B, Y8, Y10) \
	FLUSH(Y9, Y8, Y10) \
	VFMADD213PS Y9, B, A \
	CANONICAL(A, Y8) \
	LEAST(A, Y8, SHIFT) \
	FLUSH(A, Y8, Y10) \
	VMOVUPS A, OFFSET(DI)

// func vectorFMAFlush(d, a, b, c *Lanes32) (least uint32)
TEXT ·vectorFMAFlush(SB), NOSPLIT, $0-36
	LOADBINARY
	MOVQ c+24(FP), CX
	XORL AX, AX
	CONSTANTS
	FUSEDFLUSH(0, 0, Y0, Y4)
	FUSEDFLUSH(32, 8, Y1, Y5)
	FUSEDFLUSH(64, 16, Y2, Y6)
	FUSEDFLUSH(96, 24, Y3, Y7)
	VZEROUPPER
	MOVL AX, least+32(FP)
	RET
