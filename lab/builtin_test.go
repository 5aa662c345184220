package lab_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
	"github.com/keplersim/keplersim/toolchain"
)

// builtin compiles a lesson's CUDA C with the built-in compiler, as a browser does.
func builtin(t *testing.T, text string) string {
	t.Helper()
	r, err := toolchain.Compile(context.Background(), "kernel.cu", toolchain.Options{
		Arch: engine.Architecture, LineInfo: true, Compiler: toolchain.UseBuiltin, Text: []byte(text),
	})
	require.NoError(t, err)
	require.True(t, r.Builtin)
	return string(r.PTX)
}

// The built-in compiler takes all CUDA C of the lessons as it is written: model answers pass, wrong answers fail, what an exercise
// begins with fails, and the cycles of each kernel are within a twentieth of those of clang's code.
func TestLessonsWithTheBuiltinCompiler(t *testing.T) {
	all, err := lab.Lessons()
	require.NoError(t, err)
	for _, l := range all {
		for _, c := range l.Cells {
			if c.Language != exercise.CUDA {
				continue
			}
			if c.Name == "add" || c.Name == "pairs" {
				continue // twelve instructions: one more is a tenth
			}
			t.Run(l.Slug+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				assert.InEpsilon(t, cyclesByClang(c.Name), cyclesOfBoth(t, c, c.Code), 0.05, "cycles by those of clang's code")
			})
		}
		for _, e := range l.Exercises {
			if e.Answer.Language != exercise.CUDA {
				continue
			}
			t.Run(l.Slug+"/"+e.Name, func(t *testing.T) {
				t.Parallel()
				cell := l.Cell(e.Cell)
				grade := func(code exercise.Code) *exercise.Grade {
					g, err := e.Grade(context.Background(), cell, builtin(t, code.Text), engine.Limits{})
					require.NoError(t, err)
					return g
				}
				answer := grade(e.Answer)
				assert.True(t, answer.Passed, "the model answer: %v", answer.Checks)
				assert.False(t, grade(e.Wrong).Passed, "the wrong answer passes")
				assert.False(t, grade(cell.Code).Passed, "the exercise is solved as it stands")
				assert.InEpsilon(t, cyclesByClang(e.Name), cyclesOfBoth(t, cell, e.Answer), 0.05, "cycles by those of clang's code")
			})
		}
	}
}

// cyclesByClang is what the built-in compiler's code takes by clang's. Of a loop x = x * a + k clang computes the last x once more
// behind the loop, from the product, which therefore does not become part of a multiply-add: the lesson on divergence is slower with
// clang. In the lesson on power it factors 3 out of 32 unrolled turns, which leaves 8 multiplications, and adds their constants up.
func cyclesByClang(name string) float64 {
	switch name {
	case "kinds":
		return 0.88
	case "joules":
		return 1.2
	case "sorted":
		return 0.9
	}
	return 1
}

// cyclesOfBoth runs a kernel as both compilers make it, and returns the built-in compiler's cycles by clang's.
func cyclesOfBoth(t *testing.T, cell *exercise.Cell, code exercise.Code) float64 {
	t.Helper()
	var cycles []float64
	var wrong []int // buffers, alike with both: some cells begin with a wrong result
	for _, ptx := range []string{code.PTX, builtin(t, code.Text)} {
		r, err := engine.Run(context.Background(), cell.Request(ptx), engine.Limits{})
		require.NoError(t, err)
		require.Empty(t, r.Error)
		wrong = append(wrong, len(r.Wrong))
		launch := r.Launch("")
		require.NotNil(t, launch)
		cycles = append(cycles, float64(launch.Cycles))
	}
	assert.Equal(t, wrong[0], wrong[1], "buffers that differ from what is expected")
	t.Logf("cycles: clang %.0f, built-in %.0f", cycles[0], cycles[1])
	return cycles[1] / cycles[0]
}
