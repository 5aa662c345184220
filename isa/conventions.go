package isa

// # Operand conventions
//
// isa/decode writes instructions in this form; isa/lower and isa/exec rely on it.
//
// Types. Instruction.Type is the type in the mnemonic. Operand.Type is the type of one operand, and for a register operand it always has
// the width of the register:
//   - `ld.s8 %r1` has Type S8 and Dst[0].Type S32: the value is sign-extended to 32 bits.
//   - `cvt.u32.u16 %r1, %r2` has From U16 and Src[0].Type U32: the low 16 bits are read.
//   - `st.u8 [a], %r1` has Src[0].Type U32.
//
// So Operand.Type.Registers() is the operand's register count, and Type or From is the type to compute with. Values of 8 and 16 bits are in
// the low bits of a 32-bit register. Readers take only the bits of the instruction's type; the upper bits are unspecified. Immediates hold
// the bits of their Operand.Type, zero-extended to 64 (f32: the 32 bits of the float).
//
// Guard. In lanes where the guard is false, a guarded instruction leaves its destinations unchanged.
//
// Destinations may be OperandSink: the value is dropped.
//
// Opcodes. OpcodeFacts.Operands (opcodes.go) describes each opcode's operands. Operands of Type Pred are OperandPredicate. Only cvt and mov
// have OperandSpecial sources.
//
// Addresses. The address is Memory.Base + Memory.Offset. Base is a register (Type U32 or U64, by its own width), an OperandSymbol (global
// memory), an OperandImmediate, or none (parameters). An immediate is an offset in the block's shared memory, in bank ConstantBankUser or
// in the thread's frame, or an address written as a number.
