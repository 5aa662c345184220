package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/exec"
)

func TestArenaGivesNumbersOutAgain(t *testing.T) {
	var a arena[fill]
	require.Zero(t, a.used())
	first, second := a.add(fill{line: 10}), a.add(fill{line: 20})
	require.NotEqual(t, first, second)
	require.Equal(t, fill{line: 10}, a.remove(first))
	require.Equal(t, 1, a.used())
	require.Equal(t, first, a.add(fill{line: 30}), "the number given back is the next given out")
	require.Equal(t, uint64(30), a.at(first).line)
	require.Equal(t, uint64(20), a.at(second).line, "others stay where they are")
	require.Equal(t, 2, a.used())
}

// TestArenaKeepsNothing holds that a removed request's access can be collected.
func TestArenaKeepsNothing(t *testing.T) {
	var a arena[flight]
	number := a.add(flight{Request: Request{Access: &exec.Access{}}})
	a.remove(number)
	require.Nil(t, a.at(number).Access)
}
