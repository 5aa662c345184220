package translate_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/isa/sass"
	"github.com/keplersim/keplersim/isa/sass/translate"
)

// assemble makes a cubin of one kernel from the texts of its operations, one a line. Labels are not needed: targets are addresses.
func assemble(t *testing.T, text string) []byte {
	t.Helper()
	var code []byte
	word := func(w uint64) { code = binary.LittleEndian.AppendUint64(code, w) }
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for n, line := range lines {
		if n%sass.GroupOperations == 0 {
			var controls [sass.GroupOperations]sass.Control
			for k := range controls {
				controls[k] = sass.Wait(10)
			}
			word(sass.SM35.ControlWord(controls))
		}
		w, err := sass.SM35.Encode(strings.TrimSpace(line), uint64(sass.Address(n)))
		require.NoError(t, err)
		word(w)
	}
	return cubin.Write(&cubin.Module{Architecture: 35, Functions: []*cubin.Function{{Name: "k", Kernel: true, Code: code, Registers: 64,
		Base: isa.ParameterBase, Bytes: 16, Parameters: []cubin.Parameter{{Offset: 0, Bytes: 8}, {Offset: 8, Bytes: 8}}}}})
}

// machine translates the text of a kernel.
func machine(t *testing.T, text string) (*isa.MachineProgram, error) {
	t.Helper()
	m, err := cubin.Parse(assemble(t, text))
	require.NoError(t, err)
	p, err := translate.Program("k.cubin", []*cubin.Module{m})
	if err != nil {
		return nil, err
	}
	return p.Functions[0].Machine, p.Functions[0].Resolved()
}

// lanes runs operations without memory and control on a warp whose R2 to R9 hold the given values, and returns the warp.
func lanes(t *testing.T, mp *isa.MachineProgram, values *[8]isa.Lanes32) *exec.Warp {
	t.Helper()
	code, err := exec.Bind(mp)
	require.NoError(t, err)
	w := &exec.Warp{Registers: make([]isa.Lanes32, 64), Block: &exec.Block{Launch: code.Launch(make([]byte, 16))}}
	w.Predicates[isa.PT] = isa.FullMask
	w.Predicates[3] = 0x0f0f3355
	copy(w.Registers[2:], values[:])
	for n := range mp.Ops {
		if mp.Ops[n].Control == isa.ControlNone {
			code.Ops[n].Run(w, code.Ops[n].GuardMask(w, isa.FullMask))
		}
	}
	return w
}

