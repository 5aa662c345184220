package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
)

// Launches in two streams race if one writes what the other reads, unless an event, the default stream, a common stream or a waiting host
// orders them. The times at which they run do not matter.
func TestRacesBetweenStreams(t *testing.T) {
	module, err := filepath.Abs("../testdata/checks/global.fixed.ptx")
	require.NoError(t, err)
	const (
		write  = "  - launch: {kernel: shift_in_place, grid: [4], block: [32], stream: 1, args: [a, b]}\n"
		read   = "  - launch: {kernel: shift_in_place, grid: [4], block: [32], stream: 2, args: [b, c]}\n"
		legacy = "  - launch: {kernel: shift_in_place, grid: [4], block: [32], args: [b, c]}\n"
		same   = "  - launch: {kernel: shift_in_place, grid: [4], block: [32], stream: 1, args: [b, c]}\n"
		record = "  - event: {record: done, stream: 1}\n"
		wait   = "  - wait: {event: done, stream: 2}\n"
	)
	for name, c := range map[string]struct {
		steps string
		races bool
	}{
		"streams":          {write + read, true},
		"reversed":         {read + write, true},
		"event":            {write + record + wait + read, false},
		"early event":      {record + write + wait + read, true},
		"one stream":       {write + same, false},
		"default stream":   {write + legacy, false},
		"host":             {write + "  - sync: {stream: 1}\n" + read, false},
		"host for another": {write + "  - sync: {stream: 2}\n" + read, true},
		"host for all":     {write + "  - sync: all\n" + read, false},
		"host for event":   {write + record + "  - sync: {event: done}\n" + read, false},
	} {
		for _, functional := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "streams.yaml")
				text := "name: streams\nmodule: " + module +
					"\nbuffers:\n  a: {type: u32, count: 129, init: {ramp: {start: 7, step: 3}}}\n" +
					"  b: {type: u32, count: 129}\n  c: {type: u32, count: 129}\nsteps:\n" + c.steps
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
				job, err := Open(t.Context(), file, Options{Simulator: sim.Options{Functional: functional, Check: finding.All}})
				require.NoError(t, err)
				result, err := job.Run(t.Context())
				require.NoError(t, err)
				if !c.races {
					assert.Empty(t, result.Mistakes)
					return
				}
				require.NotEmpty(t, result.Mistakes)
				for _, f := range result.Mistakes {
					assert.Equal(t, finding.RaceStreams, f.Rule, "%s", f)
					assert.NotEqual(t, f.Places[0].Launch, f.Places[1].Launch)
					assert.Equal(t, 3, f.Places[0].Stream+f.Places[1].Stream)
				}
			})
		}
	}
}
