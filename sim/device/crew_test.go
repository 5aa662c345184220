package device

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// A panic on a thread of the simulation reaches the caller, with the thread's stack.
func TestPanicOfAThreadReachesTheCaller(t *testing.T) {
	c := newCrew([]*smx.SMX{nil}, nil, 2)
	c.parts[0].left, c.given = 1, 1
	c.Lock()
	assert.NotPanics(t, func() { c.help(1) })
	c.Unlock()
	assert.Contains(t, *c.failure, "nil pointer")
	assert.Contains(t, *c.failure, "thread of the simulation:")
	assert.Panics(t, func() { c.run([]engine.Cycle{1}, nil) })
}
