package randomptx_test

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/fuzz"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/testkit/randomptx"
)

// Programs with paths that leave the kernel give the plain evaluator's results in every way to run them.
func TestEvaluatorAgreesWherePathsLeave(t *testing.T) {
	first, programs := firstSeed(t), uint64(180)
	if testing.Short() {
		programs = 36
	}
	ways := []struct {
		name    string
		options sim.Options
	}{
		{"machine code", sim.Options{Functional: true}},
		{"interpreted", sim.Options{Functional: true, Observer: observe.Silent{}}},
		{"timed", sim.Options{}},
		{"screened", sim.Options{Functional: true, Check: finding.All}},
		{"checked", sim.Options{Check: finding.All}},
		{"calls stay calls", sim.Options{Functional: true, Unoptimised: true}},
	}
	data := fuzz.Input()
	for n, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			o := way.options
			o.Threads = 1
			for s := first + uint64(n); s < first+programs; s += uint64(len(ways)) {
				text := fuzz.GenerateLeaving(s)
				want, err := randomptx.Evaluate(text, data)
				require.NoError(t, err, "-seed %d:\n%s", s, text)
				got := simulate(t, fmt.Sprintf("seed %d", s), text, o)
				for thread := range fuzz.Threads {
					from, to := thread*4*fuzz.OutputWords, (thread+1)*4*fuzz.OutputWords
					require.Equal(t, hex.EncodeToString(want[from:to]), hex.EncodeToString(got[from:to]), "-seed %d, thread %d:\n%s", s,
						thread, text)
				}
			}
		})
	}
}
