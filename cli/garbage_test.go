package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Only the first collection is delayed, and not if GOGC is set.
func TestOnlyTheFirstCollectionIsPutOff(t *testing.T) {
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(90))
	t.Setenv("GOGC", "90")
	t.Setenv("GOMEMLIMIT", "")
	collectLater()
	require.Equal(t, uint64(90), percent())

	t.Setenv("GOGC", "")
	collectLater()
	require.Equal(t, uint64(firstCollection), percent())
	growHeap()
	time.Sleep(3 * collectionLook)
	require.Equal(t, uint64(firstCollection), percent(), "the collection for large pages does not count")
	runtime.GC()
	require.Eventually(t, func() bool { return percent() == 90 }, 10*time.Second, time.Millisecond)
}
