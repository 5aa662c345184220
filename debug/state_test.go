package debug

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
)

// Steps back reach the same operation, with the same registers, with and without kept states, and also the same breakpoint.
func TestStepsBackFromStatesAreThoseFromTheBeginning(t *testing.T) {
	for _, timed := range []bool{true, false} {
		for _, file := range []string{"../workloads/bitonic/bitonic.yaml", "../workloads/mps/mps.yaml"} {
			if testing.Short() && timed == strings.Contains(file, "mps") { // one of each
				continue
			}
			o := Options{File: file, Host: host.Options{Config: "gk110"}.WithTiming(timed)}
			fast, slow := New(o), New(o)
			fast.states.interval, slow.states.disabled = 300, true
			ctx := t.Context()
			end, err := fast.Continue(ctx)
			require.NoError(t, err)
			require.Equal(t, AtEnd, end.Reason)
			require.Greater(t, len(fast.states.list), 2)
			require.Less(t, len(fast.states.list), mostStates)
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
			assert.Positive(t, fast.states.restores)
			assert.Zero(t, slow.states.restores)
			_, err = fast.Goto(ctx, end.Number+1) // beyond the end
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

// warpAt is the state of a session's current warp: its paths, its scoreboard, and the operands of the operation in each lane.
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

// With breakpoints on hazards, a step back also runs from a state, without checks, as far as the run is known to be clean. It reaches the
// same operation and registers as a checked run from the beginning. Steps forwards from there still find hazards.
func TestStepsBackWithHazardsRunFromStates(t *testing.T) {
	for _, timed := range []bool{true, false} {
		if testing.Short() && !timed {
			continue
		}
		o := Options{File: "../workloads/bitonic/bitonic.yaml", Host: host.Options{Config: "gk110"}.WithTiming(timed)}
		fast, slow := New(o), New(o)
		fast.states.interval, slow.states.disabled = 300, true
		ctx := t.Context()
		for _, s := range []*Session{fast, slow} {
			s.Add(&Breakpoint{Hazard: true})
			end, err := s.Continue(ctx)
			require.NoError(t, err)
			require.Equal(t, AtEnd, end.Reason)
			require.Equal(t, end.Number, s.hazards.clean, "it has no hazard")
		}
		end := fast.Stopped().Number
		random := rand.New(rand.NewPCG(7, 8))
		for range 2 {
			at := 2 + random.Uint64N(end-2)
			slow.hazards = hazardBounds{}
			for _, s := range []*Session{fast, slow} {
				_, err := s.Goto(ctx, at)
				require.NoError(t, err)
				require.Equal(t, s == slow, s.run.checked)
			}
			require.Equal(t, slow.Stopped().String(), fast.Stopped().String())
			assert.Equal(t, warpAt(slow), warpAt(fast))
			for _, unit := range []Unit{Instruction, Cycle} {
				slow.hazards = hazardBounds{}
				want, wantErr := slow.Back(ctx, unit, 1)
				got, err := fast.Back(ctx, unit, 1)
				assert.Equal(t, wantErr, err)
				assert.Equal(t, want.String(), got.String())
				want, wantErr = slow.Step(ctx, unit, 1)
				got, err = fast.Step(ctx, unit, 1)
				assert.Equal(t, wantErr, err)
				assert.Equal(t, want.String(), got.String())
				assert.Equal(t, warpAt(slow), warpAt(fast))
			}
		}
		assert.Positive(t, fast.states.restores)
		fast.Close()
		slow.Close()
	}
}

// After a hazard, a step back needs no checks. Continuing or stepping forwards finds the hazard again.
func TestHazardsAreFoundAgain(t *testing.T) {
	for name, o := range map[string]Options{
		"a race":        reverse(t, "bug", false),
		"out of bounds": options(t, "memory.bug.ptx", "left_neighbour", 32, true, "i=u32[32]:ramp", "o=u32[32]"),
	} {
		t.Run(name, func(t *testing.T) { foundAgain(t, o) })
	}
}

func foundAgain(t *testing.T, o Options) {
	s := New(o)
	defer s.Close()
	s.states.interval = 1
	s.Add(&Breakpoint{Hazard: true})
	ctx := t.Context()
	first, err := s.Continue(ctx)
	require.NoError(t, err)
	require.Equal(t, AtHazard, first.Reason)
	require.Equal(t, first.Number-2, s.hazards.clean)
	again := func(stop Stop, err error) {
		t.Helper()
		require.NoError(t, err)
		assert.Equal(t, first.String(), stop.String())
		assert.True(t, s.run.checked)
	}
	_, err = s.Back(ctx, Instruction, 3)
	require.NoError(t, err)
	assert.False(t, s.run.checked)
	again(s.Continue(ctx))
	_, err = s.Goto(ctx, first.Number-5)
	require.NoError(t, err)
	assert.False(t, s.run.checked)
	for s.Stopped().Number < first.Number-1 {
		_, err := s.Step(ctx, OtherWarp, 1)
		require.NoError(t, err)
		if s.Stopped().Reason == AtHazard {
			break
		}
	}
	_, err = s.Goto(ctx, first.Number-1)
	require.NoError(t, err)
	again(s.Step(ctx, Instruction, 1))
	_, err = s.Goto(ctx, first.Number+1)
	require.NoError(t, err)
	assert.True(t, s.run.checked, "behind it checks are needed")
	_, err = s.BackToBreakpoint(ctx)
	assert.EqualError(t, err, "no breakpoint was hit before; this is the beginning")
}
