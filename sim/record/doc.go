// Package record records what happens on devices while kernels run: an observer that fills a recording. Each SMX has its own track, which
// only its host thread writes, so the bytes do not depend on the number of threads. Tracks stay in memory until the run is over. Options
// limit what is recorded.
package record
