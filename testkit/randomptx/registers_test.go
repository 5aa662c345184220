package randomptx_test

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/fuzz"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/randomptx"
)

// Random programs can be allocated under every register limit, and spills do not change the evaluator's results.
func TestEvaluatorAgreesUnderCaps(t *testing.T) {
	first := firstSeed(t)
	programs := uint64(144)
	if testing.Short() {
		programs = 12
	}
	data := fuzz.Input()
	for s := first; s < first+programs; s++ {
		registers := 16 + int(s%48)
		text := fuzz.Generate(s)
		got := simulate(t, fmt.Sprintf("seed %d", s), text, sim.Options{Functional: s%4 != 0, Threads: 1, MaxRegisters: registers})
		want, err := randomptx.Evaluate(text, data)
		require.NoError(t, err, "-seed %d", s)
		if !assert.Equal(t, hex.EncodeToString(want), hex.EncodeToString(got), "-seed %d, %d registers:\n%s", s, registers, text) {
			return
		}
	}
}

// A random program gives the same bytes under every register limit up to its need. Short runs try a few.
func TestEveryCapGivesTheSameBytes(t *testing.T) {
	first, programs, step := firstSeed(t), uint64(24), 1
	if testing.Short() {
		programs, step = 4, 6
	}
	data, runs := fuzz.Input(), 0
	for s := first; s < first+programs; s++ {
		text := fuzz.Generate(s)
		want, err := randomptx.Evaluate(text, data)
		require.NoError(t, err, "-seed %d", s)
		file, err := ptx.Parse(fmt.Sprintf("seed %d", s), text)
		require.NoError(t, err)
		p, err := decode.Program([]*ptx.File{file}, decode.Options{})
		require.NoError(t, err)
		machine, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
		require.NoError(t, err)
		for registers := machine.Registers - 1; registers >= 20; registers -= step {
			got := simulate(t, fmt.Sprintf("seed %d", s), text, sim.Options{Functional: true, Threads: 1, MaxRegisters: registers})
			require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(got), "-seed %d, %d registers:\n%s", s, registers, text)
			runs++
		}
	}
	t.Logf("%d runs", runs)
}
