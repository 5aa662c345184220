package isa

// # Operand conventions by opcode
//
// isa/decode writes instructions in this form; isa/lower and isa/exec read them so.
//
// Types. Instruction.Type is the type in the mnemonic; Operand.Type is the type at that place. A register operand's Type
// always has the width of the register: `ld.s8 %r1` has Type S8 and Dst[0].Type S32 (the value is sign-extended to 32
// bits), `cvt.u32.u16 %r1, %r2` has From U16 and Src[0].Type U32 (the low 16 bits are read), `st.u8 [a], %r1` has
// Src[0].Type U32. So Operand.Type.Registers() is the operand's register count, and Type or From what is computed on. Registers of 8 and 16
// bits lie in the low bits of a 32-bit one; readers take only the bits of the instruction's type, upper bits are unspecified.
// Immediates hold the bits of their Operand.Type, zero-extended to 64 (f32: the 32 bits of the float).
//
// Guard. A guarded instruction leaves its destinations as they are in lanes where the guard does not hold.
//
// Destinations may be OperandSink: the value is dropped.
//
//	abs neg not cnot rcp sqrt …  Dst d; Src a
//	add sub mul min max and …    Dst d; Src a, b. and/or/xor/not/mov of Type Pred have OperandPredicate operands
//	add.cc sub.cc mad.cc         Mod.CarryOut writes the carry flag
//	addc subc madc               opcodes OpAddc, OpSubc, OpMadc read the carry flag; Mod.CarryOut writes it as well. The flag is
//	                             the adder's carry: a+b+CC, and a+^b+CC for subc (sub.cc leaves NOT borrow)
//	mul mad                      Mod.Half. Wide: Type is the source type, Dst[0].Type (and mad's Src[2].Type) twice as wide
//	mul24 mad24                  Mod.Half Lo or Hi
//	fma mad (floats)             Dst d; Src a, b, c. mad.rn.f32 and mad.f64 are fused; all are decoded as OpFma, PTX 1.x's mad.f32 too
//	add sub mul fma (floats)     Mod.Rounding is always set: RoundNearest when the text gives none
//	sad                          Src a, b, c
//	div                          floats: Mod.Rounding, or Mod.Approx, or Mod.Full
//	rcp sqrt                     Mod.Rounding or Mod.Approx; rsqrt sin cos lg2 ex2: Mod.Approx. f64 approx forms too
//	shl shr                      Src a, b; b is U32 whatever the Type; bits past the width are clamped
//	shf                          Src a, b, c; Mod.Select ShiftLeft or ShiftRight, Mod.ShiftMode
//	bfe                          Src a, b (U32 position), c (U32 length)
//	bfi                          Src a, b, c, d: insert a into b at c, length d
//	bfind popc clz               Dst[0].Type U32; Mod.ShiftAmt
//	prmt                         Src a, b, c; Mod.Select SubNone (default) or Prmt…
//	lop3                         Src a, b, c, look-up table as an immediate
//	dp4a dp2a                    Type type of a, From type of b; Src a, b, c; dp2a: Mod.Half Lo or Hi
//	setp                         Dst p[, q]; Src a, b[, c predicate with Negate]; Type compared type; Mod.Compare, Mod.Bool.
//	                             p = (a cmp b) bool c, q = !(a cmp b) bool c
//	set                          Type destination type (U32, S32 all ones; F32 1.0), From compared type; Src a, b[, c predicate]
//	selp                         Src a, b, c predicate
//	slct                         Type; From type of c (S32 or F32); Src a, b, c
//	testp                        Dst p; Src a; Mod.Select Test…
//	copysign                     Src a (sign), b (magnitude)
//	cvt                          Type destination, From source; Mod.Rounding, Saturate, Flush
//	cvta                         Src a; Memory.Space the space (Memory.Base is none), Mod.To for cvta.to; Type U32 or U64
//	isspacep                     Dst p; Src address; Memory.Space
//	mov                          Dst d; Src a. Pack: len(Src) > 1, low part first. Unpack: len(Dst) > 1. `mov.v2` becomes one
//	                             move an element. a may be OperandSpecial, OperandSymbol (global), OperandFunction, OperandImmediate
//	cvt, mov                     the only opcodes with OperandSpecial sources
//	ld ldu                       Dst one a component; Memory. Kernel parameters: SpaceParam, Base none or register, Offset from the first
//	                             parameter. ldu decodes as OpLd with Memory.Uniform
//	st                           Src one a component; Memory
//	atom red                     Dst[0] for atom; Src b[, c]: cas has b comparand, c new value. Mod.Select Atomic…; Memory
//	prefetch prefetchu           Memory; Cache CacheAll for .L1, CacheGlobal for .L2
//	membar fence                 Memory with Scope and Order alone. membar is Order SeqCst
//	shfl                         Dst d[, p]; Src a, b, c[, member mask]; Mod.Select Shfl…. p: the source lane was in range
//	vote                         Dst[0] predicate, or B32 for ballot; Src[0] predicate[, member mask]; Mod.Select Vote…
//	match                        Dst d[, p]; Src a, member mask; Mod.Select MatchAny, MatchAll
//	redux                        Dst d; Src a, member mask; Mod.Select Atomic…
//	activemask                   Dst d
//	fns                          Dst d; Src mask, base, offset
//	bmsk szext                   Src a, b; Mod.ShiftMode
//	bar barrier                  both decode as OpBar. Mod.Select BarSync, BarArrive, BarRed: Src[0] barrier number[, Src[1] thread count][, last:
//	                             predicate of red]; red: Mod.Bool BoolAnd, BoolOr with Dst predicate, BoolPopc with Dst U32
//	bar.warp.sync                OpBar, Mod.Select BarWarp, Src[0] member mask
//	bra                          Targets[0]; Mod.Uniform
//	brx                          Src[0] index, Targets the table
//	call                         Call. Scalar arguments are Src, scalar results Dst (see CallArgument). After lowering a device function
//	                             begins with a call without callee, whose Dst are the parameters in registers
//	ret exit trap brkpt          nothing
//	nanosleep                    Src[0] nanoseconds
//	pmevent                      Src[0] an immediate mask of event bits
//	video (vadd … vset)          Dst[0] with Selector; Src a, b with Selector[, c]; Mod.SIMDTypes types of d, a, b. Mod.Select AtomicAdd,
//	                             AtomicMin, AtomicMax: the second operation with c. With c and SubNone: the result is merged into c at
//	                             Dst[0].Selector. vshl, vshr: Mod.ShiftMode. vset: Mod.Compare
//	vmad                         Src a, b, c with Selector and Negate; Mod.PostOp, Mod.Scale, Mod.Saturate
//	video (vadd2 … vset4)        Src a, b with Permute, c; Mod.SelectMask; Mod.Select AtomicAdd accumulates into c
//	tex tld4 suld …              Memory.Texture; Dst one a component; sust, sured: Src the values
//
// Addresses. Memory.Base is a register, an OperandSymbol (global memory), an OperandImmediate (shared: offset in the block's
// shared memory; const: offset in bank ConstantBankUser; local: offset in the thread's frame; or an address written as a number) or
// none (parameters); the address is Base + Offset. A register base has Type U32 or U64 by its own width.
