package sim

import "time"

// walls divides the host's time among the running launches. Concurrent launches share it, so that their parts add up to the total. The zero
// value is ready.
type walls struct {
	at      time.Time     // when each was last updated
	each    time.Duration // time of a launch that had run from the beginning
	running int
}

// advance advances to a time.
func (w *walls) advance(now time.Time) {
	if w.running > 0 {
		w.each += now.Sub(w.at) / time.Duration(w.running)
	}
	w.at = now
}

// begin counts a launch that begins, and returns the argument for end.
func (w *walls) begin(now time.Time) time.Duration {
	w.advance(now)
	w.running++
	return w.each
}

// end counts a launch that ends, and returns its part of the time.
func (w *walls) end(begun time.Duration, now time.Time) time.Duration {
	w.advance(now)
	w.running--
	return w.each - begun
}
