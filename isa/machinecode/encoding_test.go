package machinecode

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
)

// encodings are instructions as people write them, and the bytes that LLVM's assembler (llvm-mc 19, prefixes of three bytes
// asked for) makes of them.
var encodings = []struct {
	text  string
	emit  func(a *Assembler)
	bytes string
}{
	{"mov eax, dword ptr [rdi + 0x12345678]", func(a *Assembler) { a.Load(AX, At(DI, 0x12345678)) }, "8b8778563412"},
	{"mov r10d, dword ptr [r8 + 0x1234567]", func(a *Assembler) { a.Load(R10, At(R8, 0x1234567)) }, "458b9067452301"},
	{"mov r12, qword ptr [r12 + 0x1234567]", func(a *Assembler) { a.Load64(R12, At(R12, 0x1234567)) }, "4d8ba42467452301"},
	{"mov r15, qword ptr [r13 + 8*r9 - 0x1234567]", func(a *Assembler) { a.Load64(R15, Indexed(R13, R9, 8, -0x1234567)) },
		"4f8bbccd99badcfe"},
	{"mov dword ptr [rbx + 4*rcx + 0x1234567], r10d", func(a *Assembler) { a.Store(Indexed(BX, CX, 4, 0x1234567), R10) },
		"4489948b67452301"},
	{"mov byte ptr [rax + 0x1234567], r10b", func(a *Assembler) { a.Store8(At(AX, 0x1234567), R10) }, "44889067452301"},
	{"mov word ptr [rax + 0x1234567], r10w", func(a *Assembler) { a.Store16(At(AX, 0x1234567), R10) }, "6644899067452301"},
	{"mov qword ptr [rdi + 0x1234567], r13", func(a *Assembler) { a.Store64(At(DI, 0x1234567), R13) }, "4c89af67452301"},
	{"mov dword ptr [rdi + 0x1234567], 0x89abcdef", func(a *Assembler) { a.StoreImmediate(At(DI, 0x1234567), 0x89abcdef) },
		"c78767452301efcdab89"},
	{"mov edx, r12d", func(a *Assembler) { a.Move(DX, R12) }, "4489e2"},
	{"mov r10d, 0x12345678", func(a *Assembler) { a.MoveImmediate(R10, 0x12345678) }, "41ba78563412"},
	{"movabs rax, 0x123456789abcdef0", func(a *Assembler) { a.MoveImmediate64(AX, 0x123456789abcdef0) }, "48b8f0debc9a78563412"},
	{"lea rax, [r15 + rax + 0x1234567]", func(a *Assembler) { a.Address(AX, Indexed(R15, AX, 1, 0x1234567)) }, "498d840767452301"},
	{"movsxd rax, eax", func(a *Assembler) { a.SignExtend(AX, AX) }, "4863c0"},
	{"and r10d, r12d", func(a *Assembler) { a.And(R10, R12) }, "4521e2"},
	{"or edx, ecx", func(a *Assembler) { a.Or(DX, CX) }, "09ca"},
	{"xor r15d, ecx", func(a *Assembler) { a.Xor(R15, CX) }, "4131cf"},
	{"not r10d", func(a *Assembler) { a.Not(R10) }, "41f7d2"},
	{"test r10d, r10d", func(a *Assembler) { a.Test(R10, R10) }, "4585d2"},
	{"test r13, r13", func(a *Assembler) { a.Test64(R13, R13) }, "4d85ed"},
	{"cmp r10d, r12d", func(a *Assembler) { a.Compare(R10, R12) }, "4539e2"},
	{"cmp dword ptr [rdi + 0x1234567], 0x12345678", func(a *Assembler) { a.CompareMemory(At(DI, 0x1234567), 0x12345678) },
		"81bf6745230178563412"},
	{"add dword ptr [rax + 0x1234567], r10d", func(a *Assembler) { a.AddTo(At(AX, 0x1234567), R10) }, "44019067452301"},
	{"add qword ptr [r9 + 0x1234567], r11", func(a *Assembler) { a.AddTo64(At(R9, 0x1234567), R11) }, "4d019967452301"},
	{"inc qword ptr [r9 + 0x1234567]", func(a *Assembler) { a.Increment64(At(R9, 0x1234567)) }, "49ff8167452301"},
	{"xadd dword ptr [rax + 0x1234567], r10d", func(a *Assembler) { a.ExchangeAdd(At(AX, 0x1234567), R10) }, "440fc19067452301"},
	{"add ecx, 0x1234567", func(a *Assembler) { a.AddImmediate(CX, 0x1234567) }, "81c167452301"},
	{"sub r13, 0x1234567", func(a *Assembler) { a.SubtractImmediate64(R13, 0x1234567) }, "4981ed67452301"},
	{"sub r10, qword ptr [rcx + 0x1234567]", func(a *Assembler) { a.SubtractMemory64(R10, At(CX, 0x1234567)) }, "4c2b9167452301"},
	{"shl edx, 8", func(a *Assembler) { a.ShiftLeft(DX, 8) }, "c1e208"},
	{"shr r10, 32", func(a *Assembler) { a.ShiftRight64(R10, 32) }, "49c1ea20"},
	{"popcnt eax, r10d", func(a *Assembler) { a.Population(AX, R10) }, "f3410fb8c2"},
	{"tzcnt ecx, edx", func(a *Assembler) { a.TrailingZeros(CX, DX) }, "f30fbcca"},
	{"blsr edx, edx", func(a *Assembler) { a.ClearLowest(DX, DX) }, "c4e268f3ca"},
	{"blsr r9d, r10d", func(a *Assembler) { a.ClearLowest(R9, R10) }, "c4c230f3ca"},
	{"jmp qword ptr [rdi + 0x1234567]", func(a *Assembler) { a.JumpMemory(At(DI, 0x1234567)) }, "ffa767452301"},
	{"ret", func(a *Assembler) { a.Return() }, "c3"},
	{"vpaddd ymm1, ymm12, ymm9", func(a *Assembler) { a.V(PADDD, 1, 12, 9) }, "c4c11dfec9"},
	{"vpsubd ymm9, ymm2, ymmword ptr [rsi + 0x1234567]", func(a *Assembler) { a.VM(PSUBD, 9, 2, At(SI, 0x1234567)) }, "c4616dfa8e67452301"},
	{"vpmulld ymm9, ymm2, ymm3", func(a *Assembler) { a.V(PMULLD, 9, 2, 3) }, "c4626d40cb"},
	{"vpmuludq ymm1, ymm2, ymm13", func(a *Assembler) { a.V(PMULUDQ, 1, 2, 13) }, "c4c16df4cd"},
	{"vpmuldq ymm1, ymm2, ymm3", func(a *Assembler) { a.V(PMULDQ, 1, 2, 3) }, "c4e26d28cb"},
	{"vpmaxud ymm1, ymm2, ymm3", func(a *Assembler) { a.V(PMAXUD, 1, 2, 3) }, "c4e26d3fcb"},
	{"vpminsd ymm1, ymm2, ymm3", func(a *Assembler) { a.V(PMINSD, 1, 2, 3) }, "c4e26d39cb"},
	{"vpminud ymm1, ymm2, ymm3", func(a *Assembler) { a.V(PMINUD, 1, 2, 3) }, "c4e26d3bcb"},
	{"vpmaxsd ymm1, ymm2, ymm3", func(a *Assembler) { a.V(PMAXSD, 1, 2, 3) }, "c4e26d3dcb"},
	{"vpsllvd ymm1, ymm2, ymm3", func(a *Assembler) { a.V(PSLLVD, 1, 2, 3) }, "c4e26d47cb"},
	{"vpsrlvd ymm1, ymm2, ymm3", func(a *Assembler) { a.V(PSRLVD, 1, 2, 3) }, "c4e26d45cb"},
	{"vpsravd ymm1, ymm2, ymm3", func(a *Assembler) { a.V(PSRAVD, 1, 2, 3) }, "c4e26d46cb"},
	{"vpcmpeqd ymm1, ymm2, ymm11", func(a *Assembler) { a.V(PCMPEQD, 1, 2, 11) }, "c4c16d76cb"},
	{"vpcmpgtd ymm1, ymm2, ymm11", func(a *Assembler) { a.V(PCMPGTD, 1, 2, 11) }, "c4c16d66cb"},
	{"vpunpckldq ymm1, ymm2, ymm11", func(a *Assembler) { a.V(PUNPCKLD, 1, 2, 11) }, "c4c16d62cb"},
	{"vpunpckhdq ymm1, ymm2, ymm11", func(a *Assembler) { a.V(PUNPCKHD, 1, 2, 11) }, "c4c16d6acb"},
	{"vpand ymm1, ymm2, ymm11", func(a *Assembler) { a.V(PAND, 1, 2, 11) }, "c4c16ddbcb"},
	{"vpor ymm1, ymm2, ymm11", func(a *Assembler) { a.V(POR, 1, 2, 11) }, "c4c16debcb"},
	{"vpxor ymm1, ymm2, ymm11", func(a *Assembler) { a.V(PXOR, 1, 2, 11) }, "c4c16defcb"},
	{"vpabsd ymm1, ymm3", func(a *Assembler) { a.U(PABSD, 1, 3) }, "c4e27d1ecb"},
	{"vaddps ymm1, ymm2, ymm11", func(a *Assembler) { a.V(ADDPS, 1, 2, 11) }, "c4c16c58cb"},
	{"vsubps ymm1, ymm2, ymm11", func(a *Assembler) { a.V(SUBPS, 1, 2, 11) }, "c4c16c5ccb"},
	{"vmulps ymm1, ymm2, ymm11", func(a *Assembler) { a.V(MULPS, 1, 2, 11) }, "c4c16c59cb"},
	{"vdivps ymm1, ymm2, ymm11", func(a *Assembler) { a.V(DIVPS, 1, 2, 11) }, "c4c16c5ecb"},
	{"vaddpd ymm1, ymm2, ymm11", func(a *Assembler) { a.V(ADDPD, 1, 2, 11) }, "c4c16d58cb"},
	{"vsubpd ymm1, ymm2, ymm11", func(a *Assembler) { a.V(SUBPD, 1, 2, 11) }, "c4c16d5ccb"},
	{"vmulpd ymm1, ymm2, ymm11", func(a *Assembler) { a.V(MULPD, 1, 2, 11) }, "c4c16d59cb"},
	{"vfmadd213ps ymm1, ymm2, ymm3", func(a *Assembler) { a.V(FMADDPS, 1, 2, 3) }, "c4e26da8cb"},
	{"vfmadd213pd ymm1, ymm2, ymm3", func(a *Assembler) { a.V(FMADDPD, 1, 2, 3) }, "c4e2eda8cb"},
	{"vsqrtps ymm1, ymm11", func(a *Assembler) { a.U(SQRTPS, 1, 11) }, "c4c17c51cb"},
	{"vcvtdq2ps ymm1, ymm11", func(a *Assembler) { a.U(CVTDQ2PS, 1, 11) }, "c4c17c5bcb"},
	{"vcvttps2dq ymm1, ymm11", func(a *Assembler) { a.U(CVTTPS, 1, 11) }, "c4c17e5bcb"},
	{"vmovdqu ymm9, ymmword ptr [r8 + 0x1234567]", func(a *Assembler) { a.Get(9, At(R8, 0x1234567)) }, "c4417e6f8867452301"},
	{"vmovdqu ymmword ptr [r8 + 0x1234567], ymm9", func(a *Assembler) { a.Put(At(R8, 0x1234567), 9) }, "c4417e7f8867452301"},
	{"vmovdqu ymm1, ymm9", func(a *Assembler) { a.Copy(1, 9) }, "c4c17e6fc9"},
	{"vpbroadcastd ymm9, dword ptr [r8 + 0x1234567]", func(a *Assembler) { a.Spread(9, At(R8, 0x1234567)) }, "c4427d588867452301"},
	{"vpbroadcastd ymm6, xmm9", func(a *Assembler) { a.SpreadLowest(6, 9) }, "c4c27d58f1"},
	{"vmovd xmm9, r10d; vpbroadcastd ymm9, xmm9", func(a *Assembler) { a.SpreadGeneral(9, R10) }, "c441796ecac4427d58c9"},
	{"vmovd r10d, xmm9", func(a *Assembler) { a.FromVector(R10, 9) }, "c441797eca"},
	{"vptest ymm4, ymm9", func(a *Assembler) { a.TestVector(4, 9) }, "c4c27d17e1"},
	{"vmovmskps r10d, ymm9", func(a *Assembler) { a.Mask(R10, 9) }, "c4417c50d1"},
	{"vmovmskpd ecx, ymm9", func(a *Assembler) { a.MaskWide(CX, 9) }, "c4c17d50c9"},
	{"vcmpps ymm1, ymm2, ymm9, 0x1e", func(a *Assembler) { a.Compare32(1, 2, 9, 0x1e) }, "c4c16cc2c91e"},
	{"vcmppd ymm1, ymm2, ymm9, 3", func(a *Assembler) { a.Compare64(1, 2, 9, 3) }, "c4c16dc2c903"},
	{"vroundps ymm1, ymm9, 11", func(a *Assembler) { a.RoundWords(1, 9, 3) }, "c4c37d08c90b"},
	{"vpblendd ymm1, ymm2, ymm9, 0xaa", func(a *Assembler) { a.BlendWords(1, 2, 9, 0xaa) }, "c4c36d02c9aa"},
	{"vblendvps ymm1, ymm2, ymm9, ymm12", func(a *Assembler) { a.Blend(1, 2, 9, 12) }, "c4c36d4ac9c0"},
	{"vblendvps ymm1, ymm2, ymmword ptr [rsi + 0x1234567], ymm12", func(a *Assembler) { a.BlendMemory(1, 2, At(SI, 0x1234567), 12) },
		"c4e36d4a8e67452301c0"},
	{"vshufps ymm1, ymm2, ymm9, 0x88", func(a *Assembler) { a.Shuffle(1, 2, 9, 0x88) }, "c4c16cc6c988"},
	{"vpslld ymm1, ymm9, 5", func(a *Assembler) { a.LeftWords(1, 9, 5) }, "c4c17572f105"},
	{"vpsrld ymm9, ymm1, 5", func(a *Assembler) { a.RightWords(9, 1, 5) }, "c4e13572d105"},
	{"vpsrad ymm1, ymm9, 5", func(a *Assembler) { a.SignWords(1, 9, 5) }, "c4c17572e105"},
	{"vpsllq ymm1, ymm9, 32", func(a *Assembler) { a.Left64(1, 9, 32) }, "c4c17573f120"},
	{"vpsrlq ymm1, ymm9, 32", func(a *Assembler) { a.Right64(1, 9, 32) }, "c4c17573d120"},
	{"vpgatherdd ymm6, ymmword ptr [r15 + ymm11 + 0x1234567], ymm5", func(a *Assembler) { a.Gather(6, R15, 11, 0x1234567, 5) },
		"c4825590b41f67452301"},
	{"vpmaskmovd ymm6, ymm12, ymmword ptr [r15 + rax + 0x1234567]",
		func(a *Assembler) { a.GetMasked(6, 12, Indexed(R15, AX, 1, 0x1234567)) },
		"c4c21d8cb40767452301"},
	{"vpmaskmovd ymmword ptr [r15 + rax + 0x1234567], ymm12, ymm6",
		func(a *Assembler) { a.PutMasked(Indexed(R15, AX, 1, 0x1234567), 12, 6) },
		"c4c21d8eb40767452301"},
}

func TestEncodings(t *testing.T) {
	for _, e := range encodings {
		var a Assembler
		e.emit(&a)
		assert.Equal(t, e.bytes, hex.EncodeToString(a.code), e.text)
	}
}
