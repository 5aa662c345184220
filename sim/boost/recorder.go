package boost

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

const (
	firstSample = 5_000_000 // 5 us, the initial length of samples
	mostSamples = 2000
)

// record is a sample in progress.
type record struct {
	start, end      engine.Picosecond
	joules          Parts
	cycles          float64
	lowest, highest int // core clock
	temperature     float64
	reasons         stats.ThrottleReason
}

// recorder keeps a board's state over time in samples of equal length. When there are too many, pairs merge and the length doubles, so a
// long run has between half of mostSamples and all.
type recorder struct {
	length engine.Picosecond
	due    engine.Picosecond // end of the current sample
	list   []record
	open   bool // the last sample has not ended
}

func newRecorder(length engine.Picosecond) recorder { return recorder{length: length, due: length} }

// add adds the energy and state between two times. A span longer than a sample is one sample.
func (r *recorder) add(start, end engine.Picosecond, joules *Parts, clock int, temperature float64, reasons stats.ThrottleReason) {
	if !r.open {
		r.list = append(r.list, record{start: start, lowest: clock, highest: clock})
		r.open = true
	}
	last := &r.list[len(r.list)-1]
	last.end, last.temperature = end, temperature
	last.joules.add(joules, 1)
	last.cycles += float64(end-start) * 1e-12 * float64(clock) * 1e6
	last.lowest, last.highest = min(last.lowest, clock), max(last.highest, clock)
	last.reasons |= reasons
	if end < r.due {
		return
	}
	r.open = false
	if len(r.list) >= mostSamples {
		r.halve()
	}
	r.due = end - end%r.length + r.length
}

// halve merges pairs of samples.
func (r *recorder) halve() {
	r.length *= 2
	kept := r.list[:0]
	for i := 0; i < len(r.list); i += 2 {
		one := r.list[i]
		if i+1 < len(r.list) {
			two := &r.list[i+1]
			one.end, one.temperature = two.end, two.temperature
			one.joules.add(&two.joules, 1)
			one.cycles += two.cycles
			one.lowest, one.highest = min(one.lowest, two.lowest), max(one.highest, two.highest)
			one.reasons |= two.reasons
		}
		kept = append(kept, one)
	}
	r.list = kept
}

// extremes returns the highest power of samples that begin at a time or later, in watts, and the lowest and highest clock of those that end
// later.
func (r *recorder) extremes(since engine.Picosecond) (watts float64, lowest, highest int) {
	for i := range r.list {
		s := &r.list[i]
		if s.end <= since {
			continue
		}
		if lowest == 0 || s.lowest < lowest {
			lowest = s.lowest
		}
		highest = max(highest, s.highest)
		if s.start >= since {
			watts = max(watts, s.joules.Sum()/(float64(s.end-s.start)*1e-12))
		}
	}
	return watts, lowest, highest
}

// samples returns the samples for reports.
func (r *recorder) samples() []stats.PowerSample {
	list := make([]stats.PowerSample, len(r.list))
	for i := range list {
		s := &r.list[i]
		seconds := float64(s.end-s.start) * 1e-12
		list[i] = stats.PowerSample{
			Start: float64(s.start) / 1e6, End: float64(s.end) / 1e6, MHz: s.cycles / seconds / 1e6, Temperature: s.temperature,
			Reasons: s.reasons,
		}
		for k := range s.joules {
			list[i].Watts[k] = s.joules[k] / seconds
		}
	}
	return list
}
