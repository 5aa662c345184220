package scheduler

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// clock is a scheduler that knows the time alone.
type clock struct {
	Warps
	now engine.Cycle
}

func (c *clock) Now() engine.Cycle { return c.now }

// picks runs a policy over a sequence of ready masks, one a cycle; there is no pick where none is ready. The warp of slot s arrived at time
// started[s].
func picks(t *testing.T, policy configs.Policy, started [Slots]uint64, ready ...uint64) []int {
	t.Helper()
	at := &clock{}
	p, err := New(policy, Spec{Warps: at})
	require.NoError(t, err)
	var chosen []int
	for _, r := range ready {
		if at.now++; r != 0 {
			chosen = append(chosen, p.Pick(r, &started))
		}
	}
	return chosen
}

func TestPolicies(t *testing.T) {
	started := [Slots]uint64{0: 9, 1: 3, 2: 5, 3: 7, 63: 1}
	for _, c := range []struct {
		policy configs.Policy
		ready  []uint64
		want   []int
	}{
		{"oldest", []uint64{0b1111, 0b1101, 0b1001, 0b0001, 1<<63 | 1}, []int{1, 2, 3, 0, 63}},
		// Every warp is a block: the last one as long as it is ready, then the oldest.
		{"gto", []uint64{0b0100, 0b1111, 0b1111, 0b1011, 0b1111}, []int{2, 2, 2, 1, 1}},
		// The last one as long as it is ready, then the next in turn.
		{"grr", []uint64{0b0100, 0b1111, 0b1011, 0b1111, 0b0111, 1<<63 | 2, 2}, []int{2, 2, 3, 3, 0, 1, 1}},
		{"lrr", []uint64{0b1111, 0b1111, 0b1111, 0b1111, 0b1111, 0b1001, 1<<63 | 1, 1<<63 | 1}, []int{0, 1, 2, 3, 0, 3, 63, 0}},
		// Slots 1 and 2, the oldest, form the set until 1 is not ready; then 3, older than 0, joins.
		{"{name: two-level, group: 2}", []uint64{0b1111, 0b1111, 0b1111, 0b1101, 0b1101, 0b1101}, []int{1, 2, 1, 2, 3, 2}},
	} {
		assert.Equal(t, c.want, picks(t, c.policy, started, c.ready...), c.policy)
	}
}

// The warps of a block take turns, whatever their slots and whichever warps issued in between. The policy stays with a block while the warp
// that issued last is ready, even if an older one waits.
func TestWarpsOfABlockTakeTurns(t *testing.T) {
	started := [Slots]uint64{0: 8, 1: 4, 2: 8, 3: 4, 4: 4}
	const younger, older, all = 0b00101, 0b11010, 0b11111
	assert.Equal(t, []int{0, 1, 3, 4, 2, 0, 1, 3, 4},
		picks(t, "gto", started, younger, older, all, all, younger, all, all&^0b00001, all&^0b00010, all))
}

// A wait of three cycles or more puts a warp behind those that are ready, even if no other is ready meanwhile. A shorter one does not.
// While a warp stays ready, the scheduler stays with its block.
func TestLongWaitsQueueAgain(t *testing.T) {
	const policy = "{name: fifo, wait: 3}"
	started := [Slots]uint64{0: 1, 1: 2, 2: 3, 3: 3}
	assert.Equal(t, []int{0, 1, 1, 0}, picks(t, policy, started, 0b111, 0b110, 0b110, 0b101), "a wait of two cycles")
	assert.Equal(t, []int{0, 1, 1, 1, 2}, picks(t, policy, started, 0b111, 0b110, 0b110, 0b110, 0b101), "of three")
	assert.Equal(t, []int{0, 1, 2}, picks(t, policy, started, 0b111, 0, 0, 0b110, 0b101), "the first waits longer than the others")
	assert.Equal(t, []int{1, 1, 0}, picks(t, policy, started, 0b010, 0b011, 0b001), "stays with a ready warp")
	assert.Equal(t, []int{2, 3, 2, 3}, picks(t, policy, started, 0b1100, 0b1100, 0b1100, 0b1100), "warps of a block take turns")

	at := &clock{}
	p, err := New(policy, Spec{Warps: at})
	require.NoError(t, err)
	assert.Equal(t, 0, p.Pick(0b111, &started))
	at.now, started[0] = 1, 9
	assert.Equal(t, 0, p.Pick(0b001, &started))
	at.now = 2
	assert.Equal(t, 1, p.Pick(0b110, &started))
	at.now = 3
	assert.Equal(t, 2, p.Pick(0b101, &started), "a new warp is the last")
}

func TestEveryPolicyPicksAReadySlot(t *testing.T) {
	var started [Slots]uint64
	for i := range started {
		started[i] = uint64(i*37%Slots) + 1
	}
	for _, name := range Names() {
		p, err := New(configs.Policy(name), Spec{Warps: &clock{}})
		require.NoError(t, err)
		state := uint64(1)
		for range 10_000 {
			state = state*6364136223846793005 + 1442695040888963407
			ready := state & (state >> 7)
			if ready == 0 {
				continue
			}
			assert.NotZero(t, ready>>p.Pick(ready, &started)&1, name)
		}
	}
}

func TestUnknownPolicyNamesTheOthers(t *testing.T) {
	_, err := New("greedy", Spec{})
	assert.EqualError(t, err, `no scheduler policy "greedy"; there are fifo, grr, gto, lrr, oldest, two-level`)
}
