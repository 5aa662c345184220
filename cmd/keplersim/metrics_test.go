package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

func TestMetricsPrintsTheGlossary(t *testing.T) {
	code, out, errOut := keplersim(t, "metrics")
	require.Equal(t, exitRan, code, errOut)
	for _, d := range stats.Metrics() {
		assert.Contains(t, out, d.Name)
	}
	code, out, _ = keplersim(t, "metrics", "gld_efficiency", "stall_sync", "--format", "json")
	assert.Equal(t, exitRan, code)
	var entries []struct{ Name, Unit, Meaning string }
	require.NoError(t, json.Unmarshal([]byte(out), &entries))
	require.Len(t, entries, 2)
	assert.Equal(t, "%", entries[0].Unit)
}

func TestUnknownMetricNamesSimilarOnes(t *testing.T) {
	code, _, errOut := keplersim(t, "metrics", "gld_eficiency")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "gld_efficiency")
	code, _, errOut = keplersim(t, "metrics", "--format", "csv")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "none of text, json")
}
