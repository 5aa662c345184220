package sim

import "time"

// walls divides the time of the machine that simulates among the launches that run: those that run beside one another share it, so that
// their parts add up to what all of them took. The zero value is ready.
type walls struct {
	at      time.Time     // when each was last told
	each    time.Duration // what a launch would have that had run from the beginning on
	running int
}

// to lets time pass up to a moment.
func (w *walls) to(now time.Time) {
	if w.running > 0 {
		w.each += now.Sub(w.at) / time.Duration(w.running)
	}
	w.at = now
}

// begin counts a launch that begins, and returns what end is to be told.
func (w *walls) begin(now time.Time) time.Duration {
	w.to(now)
	w.running++
	return w.each
}

// end counts a launch that ends, and returns its part of the time.
func (w *walls) end(begun time.Duration, now time.Time) time.Duration {
	w.to(now)
	w.running--
	return w.each - begun
}
