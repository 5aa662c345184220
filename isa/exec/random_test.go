package exec_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
)

// templates of random programs: the first letter of an operand is its register file (r 32 bits, l 64 bits, h 16 bits, f and d floats, p
// predicates), i a small immediate.
var randomTemplates = []string{
	"add.u32 r, r, r", "sub.s32 r, r, i", "mul.lo.s32 r, r, r", "mad.lo.u32 r, r, r, r", "mul.hi.u32 r, r, r", "mad.lo.s32 r, r, i, r",
	"and.b32 r, r, r", "or.b32 r, r, i", "xor.b32 r, r, r", "not.b32 r, r", "shl.b32 r, r, i", "shr.u32 r, r, r", "shr.s32 r, r, i",
	"neg.s32 r, r",
	"min.s32 r, r, r", "max.u32 r, r, r", "selp.b32 r, r, r, p", "mov.u32 r, r", "mov.u32 r, i", "bfe.u32 r, r, i, i",
	"bfi.b32 r, r, r, i, i",
	"popc.b32 r, r", "clz.b32 r, r", "prmt.b32 r, r, r, r", "sad.u32 r, r, r, r", "abs.s32 r, r", "div.u32 r, r, r", "rem.s32 r, r, r",
	"add.s64 l, l, l", "sub.s64 l, l, l", "mul.lo.s64 l, l, l", "mul.wide.u32 l, r, r", "mad.wide.s32 l, r, i, l", "mul.wide.s32 l, r, i",
	"shl.b64 l, l, i",
	"shr.s64 l, l, r", "and.b64 l, l, l", "xor.b64 l, l, l", "mov.u64 l, l", "mov.b64 l, {r, r}", "mov.b64 {r, r}, l", "cvt.u64.u32 l, r",
	"cvt.s64.s32 l, r",
	"cvt.u32.u64 r, l", "selp.b64 l, l, l, p", "max.s64 l, l, l", "neg.s64 l, l",
	"add.u16 h, h, h", "mul.lo.s16 h, h, h", "cvt.u16.u32 h, r", "cvt.s32.s16 r, h", "mov.b32 r, {h, h}", "mov.b32 {h, h}, r",
	"shl.b16 h, h, i",
	"cvt.u32.u8 r, r", "cvt.s8.s32 r, r",
	"add.f32 f, f, f", "mul.rn.f32 f, f, f", "fma.rn.f32 f, f, f, f", "mov.b32 f, r", "mov.b32 r, f", "cvt.rn.f32.s32 f, r",
	"cvt.rzi.s32.f32 r, f",
	"neg.f32 f, f", "abs.f32 f, f", "min.f32 f, f, f", "selp.f32 f, f, f, p", "div.rn.f32 f, f, f", "rcp.approx.f32 f, f",
	"sqrt.rn.f32 f, f",
	"add.f64 d, d, d", "fma.rn.f64 d, d, d, d", "mul.f64 d, d, d", "cvt.f64.f32 d, f", "cvt.rn.f32.f64 f, d", "mov.b64 d, l",
	"mov.b64 l, d", "div.rn.f64 d, d, d",
	"setp.lt.s32 p, r, r", "setp.eq.u32 p, r, i", "setp.ge.u64 p, l, l", "setp.ltu.f32 p, f, f", "setp.gt.and.s32 p, r, r, p",
	"setp.ne.or.u32 p|p, r, r, !p",
	"setp.lt.f64 p, d, d", "and.pred p, p, p", "or.pred p, p, p", "xor.pred p, p, p", "not.pred p, p", "mov.pred p, p",
	"set.lt.u32.s32 r, r, r",
	"add.cc.u32 r, r, r; addc.cc.u32 r, r, r; addc.u32 r, r, i", "sub.cc.u32 r, r, r; subc.u32 r, r, r",
	"mad.lo.cc.u32 r, r, r, r; madc.hi.u32 r, r, r, r",
	"vote.ballot.b32 r, p", "vote.all.pred p, p", "shfl.bfly.b32 r, r, i, 31", "shfl.up.b32 r|p, r, r, i", "slct.s32.s32 r, r, r, r",
	"lop3.b32 r, r, r, r, 106",
}

var randomFiles = []struct {
	letter, ty string
	count      int
}{{"r", "b32", 10}, {"l", "b64", 6}, {"h", "b16", 5}, {"f", "f32", 6}, {"d", "f64", 5}, {"p", "pred", 5}}

