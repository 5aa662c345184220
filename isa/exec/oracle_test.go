package exec

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/oracle"
)

// The record's bodies use few operands; each has its registers. Sources lie where a shorter value's upper bits are noise.
var bodyRegisters = map[string]int{"{d}": 0, "{a}": 2, "{b}": 4, "{c}": 6, "{x}": 8, "{y}": 10}

var modifierWords = func() map[string]func(*isa.Modifiers) {
	words := map[string]func(*isa.Modifiers){
		"ftz": func(m *isa.Modifiers) { m.Flush = true }, "sat": func(m *isa.Modifiers) { m.Saturate = true },
		"approx": func(m *isa.Modifiers) { m.Approx = true }, "full": func(m *isa.Modifiers) { m.Full = true },
		"cc": func(m *isa.Modifiers) { m.CarryOut = true }, "shiftamt": func(m *isa.Modifiers) { m.ShiftAmt = true },
		"clamp": func(m *isa.Modifiers) { m.ShiftMode = isa.Clamp }, "wrap": func(m *isa.Modifiers) { m.ShiftMode = isa.Wrap },
		"shr7": func(m *isa.Modifiers) { m.Scale = 7 }, "shr15": func(m *isa.Modifiers) { m.Scale = 15 },
		"lo": func(m *isa.Modifiers) { m.Half, m.Compare = isa.Lo, isa.LO }, "hi": func(m *isa.Modifiers) { m.Half, m.Compare = isa.Hi, isa.HI },
		"wide": func(m *isa.Modifiers) { m.Half = isa.Wide },
	}
	for i, w := range strings.Fields("rn rz rm rp rni rzi rmi rpi") {
		words[w] = func(m *isa.Modifiers) { m.Rounding = isa.RoundNearest + isa.Rounding(i) }
	}
	for i, w := range strings.Fields("eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan") {
		if w != "lo" && w != "hi" {
			words[w] = func(m *isa.Modifiers) { m.Compare = isa.EQ + isa.Compare(i) }
		}
	}
	for w, s := range map[string]isa.Sub{
		"f4e": isa.PrmtF4E, "b4e": isa.PrmtB4E, "rc8": isa.PrmtRC8, "ecl": isa.PrmtECL, "ecr": isa.PrmtECR, "rc16": isa.PrmtRC16,
		"l": isa.ShiftLeft, "r": isa.ShiftRight, "add": isa.AtomicAdd, "finite": isa.TestFinite, "infinite": isa.TestInfinite,
		"number": isa.TestNumber, "notanumber": isa.TestNotANumber, "normal": isa.TestNormal, "subnormal": isa.TestSubnormal,
	} {
		words[w] = func(m *isa.Modifiers) { m.Select = s }
	}
	return words
}()

var selectorNames = map[string]isa.Selector{"b0": isa.SelectB0, "b1": isa.SelectB1, "b2": isa.SelectB2, "b3": isa.SelectB3, "h0": isa.SelectH0, "h1": isa.SelectH1}

var operandPattern = regexp.MustCompile(`^(\{[abcdxyp]\})(?:\.(\w+))?$`)

