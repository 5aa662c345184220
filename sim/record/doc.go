// Package record writes down what happens on devices while kernels run: an observer that fills a recording. Each SMX has its own track,
// which its own host thread alone writes to, so that the bytes do not depend on the number of threads. It keeps the tracks in memory until
// the run is over; options bound what is kept.
package record