// same are operations of machine code with the PTX that computes the same. d and q are results, a to d the sources R2, R4, R6 and R8.
// 64-bit values are the pairs that begin there.
var same = []struct{ machine, ptx string }{
	{"FADD R0, R2, R4", "add.rn.f32 %d, %a, %b;"},
	{"FADD.FTZ.RM.SAT R0, -R2, |R4|", "abs.f32 %t, %b; neg.f32 %u, %a; add.rm.ftz.sat.f32 %d, %u, %t;"},
	{"FADD R0, R2, -R4", "sub.rn.f32 %d, %a, %b;"},
	{"FADD32I R0, -|R2|, 1.5", "abs.f32 %t, %a; neg.f32 %t, %t; add.rn.f32 %d, %t, 0f3FC00000;"},
	{"FMUL.RZ R0, R2, R4", "mul.rz.f32 %d, %a, %b;"},
	{"FMUL R0, -R2, 0.5", "neg.f32 %t, %a; mul.rn.f32 %d, %t, 0f3F000000;"},
	{"FFMA R0, R2, R4, R6", "fma.rn.f32 %d, %a, %b, %c;"},
	{"FFMA.FTZ.RP R0, -R2, R4, -R6", "neg.f32 %t, %a; neg.f32 %u, %c; fma.rp.ftz.f32 %d, %t, %b, %u;"},
	{"FMNMX R0, R2, R4, PT", "min.f32 %d, %a, %b;"},
	{"FMNMX.FTZ R0, |R2|, -R4, !PT", "abs.f32 %t, %a; neg.f32 %u, %b; max.ftz.f32 %d, %t, %u;"},
	{"FSETP.LTU.AND P0, PT, R2, -|R4|, PT", "abs.f32 %t, %b; neg.f32 %t, %t; setp.ltu.f32 %q, %a, %t;"},
	{"FSETP.GE.OR P0, PT, R2, R4, P3", "setp.ge.or.f32 %q, %a, %b, %p;"},
	{"FSETP.NAN.XOR P0, PT, R2, R4, !P3", "not.pred %r, %p; setp.nan.xor.f32 %q, %a, %b, %r;"},
	{"FSET.BF.GT.AND R0, R2, R4, P3", "set.gt.and.f32.f32 %d, %a, %b, %p;"},
	{"FCMP.LT R0, R2, R4, R6", "setp.lt.f32 %r, %c, 0f00000000; selp.b32 %d, %a, %b, %r;"},
	{"DADD.RZ R0, R2, -R4", "sub.rz.f64 %dd, %aa, %bb;"},
	{"DMUL R0, -R2, R4", "neg.f64 %tt, %aa; mul.rn.f64 %dd, %tt, %bb;"},
	{"DFMA R0, R2, R4, R6", "fma.rn.f64 %dd, %aa, %bb, %cc;"},
	{"DMNMX R0, R2, |R4|, !PT", "abs.f64 %tt, %bb; max.f64 %dd, %aa, %tt;"},
	{"DSETP.NEU.AND P0, PT, |R2|, R4, PT", "abs.f64 %tt, %aa; setp.neu.f64 %q, %tt, %bb;"},
	{"IADD R0, R2, R4", "add.u32 %d, %a, %b;"},
	{"IADD R0, -R2, R4", "sub.u32 %d, %b, %a;"},
	{"ISUB R0, R2, R4", "sub.u32 %d, %a, %b;"},
	{"IADD.SAT R0, R2, R4", "add.sat.s32 %d, %a, %b;"},
	{"IADD32I R0, R2, -0x12345678", "add.s32 %d, %a, -305419896;"},
	{"IADD R0.CC, R2, R4\nIADD.X R1, R3, R5", "add.u64 %dd, %aa, %bb;"},
	{"ISUB R0.CC, R2, R4\nISUB.X R1, R3, R5", "sub.u64 %dd, %aa, %bb;"},
	{"ISCADD R0, R2, R4, 0x3", "shl.b32 %t, %a, 3; add.u32 %d, %t, %b;"},
	{"ISCADD R0, -R2, R4, 0x3", "shl.b32 %t, %a, 3; sub.u32 %d, %b, %t;"},
	{"ISCADD R0, R2, -R4, 0x3", "shl.b32 %t, %a, 3; sub.u32 %d, %t, %b;"},
	{"IMUL R0, R2, R4", "mul.lo.s32 %d, %a, %b;"},
	{"IMUL.U32.U32.HI R0, R2, R4", "mul.hi.u32 %d, %a, %b;"},
	{"IMUL.HI R0, R2, R4", "mul.hi.s32 %d, %a, %b;"},
	{"IMAD R0, R2, R4, R6", "mad.lo.s32 %d, %a, %b, %c;"},
	{"IMAD.HI.SAT R0, R2, R4, R6", "mad.hi.sat.s32 %d, %a, %b, %c;"},
	{"IMAD.U32.U32.HI R0, R2, R4, -R6", "mul.hi.u32 %t, %a, %b; sub.u32 %d, %t, %c;"},
	{"IMAD.U32.U32 R0.CC, R2, R4, R6\nIMAD.U32.U32.HI.X R1, R2, R4, R7", "mad.wide.u32 %dd, %a, %b, %cc;"},
	{"IMUL.U32.U32 R0.CC, R2, R4\nIMAD.U32.U32.HI.X R1, R2, R4, RZ", "mul.wide.u32 %dd, %a, %b;"},
	{"ISAD R0, R2, R4, R6", "sad.s32 %d, %a, %b, %c;"},
	{"IMNMX.U32 R0, R2, R4, PT", "min.u32 %d, %a, %b;"},
	{"IMNMX R0, R2, R4, !PT", "max.s32 %d, %a, %b;"},
	{"ISETP.LT.AND P0, PT, R2, R4, PT", "setp.lt.s32 %q, %a, %b;"},
	{"ISETP.GE.U32.OR P0, PT, R2, R4, !P3", "not.pred %r, %p; setp.ge.or.u32 %q, %a, %b, %r;"},
	{"ISUB RZ.CC, R2, R4\nISETP.LT.X.AND P0, PT, R3, R5, PT", "setp.lt.s64 %q, %aa, %bb;"},
	{"ISUB RZ.CC, R2, R4\nISETP.GE.U32.X.AND P0, PT, R3, R5, PT", "setp.ge.u64 %q, %aa, %bb;"},
	{"ISUB RZ.CC, R2, R4\nISETP.GT.X.AND P0, PT, R3, R5, PT", "setp.gt.s64 %q, %aa, %bb;"},
	{"ISUB RZ.CC, R2, R4\nISETP.LE.U32.X.AND P0, PT, R3, R5, PT", "setp.le.u64 %q, %aa, %bb;"},
	{"ISUB RZ.CC, R2, R4\nISETP.NE.X.AND P0, PT, R3, R5, PT", "setp.ne.s64 %q, %aa, %bb;"},
	{"ISUB RZ.CC, R2, R4\nISETP.EQ.X.AND P0, PT, R3, R5, PT", "setp.eq.s64 %q, %aa, %bb;"},
	{"ISET.LT.AND R0, R2, R4, PT", "set.lt.u32.s32 %d, %a, %b;"},
	{"ICMP.GE R0, R2, R4, R6", "slct.b32.s32 %d, %a, %b, %c;"},
	{"ICMP.EQ R0, R2, R4, R6", "setp.eq.s32 %r, %c, 0; selp.b32 %d, %a, %b, %r;"},
	{"LOP.AND R0, R2, ~R4", "not.b32 %t, %b; and.b32 %d, %a, %t;"},
	{"LOP.OR R0, ~R2, ~R4", "not.b32 %t, %b; not.b32 %u, %a; or.b32 %d, %u, %t;"},
	{"LOP.XOR R0, R2, R4", "xor.b32 %d, %a, %b;"},
	{"LOP.PASS_B R0, RZ, ~R4", "not.b32 %d, %b;"},
	{"LOP32I.AND R0, R2, 0xff00ff", "and.b32 %d, %a, 16711935;"},
	{"SHL R0, R2, R4", "shl.b32 %d, %a, %b;"},
	{"SHR R0, R2, 0x5", "shr.s32 %d, %a, 5;"},
	{"SHR.U32 R0, R2, R4", "shr.u32 %d, %a, %b;"},
	{"SHF.L.W R0, R2, R4, R6", "shf.l.wrap.b32 %d, %a, %c, %b;"},
	{"SHF.R R0, R2, R4, R6", "shf.r.clamp.b32 %d, %a, %c, %b;"},
	{"SHF.L.U64 R1, R2, R6, R3\nSHL R0, R2, R6", "shl.b64 %dd, %aa, %c;"},
	{"SHF.R.U64 R0, R2, R6, R3\nSHR.U32 R1, R3, R6", "shr.u64 %dd, %aa, %c;"},
	{"SHF.R.S64 R0, R2, R6, R3\nSHR R1, R3, R6", "shr.s64 %dd, %aa, %c;"},
	{"SHF.R.U64.HI R0, R2, 0x5, R3", "shr.u64 %tt, %aa, 5; shr.u64 %tt, %tt, 32; cvt.u32.u64 %d, %tt;"},
	{"BFE R0, R2, 0x506", "bfe.s32 %d, %a, 6, 5;"},
	{"BFE.U32 R0, R2, 0x1008", "bfe.u32 %d, %a, 8, 16;"},
	{"BFI R0, R2, 0x405, R4", "bfi.b32 %d, %a, %b, 5, 4;"},
	{"FLO.U32 R0, R2", "bfind.u32 %d, %a;"},
	{"FLO.SH R0, R2", "bfind.shiftamt.s32 %d, %a;"},
	{"POPC R0, R2, R2", "popc.b32 %d, %a;"},
	{"PRMT R0, R2, 0x1650, R4", "prmt.b32 %d, %a, %b, 5712;"},
	{"PRMT.F4E R0, R2, R6, R4", "prmt.b32.f4e %d, %a, %b, %c;"},
	{"MOV R0, R2", "mov.b32 %d, %a;"},
	{"MOV32I R0, 0x80000001", "mov.b32 %d, 0x80000001;"},
	{"SEL R0, R2, R4, !P3", "selp.b32 %d, %b, %a, %p;"},
	{"PSETP.AND.OR P0, PT, P3, !P3, P3", "mov.pred %q, %p;"},
	{"F2F.F32.F64.RZ R0, R2", "cvt.rz.f32.f64 %d, %aa;"},
	{"F2F.F64.F32 R0, -R2", "neg.f32 %t, %a; cvt.f64.f32 %dd, %t;"},
	{"F2F.F64.F32 R0, -|R2|", "abs.f32 %t, %a; neg.f32 %t, %t; cvt.f64.f32 %dd, %t;"},
	{"F2F.F32.F32.TRUNC R0, |R2|", "abs.f32 %t, %a; cvt.rzi.f32.f32 %d, %t;"},
	{"F2F.F64.F64 R0, -R2", "neg.f64 %dd, %aa;"},
	{"F2F.FTZ.F32.F32.SAT R0, R2", "cvt.sat.ftz.f32.f32 %d, %a;"},
	{"F2I.S32.F32.TRUNC R0, R2", "cvt.rzi.s32.f32 %d, %a;"},
	{"F2I.FTZ.U32.F64.FLOOR R0, R2", "cvt.rmi.u32.f64 %d, %aa;"},
	{"F2I.S64.F32.CEIL R0, R2", "cvt.rpi.s64.f32 %dd, %a;"},
	{"I2F.F32.S32.RM R0, R2", "cvt.rm.f32.s32 %d, %a;"},
	{"I2F.F64.U64 R0, R2", "cvt.rn.f64.u64 %dd, %aa;"},
	{"I2F.F32.U8 R0, R2", "cvt.rn.f32.u8 %d, %a;"},
	{"I2I.S32.S16 R0, R2", "cvt.s32.s16 %d, %a;"},
	{"I2I.S32.S32 R0, |R2|", "abs.s32 %d, %a;"},
	{"MUFU.RCP R0, R2", "rcp.approx.ftz.f32 %d, %a;"},
	{"MUFU.RSQ R0, -R2", "neg.f32 %t, %a; rsqrt.approx.ftz.f32 %d, %t;"},
	{"MUFU.LG2 R0, |R2|", "abs.f32 %t, %a; lg2.approx.ftz.f32 %d, %t;"},
	{"RRO.SINCOS R0, R2\nMUFU.SIN R0, R0", "sin.approx.ftz.f32 %d, %a;"},
	{"RRO.EX2 R0, R2\nMUFU.EX2 R0, R0", "ex2.approx.ftz.f32 %d, %a;"},
	{"BFE R0, R2, R4", "and.b32 %t, %b, 255; shr.u32 %u, %b, 8; and.b32 %u, %u, 255; bfe.s32 %d, %a, %t, %u;"},
	{"BFE.U32 R0, R2, R4", "and.b32 %t, %b, 255; shr.u32 %u, %b, 8; and.b32 %u, %u, 255; bfe.u32 %d, %a, %t, %u;"},
	{"BFI R0, R2, R6, R4", "and.b32 %t, %c, 255; shr.u32 %u, %c, 8; and.b32 %u, %u, 255; bfi.b32 %d, %a, %b, %t, %u;"},
	{"POPC R0, R2, R4", "and.b32 %t, %a, %b; popc.b32 %d, %t;"},
	{"I2F.F32.U8 R0, R2.B2", "shr.u32 %t, %a, 16; cvt.rn.f32.u8 %d, %t;"},
	{"PSET.AND.OR R0, P3, !P3, P3", "selp.b32 %d, -1, 0, %p;"},
	{"PSET.XOR.AND R0, P3, PT, PT", "selp.b32 %d, 0, -1, %p;"},
	{"PSET.BF.OR.XOR R0, P3, P2, PT", "selp.b32 %d, 0, 0x3f800000, %p;"},
	{"P2R R0, PR, RZ, 0x8", "selp.b32 %d, 8, 0, %p;"},
	{"P2R R0, PR, R2, 0x7f", "and.b32 %t, %a, 0xffffff80; selp.b32 %u, 8, 0, %p; or.b32 %d, %t, %u;"},
	{"P2R R0, PR, R2, R4", "and.b32 %t, %b, 0x7f; not.b32 %t, %t; and.b32 %t, %a, %t; selp.b32 %u, 8, 0, %p; and.b32 %u, %u, %b; " +
		"or.b32 %d, %t, %u;"},
	{"R2P PR, R2, 0x7f", "and.b32 %t, %a, 1; setp.ne.u32 %q, %t, 0;"},
	{"PSETP.AND.AND P0, PT, P3, PT, PT\nR2P PR, R2, 0x7e", "mov.pred %q, %p;"},
	{"PSETP.AND.AND P0, PT, P3, PT, PT\nR2P PR, R2, R4", "and.b32 %t, %a, 1; setp.ne.u32 %q, %t, 0; and.b32 %t, %b, 1; " +
		"setp.ne.u32 %r, %t, 0; and.pred %q, %q, %r; not.pred %r, %r; and.pred %r, %r, %p; or.pred %q, %q, %r;"},
	{"I2I.S32.S8 R0, R2.B3", "shr.u32 %t, %a, 24; cvt.s32.s8 %d, %t;"},
}

