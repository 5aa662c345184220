package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// All registers can be in use at once, each with its maximum of waiters.
func TestAllRegistersHaveTheirWaiters(t *testing.T) {
	const registers, merges = 3, 4
	f := newMSHRFile(registers, merges)
	for line := range uint64(registers) {
		for waiter := range uint64(merges) {
			status, _ := f.add(Unattributed(line), 1, waiter)
			assert.NotEqual(t, Stall, status, "line %d, waiter %d", line, waiter)
		}
		status, _ := f.add(Unattributed(line), 1, merges)
		assert.Equal(t, Stall, status, "line %d has all its waiters", line)
	}
	status, _ := f.add(Unattributed(registers), 1, 0)
	assert.Equal(t, Stall, status, "no register is left")
}
