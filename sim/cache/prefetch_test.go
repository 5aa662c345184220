package cache

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

func TestPrefetchers(t *testing.T) {
	at := func(pc int32, line uint64) Access { return Access{Line: line, PC: pc, Warp: 3} }
	for _, test := range []struct {
		name   string
		misses []Access
		ahead  []uint64 // after the last miss
	}{
		{"next-line", []Access{at(1, 0x1000)}, []uint64{0x1080, 0x1100}},
		{"stride", []Access{at(1, 0x1000), at(1, 0x1400)}, nil},
		{"stride", []Access{at(1, 0x1000), at(1, 0x1400), at(1, 0x1800)}, []uint64{0x1c00, 0x2000}},
		{"stride", []Access{at(1, 0x2000), at(1, 0x1f80), at(2, 0x9000), at(1, 0x1f00)}, []uint64{0x1e80, 0x1e00}},
		{"stride", []Access{Unattributed(0), Unattributed(128), Unattributed(256)}, nil},
	} {
		p, err := NewPrefetcher(configs.Policy("{name: "+test.name+", degree: 2}"), 128)
		require.NoError(t, err)
		var ahead []uint64
		for _, a := range test.misses {
			ahead = p.Miss(a, nil)
		}
		require.Equal(t, test.ahead, ahead, "%s %v", test.name, test.misses)
	}
	p, err := NewPrefetcher("none", 128)
	require.NoError(t, err)
	require.Nil(t, p)
	_, err = NewPrefetcher("nextline", 128)
	require.EqualError(t, err, `no prefetcher "nextline"; there are next-line, none, stride; did you mean next-line?`)
}

// A prefetched line takes a miss register, which an access to it shares, and which is free again when the line has arrived.
func TestPrefetchedLines(t *testing.T) {
	c := newCache(t, Spec{Sets: 4, Ways: 2, LineBytes: 128, SectorBytes: 32, Policy: "lru", MissRegisters: 2, MissMerges: 2})
	require.EqualValues(t, 0b1111, c.Prefetch(0, 0b1111))
	require.Zero(t, c.Prefetch(0, 0b0011), "in flight")
	status, fetch := c.Access(Unattributed(0), 0b0001, 7)
	require.Equal(t, MissMerged, status)
	require.Zero(t, fetch)
	released, _ := c.Fill(0, 0b0001, nil)
	require.Equal(t, []uint64{7}, released)
	require.Equal(t, 1, c.Pending(), "three sectors are still in flight")
	c.Fill(0, 0b1110, nil)
	require.Zero(t, c.Pending())
	require.Zero(t, c.Prefetch(0, 0b1111), "here")
	c.Access(Unattributed(128), 1, 8)
	c.Access(Unattributed(256), 1, 9)
	require.Zero(t, c.Prefetch(384, 1), "no register is free")
}

// When a line is filled, the policy receives the access that missed first.
func TestReplacementHearsWhoMissed(t *testing.T) {
	heard := &listener{}
	c := newCache(t, Spec{Sets: 1, Ways: 1, LineBytes: 128, Policy: "lru", MissRegisters: 2, MissMerges: 2})
	c.policy, c.ordered = heard, false
	c.Access(Access{Line: 0, PC: 5, Warp: 2}, 1, 1)
	c.Access(Access{Line: 0, PC: 6, Warp: 3}, 1, 2)
	c.Fill(0, 1, nil)
	c.Access(Access{Line: 0, PC: 9, Warp: 4}, 1, 3)
	c.Access(Access{Line: 128, PC: 7, Warp: 1}, 1, 4)
	c.Fill(128, 1, nil)
	require.Equal(t, []string{"filled 5/2", "used 9/4", "victim 7/1", "filled 7/1"}, heard.calls)
}

type listener struct{ calls []string }

func (l *listener) note(what string, a Access) {
	l.calls = append(l.calls, what+" "+string(rune('0'+a.PC))+"/"+string(rune('0'+a.Warp)))
}
func (l *listener) Used(_, _ int, a Access)   { l.note("used", a) }
func (l *listener) Filled(_, _ int, a Access) { l.note("filled", a) }
func (l *listener) Victim(_ int, a Access) int {
	l.note("victim", a)
	return 0
}
