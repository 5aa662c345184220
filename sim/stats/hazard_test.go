package stats

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCausesComeFirst(t *testing.T) {
	unset := Hazard{Kind: HazardUnset, Shared: true, Second: "k.cu:5"}
	another := Hazard{Kind: HazardUnset, Shared: true, Second: "k.cu:9"}
	late := Hazard{Kind: HazardWriteAfterRead, Shared: true, First: "k.cu:5", Second: "k.cu:3"}
	early := Hazard{Kind: HazardReadAfterWrite, Shared: true, First: "k.cu:3", Second: "k.cu:5"}
	barrier := Hazard{Kind: HazardBarrier, Shared: true, Second: "k.cu:4"}
	given := []Hazard{unset, late, another, early, barrier}
	sorted := CausesFirst(given)
	caused := unset
	caused.Cause = "k.cu:3"
	assert.Equal(t, []Hazard{barrier, late, early, caused, another}, sorted)
	assert.Equal(t, unset, given[0], "the hazards given stay as they are")
	assert.Contains(t, sorted[3].String(), "before it is written: what comes of the race with the write, told above\n"+
		"  reads at k.cu:5\n  written later at k.cu:3")
	assert.Contains(t, sorted[4].String(), "which nobody has written\n  reads at k.cu:9", "without a race there is no cause to name")
}
