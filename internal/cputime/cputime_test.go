package cputime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Work takes processor time, no more than the clock tells for each thread.
func TestWorkIsCounted(t *testing.T) {
	begin, before := time.Now(), Used()
	for time.Since(begin) < time.Second && Used() == before { // until the clock that counts it has gone on
	}
	assert.Positive(t, Used()-before)
	assert.GreaterOrEqual(t, UsedByChildren(), time.Duration(0))
}
