package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// The newest lines of a copy are in L2 where the chip's copies go through it: all of one that is half as large as L2, and
// none on a chip whose copies go past it.
func TestHostCopiesStayInL2(t *testing.T) {
	for _, c := range []struct {
		config string
		stays  bool
	}{{"k40", true}, {"gtx680", false}} {
		config, err := configs.Load(c.config, nil)
		require.NoError(t, err)
		g := NewGlobal(config)
		s := New(config, g)
		bytes := uint64(config.L2.Bytes) / 2
		address, err := g.Allocate("x", bytes)
		require.NoError(t, err)
		s.HostWrite(address, bytes)
		for at := address; at < address+bytes; at += 128 {
			number, local := s.addresses.slice(at)
			valid, dirty := s.slices[number].cache.Probe(local)
			require.Equal(t, c.stays, valid == 0xf, "%s at %#x", c.config, at)
			require.Zero(t, dirty)
		}
		assert.Zero(t, s.stats.DRAMReadSectors)
	}
}
