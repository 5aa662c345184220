package memorymode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBankModes(t *testing.T) {
	for width, ok := range map[int]bool{-4: false, 0: false, 1: false, 4: true, 8: true, 16: false} {
		m, err := ParseBankMode(width)
		assert.Equal(t, ok, err == nil, width)
		if ok {
			assert.Equal(t, width, int(m))
		}
	}
	assert.Equal(t, Bank8, BankDefault.Or(Bank8))
	assert.Equal(t, Bank4, Bank4.Or(Bank8))
}

func TestGlobalLoads(t *testing.T) {
	for _, name := range LoadNames() {
		g, err := ParseGlobalLoads(name)
		require.NoError(t, err)
		assert.NotEqual(t, LoadsDefault, g)
		assert.Equal(t, g, g.Or(LoadsToL2))
		assert.Equal(t, g, LoadsDefault.Or(g))
	}
	_, err := ParseGlobalLoads("cs")
	assert.EqualError(t, err, "cs: global loads go through L1 (ca) or to L2 (cg)")
}
