package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/engine"
)

// A message that is ready late takes a link's time, but the link is not idle until then.
func TestLinksMoveOthersMeanwhile(t *testing.T) {
	l := newLink(32, 0)
	takes := l.carries(1)
	late := 100 * takes
	assert.Equal(t, late, l.reserve(0, late, takes))
	assert.Equal(t, takes, l.reserve(0, 0, takes), "the next begins behind one message, not at its time")
	var last engine.SubCycle
	for range 200 {
		last = l.reserve(0, 0, takes)
	}
	assert.Equal(t, 201*takes, last, "the rate stays")
	assert.Equal(t, last+takes, l.reserve(last, last, takes))
}
