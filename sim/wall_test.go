package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Two launches, from 10 s to 30 s and from 0 s to 20 s: each has 10 s alone, and half of the 10 s that they share.
func TestLaunchesShareTheTimeInWhichTheyRun(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(1000+second), 0) }
	var w walls
	first := w.begin(at(0))
	second := w.begin(at(10))
	require.Equal(t, 15*time.Second, w.end(first, at(20)))
	require.Equal(t, 15*time.Second, w.end(second, at(30)))
	third := w.begin(at(100)) // nothing ran meanwhile
	require.Equal(t, 5*time.Second, w.end(third, at(105)))
}
