package cli

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// firstCollection is the heap size of the first garbage collection, in percent of the runtime's 4 MB: 40 MB. A run takes 20 to 40 MB in
// all, and most of it stays in use. Collecting on the way there would take a tenth of the time of a short run.
const firstCollection = 1000

// usualHeap is how far the heap grows in most runs, in bytes.
const usualHeap = 48 << 20

// collectionLook is how often to look for a first collection. A runtime cleanup would report it too late: on one processor the runtime's
// sweeper hardly runs next to a simulation.
const collectionLook = 20 * time.Millisecond

// collectLater delays the first garbage collection. Later ones come as usual, so that a large run's peak memory does not grow. It does
// nothing if the user configured garbage collection.
func collectLater() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	usual, before := debug.SetGCPercent(firstCollection), collections()
	var look *time.Timer
	look = time.AfterFunc(time.Hour, func() {
		if collections() > before {
			debug.SetGCPercent(usual)
			return
		}
		look.Reset(collectionLook)
	})
	look.Reset(collectionLook)
}

// collections returns the number of collections so far.
func collections() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