// reference is the decoded PTX on the same lanes, with the registers of the machine code.
func reference(t *testing.T, text string) *isa.MachineProgram {
	t.Helper()
	source := ".version 4.3\n.target sm_35\n.address_size 64\n.visible .entry k() {\n.reg .b32 %d, %a, %b, %c, %e, %t, %u;\n" +
		".reg .b64 %dd, %aa, %bb, %cc, %ee, %tt;\n.reg .pred %p, %q, %r;\n" + text + "\nret;\n}\n"
	file, err := ptx.Parse("k.ptx", source)
	require.NoError(t, err, text)
	p, err := decode.Program([]*ptx.File{file}, decode.Options{ComputeCapability: 35})
	require.NoError(t, err, text)
	k := p.Functions[0]
	places := map[string]isa.Register{"%d": 0, "%dd": 0, "%a": 2, "%aa": 2, "%b": 4, "%bb": 4, "%c": 6, "%cc": 6, "%e": 8, "%ee": 8,
		"%t": 20, "%tt": 22,
		"%u": 21, "%p": 3, "%q": 0, "%r": 4}
	rename := func(o *isa.Operand) {
		if o.Kind == isa.OperandRegister || o.Kind == isa.OperandPredicate {
			o.Register = places[k.Registers[o.Register].Name]
		}
	}
	mp := &isa.MachineProgram{Kernel: k, Program: p, Registers: 64}
	for _, i := range k.Blocks[0].Instructions {
		if i.Op == isa.OpRet {
			break
		}
		i.Sources(rename)
		i.Destinations(rename)
		mp.Ops = append(mp.Ops, isa.MachineOp{Effect: i, Target: -1, Reconverge: -1})
	}
	return mp
}