// assemble reads one instruction of a body.
func assemble(t *testing.T, form oracle.Form, text string) *isa.Instruction {
	mnemonic, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	words := strings.Split(mnemonic, ".")
	op, ok := isa.ParseOpcode(words[0])
	require.True(t, ok, text)
	i := &isa.Instruction{Op: op}
	var types []isa.Type
	for _, w := range words[1:] {
		if ty, ok := isa.ParseType(w); ok {
			types = append(types, ty)
			continue
		}
		set := modifierWords[w]
		require.NotNil(t, set, "%s in %s", w, text)
		set(&i.Mod)
	}
	i.Type = types[0]
	switch {
	case len(types) == 3 || op == isa.OpVset || op == isa.OpVset2 || op == isa.OpVset4:
		copy(i.Mod.SIMDTypes[:], types)
	case len(types) == 2:
		i.From = types[1]
	}
	variables := map[string]isa.Type{"{x}": isa.U32, "{y}": isa.U32, "{p}": isa.Pred}
	variables["{d}"], _ = isa.ParseType(form.Output)
	for n, input := range form.Inputs {
		variables["{"+string(rune('a'+n))+"}"], _ = isa.ParseType(input)
	}
	for n, word := range strings.Split(rest, ",") {
		word = strings.TrimSpace(word)
		var o isa.Operand
		if m := operandPattern.FindStringSubmatch(word); m == nil {
			v, err := strconv.ParseUint(word, 0, 32)
			require.NoError(t, err, text)
			o = isa.Imm(v, isa.U32)
		} else if ty := variables[m[1]]; ty == isa.Pred {
			o = isa.Predicate(0, false)
		} else {
			o = isa.Reg(isa.Register(bodyRegisters[m[1]]), ty)
			o.Selector = selectorNames[m[2]]
		}
		if n == 0 {
			i.Dst = append(i.Dst, o)
			continue
		}
		if strings.HasSuffix(words[0], "2") {
			o.Permute = []uint16{0x10, 0x32, 0}[n-1]
		} else if strings.HasSuffix(words[0], "4") {
			o.Permute = []uint16{0x3210, 0x7654, 0}[n-1]
		}
		i.Src = append(i.Src, o)
	}
	return i
}

// TestForms runs every form of the record of a real GPU, all vectors, with all lanes active and then with every other lane.
func TestForms(t *testing.T) {
	o, err := oracle.Open()
	require.NoError(t, err)
	for _, form := range o.Forms {
		t.Run(form.Name, func(t *testing.T) {
			mp := &isa.MachineProgram{Program: &isa.Program{}}
			for text := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(form.Body), ";"), ";") {
				i := assemble(t, form, text)
				mp.Ops = append(mp.Ops, isa.MachineOp{Mnemonic: text, Effect: i})
			}
			code, err := Bind(mp)
			require.NoError(t, err)
			var in [3][]uint64
			for n, ty := range form.Inputs {
				in[n] = o.Operand(ty, n)
			}
			for _, active := range []uint32{isa.FullMask, 0x55555555} {
				compareForm(t, form, code, in, active)
			}
		})
	}
}

func compareForm(t *testing.T, form oracle.Form, code *Code, in [3][]uint64, active uint32) {
	w := &Warp{Registers: make([]isa.Lanes32, 12), Block: &Block{Launch: code.Launch(nil)}}
	w.Predicates[7] = isa.FullMask
	const noise = 0xa5c3_96e7_5a3c_0f1b
	wrong, first, got := 0, 0, uint64(0)
	for base := 0; base < oracle.Vectors; base += 32 {
		w.Registers[0], w.Registers[1] = isa.Lanes32{}, isa.Lanes32{}
		for n, ty := range form.Inputs {
			t, _ := isa.ParseType(ty)
			above := uint64(noise) << (8 * t.Bytes())
			for lane := range 32 {
				v := in[n][base+lane] | above
				w.Registers[2+2*n][lane], w.Registers[3+2*n][lane] = uint32(v), uint32(v>>32)
			}
		}
		for i := range code.Ops {
			code.Ops[i].Run(w, active)
		}
		for lane := range 32 {
			v := pack64(w.Registers[0][lane], w.Registers[1][lane]) << (64 - 8*form.Width) >> (64 - 8*form.Width)
			want := form.Outputs[base+lane]
			if active>>lane&1 == 0 {
				want = 0
			}
			if v != want {
				if wrong == 0 {
					first, got = base+lane, v
				}
				wrong++
			}
		}
	}
	if wrong > 0 {
		var inputs []uint64
		for n := range form.Inputs {
			inputs = append(inputs, in[n][first])
		}
		assert.Fail(t, "bits differ", "%d of %d vectors differ; first: %s of %x is %x, the GPU has %x", wrong, oracle.Vectors, form.Name, inputs, got, form.Outputs[first])
	}
}
