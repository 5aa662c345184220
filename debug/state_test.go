package debug

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
)

// From wherever a step back begins, it leads to the same operation with and without states on the way, with the same registers; and to the
// same breakpoint.
func TestStepsBackFromStatesAreThoseFromTheBeginning(t *testing.T) {
	for _, timed := range []bool{true, false} {
		for _, file := range []string{"../workloads/bitonic/bitonic.yaml", "../workloads/mps/mps.yaml"} {
			o := Options{File: file, Host: host.Options{Config: "gk110"}.WithTiming(timed)}
			fast, slow := New(o), New(o)
			fast.kept.apart, slow.kept.none = 300, true
			ctx := t.Context()
			end, err := fast.Continue(ctx)
			require.NoError(t, err)
			require.Equal(t, AtEnd, end.Reason)
			require.Greater(t, len(fast.kept.list), 2)
			require.Less(t, len(fast.kept.list), mostStates)
			random := rand.New(rand.NewPCG(7, 7))
			for range 2 {
				at := 1 + random.Uint64N(end.Number)
				for _, s := range []*Session{fast, slow} {
					_, err := s.Goto(ctx, at)
					require.NoError(t, err)
				}
				require.Equal(t, slow.Stopped().String(), fast.Stopped().String())
				for _, unit := range []Unit{Instruction, OtherWarp, Cycle} {
					want, wantErr := slow.Back(ctx, unit, 1)
					got, err := fast.Back(ctx, unit, 1)
					assert.Equal(t, wantErr, err)
					assert.Equal(t, want.String(), got.String(), "%s %t: %s back from %d", file, timed, unit, at)
					assert.Equal(t, warpAt(slow), warpAt(fast))
					assert.Len(t, fast.run.requests, len(slow.run.requests))
				}
			}
			assert.Positive(t, fast.kept.begun)
			assert.Zero(t, slow.kept.begun)
			_, err = fast.Goto(ctx, end.Number+1) // past the end
			require.NoError(t, err)
			assert.True(t, fast.Ended())
			back, err := fast.Back(ctx, Instruction, 1)
			require.NoError(t, err)
			assert.Equal(t, end.Number, back.Number)
			fast.Close()
			slow.Close()
		}
	}
}

// warpAt is what the warp has at which a session stands: its paths, its scoreboard, and what the operation reads in each lane.
func warpAt(s *Session) (all []any) {
	w := s.Warp()
	if w == nil || w.State == nil {
		return nil
	}
	all = append(all, w.State.Paths(), w.State.Pending(), w.State.Context())
	if effect := w.Block.Grid.Machine.Ops[s.Stopped().Issue.Op].Effect; effect != nil {
		for i := range effect.Src {
			for lane := range 32 {
				value, ok := w.State.Operand(&effect.Src[i], lane)
				all = append(all, value, ok)
			}
		}
	}
	return all
}
