package decode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/mutate"
)

// FuzzProgram decodes any tree from the parser, also from text with errors. Decoding never panics, and a program that it accepts is well
// formed.
func FuzzProgram(f *testing.F) {
	for _, pattern := range []string{"../ptx/testdata/*.ptx", "testdata/*.ptx"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, path := range paths {
			source, err := os.ReadFile(path)
			require.NoError(f, err)
			f.Add(string(source))
			for seed := range uint64(50) {
				f.Add(mutate.Text(seed, string(source)))
			}
			for _, line := range strings.Split(string(source), "\n") {
				f.Add(line)
				f.Add(kernelOf(line))
			}
		}
	}
	for _, line := range []string{
		"tex.2d.v4.f32.f32 {%r1,_,%r3,_}, [texture, {0f3F800000, %r2}];",
		"tex.level.a2d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [%d1, sampler, {%r1,%r2,%r3,%r4}], 1;",
		"tex.grad.3d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [texture, {%r1,%r2,%r3,%r4}], {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8};",
		"tld4.g.cube.v4.f32.f32 {%r1,%r2,%r3,%r4}, [%d1, {%r1,%r2,%r3,%r4}];",
		"txq.level.width.b32 %r1, [texture], %r2; suq.height.b32 %r1, [%d2];",
		"@%p1 suld.b.a1d.v2.b16.clamp {%h1,%h2}, [surface, {%r1, 7}];",
		"sust.p.3d.v4.b32.zero [%d1, {%r1,%r2,%r3,%r3}], {0, %r1, 5, %r2}; sured.b.min.2d.s32.trap [surface, {%r1,%r2}], -1;",
		"istypep.surfref %p1, %d1; mov.u64 %d1, texture;",
	} {
		f.Add(kernelOf(line))
	}
	executions.Fuzz(f, func(t *testing.T, source string) {
		file, _ := ptx.Parse("fuzz.ptx", source)
		p, err := Program([]*ptx.File{file}, Options{})
		if err == nil {
			wellFormed(t, p)
		}
	})
}

// wellFormed checks what later stages rely on.
func wellFormed(t *testing.T, p *isa.Program) {
	t.Helper()
	for _, f := range p.Functions {
		for _, b := range f.Blocks {
			require.NotEmpty(t, b.Instructions)
			for k, i := range b.Instructions {
				require.True(t, !i.Terminator() || k == len(b.Instructions)-1, "a terminator ends its block")
				require.Less(t, int(i.Line), len(p.Lines))
				check := func(o *isa.Operand) {
					switch o.Kind {
					case isa.OperandRegister, isa.OperandPredicate:
						require.Less(t, int(o.Register), len(f.Registers))
						declared := f.Registers[o.Register].Type
						require.Equal(t, declared == isa.Pred, o.Kind == isa.OperandPredicate, i.Format(f))
						if o.Kind == isa.OperandRegister {
							require.Equal(t, declared.Registers(), o.Type.Registers(), i.Format(f))
						}
					case isa.OperandSymbol:
						require.Less(t, int(o.Symbol), len(p.Symbols))
					case isa.OperandFunction:
						require.Less(t, int(o.Symbol), len(p.Functions))
					case isa.OperandNone, operandVariable, operandShared:
						require.Fail(t, "unresolved operand", i.Format(f))
					case isa.OperandSpecial:
						require.True(t, i.Op == isa.OpMov || i.Op == isa.OpCvt, i.Format(f))
					}
				}
				i.Sources(check)
				i.Destinations(check)
			}
		}
	}
}
