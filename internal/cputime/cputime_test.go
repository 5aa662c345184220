package cputime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Work takes processor time, but no more than the elapsed time of each thread.
func TestWorkIsCounted(t *testing.T) {
	begin, before := time.Now(), Used()
	for time.Since(begin) < time.Second && Used() == before { // until the coarse clock advances
	}
	assert.Positive(t, Used()-before)
	assert.GreaterOrEqual(t, UsedByChildren(), time.Duration(0))
}
