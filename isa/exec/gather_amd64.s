#include "textflag.h"

// Lane by lane, since gathers of the host take longer where its microcode guards them.

#define LOAD(N) \
	MOVQ (8*N)(DX), AX \
	MOVL (SI)(AX*1), BX \
	MOVL BX, (4*N)(DI)

#define STORE(N) \
	MOVQ (8*N)(DX), AX \
	MOVL (4*N)(DI), BX \
	MOVL BX, (SI)(AX*1)

#define EIGHT(OP, N) \
	OP(N) \
	OP((N+1)) \
	OP((N+2)) \
	OP((N+3)) \
	OP((N+4)) \
	OP((N+5)) \
	OP((N+6)) \
	OP((N+7))

TEXT ·gather(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	MOVQ memory_base+8(FP), SI
	MOVQ at+32(FP), DX
	SUBQ origin+40(FP), SI
	EIGHT(LOAD, 0)
	EIGHT(LOAD, 8)
	EIGHT(LOAD, 16)
	EIGHT(LOAD, 24)
	RET

TEXT ·scatter(SB), NOSPLIT, $0-48
	MOVQ s+0(FP), DI
	MOVQ memory_base+8(FP), SI
	MOVQ at+32(FP), DX
	SUBQ origin+40(FP), SI
	EIGHT(STORE, 0)
	EIGHT(STORE, 8)
	EIGHT(STORE, 16)
	EIGHT(STORE, 24)
	RET

TEXT ·spread(SB), NOSPLIT, $0-12
	MOVQ d+0(FP), DI
	MOVSS word+8(FP), X0
	SHUFPS $0, X0, X0
	MOVUPS X0, (DI)
	MOVUPS X0, 16(DI)
	MOVUPS X0, 32(DI)
	MOVUPS X0, 48(DI)
	MOVUPS X0, 64(DI)
	MOVUPS X0, 80(DI)
	MOVUPS X0, 96(DI)
	MOVUPS X0, 112(DI)
	RET
