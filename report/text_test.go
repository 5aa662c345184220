package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/stats"
)

func TestLimitersAreAList(t *testing.T) {
	for want, names := range map[string][]string{
		"nothing":                            nil,
		"warps":                              {"warps"},
		"registers and shared memory":        {"registers", "shared_memory"},
		"warps, registers and shared memory": {"warps", "registers", "shared_memory"},
	} {
		assert.Equal(t, want, limiters(&stats.Launch{Occupancy: stats.Occupancy{Limiters: names}}))
	}
}