// Each operation computes the same as the PTX beside it, on numbers of every kind.
func TestOperationsAsInPTX(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	special := []uint32{0, 1, 31, 32, 33, 0x80000000, 0x7fffffff, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 1 << 22, 5,
		math.Float32bits(1e-3), math.Float32bits(-123.75), 64, 63}
	for _, c := range same {
		mp, err := machine(t, c.machine+"\nEXIT")
		if !assert.NoError(t, err, c.machine) {
			continue
		}
		want := reference(t, c.ptx)
		for range 8 {
			var values [8]isa.Lanes32
			for n := range values {
				for lane := range values[n] {
					values[n][lane] = r.Uint32()
					if r.IntN(2) == 0 {
						values[n][lane] = special[r.IntN(len(special))]
					}
				}
			}
			has, wants := lanes(t, mp, &values), lanes(t, want, &values)
			r0, r1, p0 := has.Registers[0], has.Registers[1], has.Predicates[0]
			x0, x1, q0 := wants.Registers[0], wants.Registers[1], wants.Predicates[0]
			// the sign of a NaN that was negated on its way is unknown
			if strings.HasPrefix(c.machine, "D") {
				for lane := range r1 {
					if r1[lane]&0x7ff00000 == 0x7ff00000 && (r1[lane]^x1[lane])<<1 == 0 && r1[lane]<<12|r0[lane] != 0 {
						r1[lane] = x1[lane]
					}
				}
			}
			if !assert.Equal(t, [2]isa.Lanes32{x0, x1}, [2]isa.Lanes32{r0, r1}, "%s: %s", c.machine, c.ptx) ||
				!assert.Equal(t, fmt.Sprintf("%08x", q0), fmt.Sprintf("%08x", p0), "%s: %s", c.machine, c.ptx) {
				break
			}
		}
	}
}

