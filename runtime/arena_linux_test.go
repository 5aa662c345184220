package runtime

import (
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/keplersim/keplersim/configs"
)

// Memory that was touched causes no page faults, and is zero.
func TestTouchedMemoryIsThere(t *testing.T) {
	a, err := openArena(nil, make([]*configs.Config, 1))
	require.NoError(t, err)
	defer a.close()
	const pages = 512
	part := a.of(0).Bytes[:pages*pageBytes]
	if unix.Madvise(part[:pageBytes], unix.MADV_POPULATE_WRITE) != nil {
		t.Skip("pages are populated since Linux 5.14")
	}
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	faults := func() int64 {
		var used unix.Rusage
		require.NoError(t, unix.Getrusage(unix.RUSAGE_THREAD, &used))
		return used.Minflt
	}
	a.of(0).Touch(100, uint64(len(part)))
	before := faults()
	for i := range part {
		if part[i]++; part[i] != 1 {
			t.Fatalf("byte %d is %d", i, part[i])
		}
	}
	assert.Less(t, faults()-before, int64(pages/8))
}
