package memory

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// What was written while a journal was open is taken back, or stays, whatever was written where and how often.
func TestAJournalTakesWritesBack(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 1))
	g := NewGlobal(config)
	const size = 3 << pageShift
	address, err := g.Allocate("a", size)
	require.NoError(t, err)
	before, after := make([]byte, size), make([]byte, size)
	for round := range 20 {
		require.NoError(t, g.Read(address, before))
		g.OpenJournal()
		for range 30 {
			a := &exec.Access{Kind: exec.AccessStore, Space: isa.SpaceGlobal, Bytes: 1 << random.IntN(4), Active: random.Uint32()}
			for lane := range 32 {
				a.Address[lane] = address + random.Uint64N(size/8)*8
				a.Data[0][lane], a.Data[1][lane] = random.Uint32(), random.Uint32()
			}
			g.Keep(a, a.Active)
			g.Apply(a, a.Active)
			at := a.Address[bits.TrailingZeros32(a.Active|1<<31)&31]
			if r := g.KeptReach(at); r.Bytes > 0 {
				require.LessOrEqual(t, r.From, at)
				require.Greater(t, r.From+r.Bytes, at)
				for page := (r.From - g.base) >> keptShift; page<<keptShift < r.From+r.Bytes-g.base; page++ {
					require.True(t, g.journal.isKept[page])
				}
			}
		}
		require.NoError(t, g.Read(address, after))
		require.False(t, bytes.Equal(before, after))
		undo := round%3 > 0
		require.Equal(t, undo, g.CloseJournal(undo))
		want := after
		if undo {
			want = before
		}
		got := make([]byte, size)
		require.NoError(t, g.Read(address, got))
		require.True(t, bytes.Equal(want, got), "round %d", round)
		require.False(t, g.Journaling())
	}
}

// More than a journal keeps is not taken back, and stays as it is.
func TestAJournalHasABound(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	g := NewGlobal(config)
	const size = (keptMost + 1) << keptShift
	address, err := g.Allocate("a", size)
	require.NoError(t, err)
	write := func(page uint64) {
		a := &exec.Access{Kind: exec.AccessStore, Space: isa.SpaceGlobal, Bytes: 4, Active: 1}
		a.Address[0], a.Data[0][0] = address+page<<keptShift, 7
		g.Keep(a, 1)
		g.Apply(a, 1)
	}
	for _, pages := range []uint64{keptMost, keptMost + 1} {
		g.OpenJournal()
		for page := range pages {
			write(page)
		}
		require.Equal(t, pages == keptMost, g.CloseJournal(true))
		word := make([]byte, 4)
		require.NoError(t, g.Read(address+(keptMost-1)<<keptShift, word))
		require.Equal(t, pages > keptMost, word[0] == 7)
	}
}
