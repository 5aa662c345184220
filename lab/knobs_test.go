package lab

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// Every value of every knob makes a chip that can be simulated, whichever chip it is turned on.
func TestKnobsTurn(t *testing.T) {
	chips := []string{"gk104", "gk107", "gk110", "k40", "k80"}
	if testing.Short() {
		chips = chips[2:3]
	}
	all, own, err := turnable(chips)
	require.NoError(t, err)
	for _, chip := range chips {
		for _, k := range all {
			require.NotEmpty(t, own[chip][k.Key], "%s has no key %s", chip, k.Key)
			values := k.Values
			for _, times := range k.Times {
				values = append(values, timesOf(t, own[chip][k.Key], times))
			}
			require.NotEmpty(t, values, k.Key)
			for _, v := range values {
				set := []string{k.Key + "=" + v}
				for key, factor := range k.With {
					set = append(set, key+"="+timesOf(t, v, float64(factor)))
				}
				_, err := configs.Load(chip, set)
				assert.NoError(t, err, "%s with %v", chip, set)
			}
		}
	}
}

// timesOf is a whole number so many times, as the page works it out.
func timesOf(t *testing.T, value string, times float64) string {
	n, err := strconv.Atoi(value)
	require.NoError(t, err, value)
	return strconv.Itoa(max(1, int(math.Round(float64(n)*times))))
}
