package isa

// # Operand conventions
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
// Opcodes. What each opcode's operands are says OpcodeFacts.Operands (opcodes.go). Operands of Type Pred are OperandPredicate. Only cvt and
// mov have OperandSpecial sources.
//
// Addresses. Memory.Base is a register, an OperandSymbol (global memory), an OperandImmediate (shared: offset in the block's
// shared memory; const: offset in bank ConstantBankUser; local: offset in the thread's frame; or an address written as a number) or
// none (parameters); the address is Base + Offset. A register base has Type U32 or U64 by its own width.