// A word that is not simulated is refused with its name, place and bits.
func TestRefused(t *testing.T) {
	for text, why := range map[string]string{
		"IADD.PO R0, R2, R4":                    "a sum plus one is not simulated",
		"VOTE.VTG.R 0x0":                        "the operation is not simulated",
		"SUCLAMP.SD.R4 P0, R0, R2, R4, 0x0":     "the operation is not simulated",
		"FFMA.FMZ R0, R2, R4, R6":               ".FMZ is not simulated",
		"DADD R0, R3, R4":                       "no pair of registers",
		"MOV R0, R200":                          "R200 of 64 registers",
		"BRK":                                   "no PBK precedes it",
		"BRA 0x1000":                            "no operation is at its target",
		"NOP.S":                                 "no SSY precedes it",
		"LDSLK P0, R0, [R2]":                    "no atomic operation is known",
		"TXD.T R4, R2, R6, 0x50, ARRAY_2D, 0x1": "gradients of a texture ARRAY_2D are not simulated",
		"TXQ R4, RZ, .FILTER, 0x50, 0x1":        "only one of width, height and depth can be asked for",
		"TXQ R4, RZ, .DIMENSION, 0x50, 0x3":     "only one of width, height and depth can be asked for",
		"TLD4.B.B R4, R2, R6, 0x50, 2D, 0x3":    "a texture whose handle is in a register",
		"BRX R2 -0x10":                          "no LDC of its target precedes it",
		"LDC R2, c[0x3][R4]\nBRX R2 -0x18":      "a table in constant bank 3 is not simulated",
		"LDC R2, c[0x2][R4]\nBRX R2 -0x18":      "its table has no address of an operation",
		"BRA CC.LT, 0x8":                        "condition code",
		"BRA CC.NEU, 0x8":                       "condition code", // that nothing sets
	} {
		_, err := machine(t, text+"\nEXIT")
		assert.ErrorContains(t, err, why, text)
	}
	_, err := machine(t, "IADD.PO R0, R2, R4\nEXIT")
	assert.ErrorContains(t, err, "/*0008*/ IADD.PO R0, R2, R4 (0xe0980000021c0802)")
}

