package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/testkit/oracle"
)

// The registers of the operands in the record's bodies.
var bodyRegisters = map[string]isa.Register{"%d": 0, "%a": 2, "%b": 4, "%c": 6, "%x": 8, "%y": 10, "%p": 0}

// formProgram returns a form's body as PTX, decoded, with physical registers in place of virtual ones.
func formProgram(t *testing.T, form oracle.Form) *isa.MachineProgram {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, ".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %%p;\n.reg .b32 %%x, %%y;\n")
	declare := func(name, ty string) {
		switch ty { // there are no registers of 8 bits, and those of f16 are untyped
		case "u8", "s8":
			ty = "b32"
		case "f16":
			ty = "b16"
		}
		fmt.Fprintf(&text, ".reg .%s %%%s;\n", ty, name)
	}
	declare("d", form.Output)
	for n, ty := range form.Inputs {
		declare(string(rune('a'+n)), ty)
	}
	body := form.Body
	for name := range bodyRegisters {
		body = strings.ReplaceAll(body, "{"+name[1:]+"}", name)
	}
	text.WriteString(body + "\nret;\n}\n")
	file, err := ptx.Parse(form.Name, text.String())
	require.NoError(t, err, text.String())
	p, err := decode.Program([]*ptx.File{file}, decode.Options{})
	require.NoError(t, err, text.String())
	kernel := p.Function("k")
	mp := &isa.MachineProgram{Program: p, Kernel: kernel}
	for _, block := range kernel.Blocks {
		for _, i := range block.Instructions {
			place := func(o *isa.Operand) {
				if o.Kind == isa.OperandRegister || o.Kind == isa.OperandPredicate {
					r, ok := bodyRegisters[kernel.Registers[o.Register].Name]
					require.True(t, ok, kernel.Registers[o.Register].Name)
					o.Register = r
				}
			}
			i.Sources(place)
			i.Destinations(place)
			mp.Ops = append(mp.Ops, isa.MachineOp{Mnemonic: i.Mnemonic(), Effect: i})
		}
	}
	return mp
}

// TestForms runs every form of the record of a real GPU, all vectors, with all lanes active and then with every other lane.
func TestForms(t *testing.T) { testForms(t, func(oracle.Form) bool { return true }) }

func testForms(t *testing.T, wanted func(oracle.Form) bool) {
	testFormsBy(t, wanted, func(t *testing.T, code *Code, _ *isa.MachineProgram) func(w *Warp, active uint32) {
		return func(w *Warp, active uint32) {
			for i := range code.Ops {
				code.Ops[i].Run(w, active)
			}
		}
	})
}

// testFormsBy runs forms in one of several ways.
func testFormsBy(t *testing.T, wanted func(oracle.Form) bool,
	way func(*testing.T, *Code, *isa.MachineProgram) func(w *Warp, active uint32)) {
	o, err := oracle.Open()
	require.NoError(t, err)
	for _, form := range o.Forms {
		if !wanted(form) {
			continue
		}
		t.Run(form.Name, func(t *testing.T) {
			mp := formProgram(t, form)
			code, err := Bind(mp)
			require.NoError(t, err)
			execute := way(t, code, mp)
			var in [3][]uint64
			for n, ty := range form.Inputs {
				in[n] = o.Operand(ty, n)
			}
			for _, active := range []uint32{isa.FullMask, 0x55555555} {
				compareForm(t, form, code, execute, in, active)
			}
		})
	}
}

func compareForm(t *testing.T, form oracle.Form, code *Code, execute func(w *Warp, active uint32), in [3][]uint64, active uint32) {
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
		execute(w, active)
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
		assert.Fail(t, "bits differ", "%d of %d vectors differ; first: %s of %x is %x, the GPU has %x", wrong, oracle.Vectors, form.Name,
			inputs, got, form.Outputs[first])
	}
}
