package arch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/arch"
	_ "github.com/keplersim/keplersim/arch/all"
)

func TestEachCapabilityBelongsToOneGeneration(t *testing.T) {
	for _, g := range arch.Generations() {
		for _, a := range g.Abilities {
			assert.Equal(t, g, a.Capability.Generation())
			assert.Equal(t, a, a.Capability.Abilities())
			c, err := arch.ParseCapability(a.Capability.String())
			require.NoError(t, err)
			assert.Equal(t, a.Capability, c)
		}
		assert.Panics(t, func() { arch.Register(g) })
		assert.Panics(t, func() { arch.Register(&arch.Generation{Name: "none"}) })
	}
	assert.Equal(t, "Kepler (sm_30 to sm_37)", arch.Latest().String())
	assert.Equal(t, "sm_30, sm_35 and sm_37", arch.Encoded())
	_, err := arch.ParseCapability("9.9")
	assert.ErrorContains(t, err, `"9.9" is not a compute capability that can be simulated:`)
	assert.Nil(t, arch.Capability(99).Generation())
}

// Each generation has what lowering and the host's calls read without a check.
func TestGenerationsAreWhole(t *testing.T) {
	kepler := arch.Latest()
	for _, g := range arch.Generations() {
		assert.NotNil(t, g.Latency, g.Name)
		assert.NotZero(t, g.UsualRegisters, g.Name)
		for number := range kepler.Attributes {
			assert.Contains(t, g.Attributes, number, "%s lacks a device attribute", g.Name)
		}
		c, ok := g.Class("LD.E.64")
		assert.False(t, ok, c)
		_, ok = g.Class("IADD.X")
		assert.True(t, ok, g.Name)
	}
}

// Fermi lacks the operations that Kepler brought, so lowering a kernel with them for a Fermi fails with an error that names them.
func TestFermiLacksWhatKeplerBrought(t *testing.T) {
	fermi := arch.Capability(20).Generation()
	for name := range arch.Latest().Operations {
		_, ok := fermi.Class(name)
		newer := name == "SHFL" || name == "SHF" || name == "VSIMD" || name == "VABSDIFF2" || name == "VABSDIFF4"
		assert.Equal(t, !newer, ok, name)
	}
	assert.Zero(t, fermi.Attributes[83], "managed memory")
}
