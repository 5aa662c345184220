package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is how large the heap is when garbage is first collected, in percent of the runtime's 4 MB: 40 MB. A run takes 20 to
// 40 MB in all, most of it for what stays; collecting on the way there is a tenth of the time of a short one.
const firstCollection = 1000

// collectLater puts off the first garbage collection. Those behind it come as usual, so that what a large run takes in the end does not
// grow. Whoever has said how garbage is collected is obeyed.
func collectLater() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	usual := debug.SetGCPercent(firstCollection)
	// An object that nobody keeps is found by the first collection.
	runtime.AddCleanup(&struct{ next *byte }{}, func(usual int) { debug.SetGCPercent(usual) }, usual)
}
