package memory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of two arrays copied one after the other, L2 holds the second whole if there is room for it and for the host lines that it was read from.
// Of the first it holds as much as there is room left for.
func TestNewestHostCopiesStayInL2(t *testing.T) {
	for _, c := range []struct {
		config, override string
		part             float64 // of L2 that an array fills
		older, newer     float64 // shares of the arrays
	}{
		{"k40", "l2.host_copy_lines=2", 1. / 6, 1, 1},
		{"k40", "l2.host_copy_lines=2", 1. / 3, 0.5, 1},
		{"k40", "l2.host_copy_limit=1M", 2. / 3, 0, 0.75},
		{"k40", "l2.host_copy_limit=512K", 2. / 3, 0, 0},
		{"gtx680", "l2.host_copy_lines=2", 1. / 2, 0, 1},
		{"gtx680", "l2.host_copy_lines=1", 1. / 2, 1, 1},
		{"gtx680", "l2.host_copy_lines=0", 1. / 2, 0, 0},
	} {
		config := load(t, c.config, c.override)
		g := NewGlobal(config)
		s := New(config, g)
		bytes := uint64(float64(config.L2.Bytes) * c.part)
		for _, want := range []float64{c.older, c.newer} {
			address, err := g.Allocate("x", bytes)
			require.NoError(t, err)
			s.HostWrite(address, bytes)
			defer func() {
				there := 0
				for at := address; at < address+bytes; at += 128 {
					number, local := s.addresses.slice(at)
					valid, dirty := s.slices[number].cache.Probe(local)
					require.Zero(t, dirty)
					if valid == 0xf {
						there++
					}
				}
				require.InDelta(t, want, float64(there)*128/float64(bytes), 0.05, "%s %s", c.config, c.override)
			}()
		}
		s.Step(s.EpochCycles())
		require.Zero(t, s.Counters(houseAccount).DRAMReadSectors)
	}
}

func BenchmarkSmallHostWrite(b *testing.B) {
	cfg := load(b, "k40")
	s := New(cfg, NewGlobal(cfg))
	for range b.N {
		s.HostWrite(firstAddress, 4)
	}
}
