package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/smx"
)

// A panic on a thread of the simulation reaches the caller, with the stack of the thread.
func TestPanicOfAThreadReachesTheCaller(t *testing.T) {
	w := &workers{list: []*smx.SMX{nil}}
	assert.NotPanics(t, w.guarded)
	require.NotNil(t, w.failure.Load())
	assert.Contains(t, *w.failure.Load(), "nil pointer")
	assert.Contains(t, *w.failure.Load(), "thread of the simulation:")
	assert.Panics(t, func() { w.run(1) })
}
