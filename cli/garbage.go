package cli

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/keplersim/keplersim/internal/largepages"
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
	usual := debug.SetGCPercent(firstCollection)
	planned.before = collections()
	var look *time.Timer
	look = time.AfterFunc(time.Hour, func() {
		planned.Lock()
		defer planned.Unlock()
		if collections() > planned.before {
			debug.SetGCPercent(usual)
			return
		}
		look.Reset(collectionLook)
	})
	look.Reset(collectionLook)
}

// planned guards the settings of garbage collection. before is how many collections do not end the delay.
var planned struct {
	sync.Mutex
	before uint64
}

// growHeap asks for large pages for the heap. The collection that this takes does not end the delay.
func growHeap() {
	planned.Lock()
	defer planned.Unlock()
	before := collections()
	largepages.ForHeap(usualHeap)
	planned.before += collections() - before
}

// collections returns the number of collections so far.
func collections() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