// randomKernel writes a straight-line program that reads its registers from memory, changes them at random and stores them all.
func randomKernel(random *rand.Rand, instructions int) string {
	var text strings.Builder
	text.WriteString(".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 base)\n{\n.reg .b64 %base, %at;\n" +
		".reg .b32 %t, %s;\n")
	register := func(letter string) string {
		for _, f := range randomFiles {
			if f.letter == letter {
				return fmt.Sprintf("%%%s%d", letter, random.IntN(f.count))
			}
		}
		panic(letter)
	}
	for _, f := range randomFiles {
		fmt.Fprintf(&text, ".reg .%s %%%s<%d>;\n", f.ty, f.letter, f.count)
	}
	text.WriteString("ld.param.u64 %base, [base];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %at, %t, 512, %base;\n")
	offset := 0
	each := func(store bool) {
		for _, f := range randomFiles {
			for n := range f.count {
				switch {
				case f.ty == "pred" && store:
					fmt.Fprintf(&text, "selp.u32 %%s, 1, 0, %%p%d;\nst.global.b32 [%%at+%d], %%s;\n", n, offset)
				case f.ty == "pred":
					fmt.Fprintf(&text, "setp.gt.s32 %%p%d, %%r%d, %%r%d;\n", n, n, n+1)
				case store:
					fmt.Fprintf(&text, "st.global.%s [%%at+%d], %%%s%d;\n", f.ty, offset, f.letter, n)
				default:
					fmt.Fprintf(&text, "ld.global.%s %%%s%d, [%%at+%d];\n", f.ty, f.letter, n, offset)
				}
				offset += 8
			}
		}
	}
	each(false)
	for range instructions {
		template := randomTemplates[random.IntN(len(randomTemplates))]
		if !strings.Contains(template, "vote") && !strings.Contains(template, "shfl") && random.IntN(5) == 0 {
			// A chain is guarded as a whole, or its carry would be undefined.
			guard := fmt.Sprintf("@%s%s ", []string{"", "!"}[random.IntN(2)], register("p"))
			if strings.Contains(template, ";") {
				guard = ""
			}
			text.WriteString(guard)
		}
		for statement := range strings.SplitSeq(template, ";") {
			mnemonic, operands, _ := strings.Cut(strings.TrimSpace(statement), " ")
			text.WriteString(mnemonic + " ")
			for _, c := range operands {
				switch {
				case c == 'i':
					fmt.Fprint(&text, random.IntN(32))
				case c >= 'a' && c <= 'z':
					text.WriteString(register(string(c)))
				default:
					text.WriteRune(c)
				}
			}
			text.WriteString(";\n")
		}
	}
	offset = 0
	each(true)
	text.WriteString("ret;\n}\n")
	return text.String()
}

// TestLoweringKeepsMeaning runs random programs instruction by instruction on a register for each virtual one, and again as lowered:
// optimised, scheduled and with registers allocated. Memory must be the same at the end. Contraction is off, as it changes roundings.
func TestLoweringKeepsMeaning(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		text := randomKernel(random, 20+random.IntN(100))
		memory := make([]byte, 32*512)
		for i := range memory {
			memory[i] = byte(random.Uint32() >> random.IntN(8))
		}
		decoded := func() *isa.Program {
			file, err := ptx.Parse("random.ptx", text)
			require.NoError(t, err, text)
			p, err := decode.Program([]*ptx.File{file}, decode.Options{NoContraction: true})
			require.NoError(t, err, text)
			return p
		}
		run := func(mp *isa.MachineProgram, registers int) []byte {
			code, err := exec.Bind(mp)
			require.NoError(t, err, text)
			out := append([]byte(nil), memory...)
			w := &exec.Warp{Registers: make([]isa.Lanes32, registers), Block: &exec.Block{Launch: code.Launch(make([]byte, 8))},
				Local: make([]byte, 32*max(4, mp.LocalBytes))}
			for lane := range 32 {
				w.Tid[0][lane] = uint32(lane)
			}
			w.Predicates[isa.PT] = isa.FullMask
			straightLine(t, mp, code, w, out)
			return out
		}
		want := run(virtualProgram(decoded()), 256)
		for _, o := range []lower.Options{{}, {MaxRegisters: 32}, {NoSchedule: true}, {ComputeCapability: 30}} {
			p := decoded()
			mp, err := lower.Program(t.Context(), p, p.Function("k"), o)
			require.NoError(t, err, text)
			got := run(mp, mp.Registers+1)
			for i := range want {
				if want[i] != got[i] {
					var b strings.Builder
					require.NoError(t, lower.Print(mp, nil, &b))
					require.Fail(t, "lowering changed the program", "seed %d, options %+v: lane %d, slot %d\n%s\n%s", seed, o, i/512,
						i%512/8, text, b.String())
				}
			}
		}
	}
}

// virtualProgram makes a machine program of a kernel as decoded: virtual register n has the pair from 2n on.
func virtualProgram(p *isa.Program) *isa.MachineProgram {
	kernel := p.Function("k")
	mp := &isa.MachineProgram{Program: p, Kernel: kernel}
	predicates := map[isa.Register]isa.Register{}
	predicate := func(r isa.Register) isa.Register {
		if _, ok := predicates[r]; !ok {
			predicates[r] = isa.Register(len(predicates))
		}
		return predicates[r]
	}
	place := func(o *isa.Operand) {
		switch o.Kind {
		case isa.OperandRegister:
			o.Register *= 2
		case isa.OperandPredicate:
			o.Register = predicate(o.Register)
		}
	}
	for _, block := range kernel.Blocks {
		for _, i := range block.Instructions {
			i.Sources(place)
			i.Destinations(place)
			op := isa.MachineOp{Mnemonic: i.Mnemonic(), Effect: i, Guard: i.Guard}
			if i.Guard.Present {
				op.Guard.Register = predicate(i.Guard.Register)
			}
			if i.Op == isa.OpExit {
				op.Control = isa.ControlExit
			}
			mp.Ops = append(mp.Ops, op)
		}
	}
	return mp
}