// A branch on the condition code tests whether the comparison before it held, for the lanes of its guard.
func TestBranchOnTheConditionCode(t *testing.T) {
	var values [8]isa.Lanes32
	for lane := range values[0] {
		values[0][lane], values[2][lane] = math.Float32bits(float32(lane%4)), math.Float32bits(2)
	}
	const equal, guard = 0x44444444, 0x0f0f3355 // guard is P3
	for text, want := range map[string]uint32{
		"@P3 BRA CC.NEU, 0x30": equal & guard, "@!P3 BRA CC.EQ, 0x30": ^uint32(equal) &^ guard, "BRA CC.NE, 0x30": equal,
	} {
		mp, err := machine(t, "FSET.EQ.AND RZ.CC, R2, R4, PT\nNOP\n"+text+"\nMOV R0, R2\nEXIT\nEXIT")
		require.NoError(t, err)
		w := lanes(t, mp, &values)
		branch := &mp.Ops[3]
		require.Equal(t, isa.ControlBranch, branch.Control)
		assert.Equal(t, "MOV", mp.Ops[4].Mnemonic)
		assert.Equal(t, int32(6), branch.Target)
		assert.Equal(t, fmt.Sprintf("%08x", want), fmt.Sprintf("%08x", w.Predicates[branch.Guard.Register]), text)
	}
}

// The loop around LDSLK and STSCUL becomes the atomic operation that it computes.
func TestAtomicLoops(t *testing.T) {
	for text, want := range map[string]string{
		"@P0 IADD R4, R3, R6\n@P0 STSCUL P1, [R2+0x8], R4":          "add.u32 R6",
		"@P0 IADD R4, R6, R3\n@P0 STSCUL P1, [R2+0x8], R4":          "add.u32 R6",
		"@P0 FADD R3, R3, 2\n@P0 STSCUL P1, [R2+0x8], R3":           "add.f32 0x40000000",
		"@P0 LOP.XOR R4, R3, R6\n@P0 STSCUL P1, [R2+0x8], R4":       "xor.b32 R6",
		"@P0 IMNMX.U32 R4, R3, R6, PT\n@P0 STSCUL P1, [R2+0x8], R4": "min.u32 R6",
		"@P0 IMNMX R4, R3, R6, !PT\n@P0 STSCUL P1, [R2+0x8], R4":    "max.s32 R6",
		"MOV R7, R6\n@P0 STSCUL P1, [R2+0x8], R6":                   "exch.b32 R6",
		"@P0 SHL R4, R3, R6\n@P0 STSCUL P1, [R2+0x8], R4":           "",
		"@P0 IADD R4, -R3, R6\n@P0 STSCUL P1, [R2+0x8], R4":         "",
		"@P0 IADD R4, R3, R6\n@P0 STSCUL P1, [R2+0xc], R4":          "",
	} {
		mp, err := machine(t, "LDSLK P0, R3, [R2+0x8]\n"+text+"\n@!P1 BRA 0x8\nEXIT")
		if want == "" {
			assert.ErrorContains(t, err, "no atomic operation is known", text)
			continue
		}
		require.NoError(t, err, text)
		i := mp.Ops[1].Effect
		require.Equal(t, isa.OpAtom, i.Op)
		names := map[isa.Sub]string{isa.AtomicAdd: "add", isa.AtomicXor: "xor", isa.AtomicMin: "min", isa.AtomicMax: "max",
			isa.AtomicExch: "exch"}
		of := fmt.Sprint("R", i.Src[0].Register)
		if i.Src[0].Kind == isa.OperandImmediate {
			of = fmt.Sprintf("0x%x", i.Src[0].Immediate)
		}
		assert.Equal(t, want, fmt.Sprintf("%s.%s %s", names[i.Mod.Select], i.Type, of), text)
		assert.Equal(t, int64(8), i.Memory.Offset)
		assert.Equal(t, isa.SpaceShared, i.Memory.Space)
	}
}

