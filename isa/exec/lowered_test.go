package exec_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/testkit/oracle"
)

// Each vector's operands and result are in four arrays, a, b, c and d, 8 bytes apart in each.
const arrayBytes = 8 * oracle.Vectors

// formKernel returns a kernel that loads a form's operands, runs its body and stores the result.
func formKernel(form oracle.Form) string {
	var text strings.Builder
	fmt.Fprint(&text, ".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 base)\n{\n",
		".reg .pred %p;\n.reg .b32 %x, %y, %t;\n.reg .b64 %base, %at;\n",
		"ld.param.u64 %base, [base];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %at, %t, 8, %base;\n")
	memoryType := func(ty string) string {
		if ty == "f16" {
			return "b16"
		}
		return ty
	}
	declare := func(name, ty string) {
		ty = memoryType(ty)
		if ty == "u8" || ty == "s8" {
			ty = "b32"
		}
		fmt.Fprintf(&text, ".reg .%s %%%s;\n", ty, name)
	}
	for n, ty := range form.Inputs {
		name := string(rune('a' + n))
		declare(name, ty)
		fmt.Fprintf(&text, "ld.global.%s %%%s, [%%at+%d];\n", memoryType(ty), name, n*arrayBytes)
	}
	declare("d", form.Output)
	body := form.Body
	for _, name := range []string{"a", "b", "c", "d", "x", "y", "p"} {
		body = strings.ReplaceAll(body, "{"+name+"}", "%"+name)
	}
	out := memoryType(form.Output)
	if out == "u8" || out == "s8" {
		out = "b32"
	}
	fmt.Fprintf(&text, "%s\nst.global.%s [%%at+%d], %%d;\nret;\n}\n", body, out, 3*arrayBytes)
	return text.String()
}

// TestLoweredForms runs every form of the record as a kernel, the path of a user's kernel: decoded, lowered to Kepler's operations and
// physical registers, and bound.
func TestLoweredForms(t *testing.T) {
	o, err := oracle.Open()
	require.NoError(t, err)
	for _, form := range o.Forms {
		t.Run(form.Name, func(t *testing.T) {
			text := formKernel(form)
			file, err := ptx.Parse(form.Name, text)
			require.NoError(t, err, text)
			p, err := decode.Program([]*ptx.File{file}, decode.Options{})
			require.NoError(t, err, text)
			mp, err := lower.Program(t.Context(), p, p.Function("k"), lower.Options{})
			require.NoError(t, err, text)
			code, err := exec.Bind(mp)
			require.NoError(t, err, text)
			memory := make([]byte, 4*arrayBytes)
			for n, ty := range form.Inputs {
				for i, v := range o.Operand(ty, n) {
					binary.LittleEndian.PutUint64(memory[n*arrayBytes+8*i:], v)
				}
			}
			launch := code.Launch(make([]byte, 8))
			w := &exec.Warp{Registers: make([]isa.Lanes32, mp.Registers+1), Block: &exec.Block{Launch: launch}, Scratch: new(exec.Scratch)}
			w.Predicates[isa.PT] = isa.FullMask
			for base := 0; base < oracle.Vectors; base += 32 {
				for lane := range 32 {
					w.Tid[0][lane] = uint32(base + lane)
				}
				straightLine(t, mp, code, w, memory)
			}
			wrong := 0
			for i, want := range form.Outputs {
				got := binary.LittleEndian.Uint64(memory[3*arrayBytes+8*i:]) << (64 - 8*form.Width) >> (64 - 8*form.Width)
				if got != want {
					if wrong++; wrong == 1 {
						var b strings.Builder
						require.NoError(t, lower.Print(mp, nil, &b))
						assert.Fail(t, "bits differ", "vector %d: %x, the GPU has %x\n%s", i, got, want, b.String())
					}
				}
			}
			require.Zero(t, wrong, "of %d vectors", oracle.Vectors)
		})
	}
}

// straightLine runs a kernel without branches on one warp; global memory is a slice from address 0 on.
func straightLine(t *testing.T, mp *isa.MachineProgram, code *exec.Code, w *exec.Warp, memory []byte) {
	for i := range code.Ops {
		op := &code.Ops[i]
		active := op.GuardMask(w, isa.FullMask)
		if mp.Ops[i].Control == isa.ControlExit && active == isa.FullMask {
			return
		}
		require.Equal(t, isa.ControlNone, mp.Ops[i].Control, "a body has no branches")
		if op.Kind != exec.KindMemory {
			op.Run(w, active)
			continue
		}
		var a exec.Access
		rest, fault := op.Access(w, active, &a)
		require.Nil(t, fault)
		require.Zero(t, rest)
		switch a.Space {
		case isa.SpaceLocal:
			fault = a.ApplyLocal(w.Local, mp.LocalBytes)
		case isa.SpaceParam:
			fault = a.ApplyFlat(w.Block.Launch.Bank0)
		default:
			fault = a.ApplyFlat(memory)
		}
		require.Nil(t, fault)
		op.Complete(w, &a, active)
	}
}
