package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/machinecode"
	"github.com/keplersim/keplersim/isa/ptx"
)

// wayKernel lowers a kernel with a body.
func wayKernel(t *testing.T, body string) *isa.MachineProgram {
	t.Helper()
	file, err := ptx.Parse("way.ptx", ".version 4.2\n.target sm_35\n.address_size 64\n"+
		".visible .entry k(.param .u64 data, .param .u32 count)\n{\n"+
		".reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .f32 %f<8>;\n.reg .b64 %d<8>;\n.shared .align 4 .b8 tile[512];\n"+
		"ld.param.u64 %d1, [data];\nld.param.u32 %r1, [count];\nmov.u32 %r2, %tid.x;\nmad.wide.u32 %d2, %r2, 4, %d1;\n"+body+"ret;\n}\n")
	require.NoError(t, err)
	p, err := decode.Program([]*ptx.File{file}, decode.Options{})
	require.NoError(t, err)
	mp, err := lower.Program(t.Context(), p, p.Function("k"), lower.Options{})
	require.NoError(t, err)
	return mp
}

// The slice has everything that control flow and addresses are computed from, through memory as well.
func TestFindWay(t *testing.T) {
	sum := "loop:\nld.global.f32 %f1, [%d2];\nfma.rn.f32 %f2, %f1, %f1, %f2;\nadd.s64 %d2, %d2, 128;\nsub.u32 %r1, %r1, 1;\n" +
		"setp.ne.u32 %p1, %r1, 0;\n@%p1 bra loop;\n"
	for name, c := range map[string]struct {
		body  string
		left  []isa.Opcode // left out, of each at least one
		taken []isa.Opcode // every one of them belongs to it
	}{
		"values": {
			sum + "st.global.f32 [%d1], %f2;\n", []isa.Opcode{isa.OpLd, isa.OpFma, isa.OpSt}, []isa.Opcode{isa.OpSetp},
		},
		"a value that decides": {
			"loop:\nld.global.f32 %f1, [%d2];\nfma.rn.f32 %f2, %f1, %f1, %f2;\nadd.s64 %d2, %d2, 128;\n" +
				"setp.lt.f32 %p1, %f2, 0f40000000;\n@%p1 bra loop;\nst.global.f32 [%d1], %f2;\n",
			nil, []isa.Opcode{isa.OpLd, isa.OpFma, isa.OpSetp, isa.OpSt},
		},
		"an index that is loaded": {
			"ld.global.u32 %r3, [%d2];\nmad.wide.u32 %d3, %r3, 4, %d1;\nld.global.f32 %f1, [%d3];\nmul.f32 %f2, %f1, %f1;\n" +
				"st.shared.f32 [tile], %f2;\n", []isa.Opcode{isa.OpMul, isa.OpSt}, nil,
		},
		"through shared memory": {
			"ld.global.u32 %r3, [%d2];\nst.shared.u32 [tile], %r3;\nbar.sync 0;\nld.shared.u32 %r4, [tile];\n" +
				"mad.wide.u32 %d3, %r4, 4, %d1;\nst.global.u32 [%d3], %r1;\n", nil, []isa.Opcode{isa.OpLd, isa.OpSt},
		},
		"a guard": {
			"ld.global.f32 %f1, [%d2];\nsetp.gt.f32 %p1, %f1, 0f00000000;\nmul.f32 %f2, %f1, %f1;\n@%p1 st.shared.f32 [tile], %f2;\n",
			[]isa.Opcode{isa.OpMul, isa.OpSt}, []isa.Opcode{isa.OpLd, isa.OpSetp},
		},
		"what takes a slow path": {
			"ld.global.f32 %f1, [%d2];\nmul.f32 %f2, %f1, %f1;\ndiv.rn.f32 %f3, %f2, %f1;\nst.shared.f32 [tile], %f3;\n",
			[]isa.Opcode{isa.OpSt}, []isa.Opcode{isa.OpLd, isa.OpMul},
		},
		"a reduction": {
			"ld.global.u32 %r3, [%d2];\nred.shared.add.u32 [tile], %r3;\n", []isa.Opcode{isa.OpLd, isa.OpRed}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			mp := wayKernel(t, c.body)
			way := exec.FindTimingSlice(mp)
			require.Len(t, way, len(mp.Ops))
			left := map[isa.Opcode]int{}
			for i := range mp.Ops {
				if effect := mp.Ops[i].Effect; effect != nil && !way[i] {
					left[effect.Op]++
				}
			}
			for _, op := range c.left {
				require.NotZero(t, left[op], "%s is left out", op)
			}
			for _, op := range c.taken {
				require.Zero(t, left[op], "%s belongs to it", op)
			}
		})
	}
}

// Operations that are left out count as executed, on as many lanes.
func TestWayCounts(t *testing.T) {
	if !machinecode.Supported() {
		t.Skip("this host runs no machine code made here")
	}
	mp := wayKernel(t, "ld.global.u32 %r3, [%d1+64];\nsetp.gt.u32 %p1, %r2, 20;\n@%p1 add.u32 %r3, %r3, 7;\nst.global.u32 [%d1+4], %r3;\n")
	code, err := exec.Bind(mp)
	require.NoError(t, err)
	native := exec.Translate(code, mp)
	require.NotNil(t, native)
	memory := make([]byte, 256)
	memory[64] = 5
	for _, active := range []uint32{isa.FullMask, 0x0ff0_ff00} {
		whole, part := newRandomWarp(code, mp, memory), newRandomWarp(code, mp, memory)
		executed, lanes := whole.native(t, native, mp, active)
		part.timingOnly = true
		gotExecuted, gotLanes := part.native(t, native, mp, active)
		require.Equal(t, executed, gotExecuted)
		require.Equal(t, lanes, gotLanes)
		require.NotEqual(t, memory, whole.memory)
		require.Equal(t, memory, part.memory, "the store is left out")
	}
}
