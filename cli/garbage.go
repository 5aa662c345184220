package cli

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// firstCollection is how large the heap is when garbage is first collected, in percent of the runtime's 4 MB: 40 MB. A run takes 20 to
// 40 MB in all, most of it for what stays; collecting on the way there is a tenth of the time of a short one.
const firstCollection = 1000

// collectionLook is how often it is looked for whether there was a first collection. A cleanup would be told of it too late: on one
// processor the runtime's sweeper, which finds what nobody keeps, hardly gets on beside a run.
const collectionLook = 20 * time.Millisecond

// collectLater puts off the first garbage collection. Those behind it come as usual, so that what a large run takes in the end does not
// grow. Whoever has said how garbage is collected is obeyed.
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

// collections is how many there have been.
func collections() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