// A texture is a parameter's, or the one that the file names for a word of the constant bank. Its results go to consecutive registers, one
// for each channel of the mask.
func TestTextures(t *testing.T) {
	for text, want := range map[string]string{
		"TEX R0, R2, RZ, 0x50, 2D, 0x9":            "tex.2d c0x140 R2 R3: 0 - - 1",
		"TEX.NODEP.LL.P R0, R2, R6, 0x60, 3D, 0x2": "tex.3d of R2 R3 R4 level R6: - 0 - -",
		"TLD.LZ.T R4, R2, RZ, 0x52, ARRAY_1D, 0x1": "tex.a1d c0x148 R2 R3: 4 - - -",
		"TEX R0, R2, RZ, 0x51, 2D, 0x1":            "",
		"TLD4.B.T R4, R2, RZ, 0x50, 2D, 0x3":       "tld4.2d component 2 c0x140 R2 R3: 4 5 - -",
		"TXD.T R4, R2, R6, 0x60, 2D, 0x5":          "tex.2d of R2 R3: 4 - 5 -",
		"TXQ R4, RZ, .DIMENSION, 0x52, 0x2":        "txq.height c0x148: 4",
		"TXQ R4, R7, .DIMENSION, 0x60, 0x1":        "txq.width of level R7: 4",
	} {
		for _, e := range sass.Encodings() {
			f := &cubin.Function{Name: "k", Kernel: true, Registers: 32, Base: isa.ParameterBase, Bytes: 16,
				Parameters: []cubin.Parameter{{Offset: 0, Bytes: 8}, {Offset: 8, Bytes: 8}}, Textures: map[int]string{0x180: "image"}}
			for _, line := range []string{text, "EXIT"} {
				word, err := e.Encode(line, 0)
				require.NoError(t, err, "%s: %s", e, line)
				f.Code = binary.LittleEndian.AppendUint64(f.Code, word)
			}
			p, err := translate.Program("k.cubin", []*cubin.Module{{Architecture: e.Chips[0], Functions: []*cubin.Function{f}}})
			require.NoError(t, err)
			if k := p.Functions[0]; want == "" {
				require.ErrorContains(t, k.Resolved(), "0x51", text)
				continue
			}
			require.NoError(t, p.Functions[0].Resolved(), "%s: %s", e, text)
			assert.Equal(t, want, textureText(p, p.Functions[0].Machine.Ops[0].Effect), e.String())
		}
	}
}

func textureText(p *isa.Program, i *isa.Instruction) string {
	x := i.Memory.Texture
	text := i.Op.String() + "." + x.Geometry + x.Query
	if i.Op == isa.OpTld4 {
		text += fmt.Sprint(" component ", x.Component)
	}
	if x.Object.Kind == isa.OperandSymbol {
		text += " of"
		if p.Symbols[x.Object.Symbol].Name != "image" {
			text += " another"
		}
	} else {
		text += fmt.Sprintf(" c0x%x", x.Object.Offset)
	}
	for _, c := range x.Coordinates {
		text += fmt.Sprint(" R", c.Register)
	}
	if x.Level.Kind != isa.OperandNone {
		text += fmt.Sprint(" level R", x.Level.Register)
	}
	text += ":"
	for _, d := range i.Dst {
		if d.Kind == isa.OperandSink {
			text += " -"
			continue
		}
		text += fmt.Sprint(" ", d.Register)
	}
	return text
}

