package lab

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/lab/engine"
)

// Every value of every knob makes a chip that can be simulated, whichever chip it is turned on.
func TestKnobsTurn(t *testing.T) {
	chips := []string{"gk104", "gk107", "gk110", "k40", "k80"}
	if testing.Short() {
		chips = chips[2:3]
	}
	all, own, err := knobsWithSchema(chips)
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

// timesOf multiplies a whole number as the page does.
func timesOf(t *testing.T, value string, times float64) string {
	n, err := strconv.Atoi(value)
	require.NoError(t, err, value)
	return strconv.Itoa(max(1, int(math.Round(float64(n)*times))))
}

// Turning off a mechanism does not change the results of any lesson's cell. Short tests try one mechanism for each lesson.
func TestMechanismsTurnOff(t *testing.T) {
	all, _, err := knobsWithSchema([]string{"gk110"})
	require.NoError(t, err)
	var off []string
	for _, k := range all {
		if strings.HasPrefix(k.Key, "ideal.") {
			off = append(off, k.Key)
		}
	}
	chip, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	for key, value := range chip.Leaves() {
		if strings.HasPrefix(key, "ideal.") && value == "false" {
			assert.Contains(t, off, key, "the page cannot turn it off")
		}
	}
	lessons, err := Lessons()
	require.NoError(t, err)
	for n, l := range lessons {
		keys := off
		if testing.Short() {
			keys = off[n%len(off):][:1]
		}
		wrong := func(set ...string) []string { // some cells begin with a wrong result
			q := l.Cells[0].Request(l.Cells[0].PTX)
			q.Set = set
			r, err := engine.Run(context.Background(), q, engine.Limits{})
			require.NoError(t, err)
			require.Empty(t, r.Error, "%s %v", l.Slug, set)
			return r.Wrong
		}
		with := wrong()
		for _, key := range keys {
			assert.Equal(t, with, wrong(key+"=true"), "%s without %s", l.Slug, key)
		}
	}
}