// Operations have their source lines from the file's line table.
func TestLinesOfTheSource(t *testing.T) {
	m, err := cubin.Parse(assemble(t, "MOV R0, R2\nMOV R2, R0\nMOV R0, R2\nEXIT"))
	require.NoError(t, err)
	m.Functions[0].Lines = []cubin.Line{{Offset: 16, File: "k.cu", Line: 7}, {Offset: 24, File: "k.h", Line: 2}}
	m, err = cubin.Parse(cubin.Write(m))
	require.NoError(t, err)
	p, err := translate.Program("k.cubin", []*cubin.Module{m})
	require.NoError(t, err)
	var lines []string
	for _, op := range p.Functions[0].Machine.Ops {
		row := p.Lines[op.Line]
		if row.File < 0 {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, fmt.Sprint(p.Files[row.File], ":", row.Line))
	}
	assert.Equal(t, []string{"", "k.cu:7", "k.h:2", "k.h:2"}, lines)
}

// Diverged lanes meet where SSY says, loops end by BRK, and a function is called and returns.
func TestControlFlow(t *testing.T) {
	mp, err := machine(t, `
		SSY 0x38
		ISETP.LT.AND P0, PT, R2, R4, PT
		@P0 BRA 0x30
		MOV R0, R2
		NOP.S
		MOV.S R0, R4
		EXIT`)
	require.NoError(t, err)
	var branches []string
	for n := range mp.Ops {
		if op := &mp.Ops[n]; op.Control == isa.ControlBranch {
			branches = append(branches, fmt.Sprint(n, op.Target, op.Reconverge))
		}
	}
	assert.Equal(t, []string{"2 5 6", "4 6 -1"}, branches)

	mp, err = machine(t, `
		PBK 0x30
		IADD R2, R2, -0x1
		ISETP.LT.AND P0, PT, R2, RZ, PT
		@P0 BRK
		BRA 0x10
		EXIT`)
	require.NoError(t, err)
	assert.Equal(t, []int32{-1, -1, -1, 5, 1, -1}, targets(mp))

	// Two calls are two copies of the function.
	mp, err = machine(t, `
		CAL 0x28
		MOV R2, R0
		CAL 0x28
		EXIT
		IADD R0, R2, R2
		@P0 RET
		MOV R0, R2
		RET`)
	require.NoError(t, err)
	assert.Equal(t, []int32{4, -1, 8, -1, -1, 1, -1, 1, -1, 3, -1, 3}, targets(mp))
}

// targets are the operations' branch targets, -1 for none.
func targets(mp *isa.MachineProgram) (list []int32) {
	for n := range mp.Ops {
		list = append(list, mp.Ops[n].Target)
	}
	return list
}

// Any words become a program that can be bound, or an error, never a panic.
func TestAnyWords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	programs := 20_000
	if testing.Short() {
		programs = 2_000
	}
	bound := 0
	for program := range programs {
		code := make([]byte, 0, 128)
		for n := range 16 {
			word := r.Uint64()
			if n%8 == 0 {
				word = sass.SM35.ControlWord([sass.GroupOperations]sass.Control{})
			} else if r.IntN(4) > 0 {
				i, err := sass.SM35.Decode(sass.SM35.Any(r.IntN(1000), r.Uint64()))
				if err == nil {
					word = i.Word&^(7<<18) | 7<<18
				}
				if r.IntN(3) == 0 { // small registers
					word &^= 0xc0<<2 | 0xc0<<10 | 0xc0<<23 | 0xc0<<42
				}
			}
			if n%8 > 1 && program%2 == 0 { // only one operation of each group is random
				word = 0x18000000001c003c // EXIT
			}
			code = binary.LittleEndian.AppendUint64(code, word)
		}
		m := &cubin.Module{Architecture: 35, Functions: []*cubin.Function{{Name: "k", Kernel: true, Code: code, Registers: 64,
			Base: 0x140}}}
		p, err := translate.Program("any", []*cubin.Module{m})
		if err != nil {
			continue
		}
		if p.Functions[0].Resolved() != nil {
			continue
		}
		if _, err := exec.Bind(p.Functions[0].Machine); err == nil {
			bound++
		}
	}
	t.Logf("%d of %d programs can be run", bound, programs)
	assert.Greater(t, bound, programs/100)
}

func FuzzCode(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x08\x06\x00\x9c\x08\x00\x3c\xc0\x64"))
	f.Fuzz(func(_ *testing.T, code []byte) {
		m := &cubin.Module{Architecture: 35, Functions: []*cubin.Function{{Name: "k", Kernel: true, Code: code, Registers: 64,
			Base: 0x140}}}
		if p, err := translate.Program("any", []*cubin.Module{m}); err == nil && p.Functions[0].Resolved() == nil {
			_, _ = exec.Bind(p.Functions[0].Machine)
		}
	})
}
