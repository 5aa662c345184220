package sampling

import (
	"time"
)

// timingPolicy is how much timing a budget of host time requires to leave out.
type timingPolicy uint8

const (
	timesAll    timingPolicy = iota // everything is timed
	timesSample                     // similar work is left out if the interval is narrow
	timesLeast                      // everything that can be estimated is left out, however wide the interval
)

// Fractions of a budget. After sampleFrom nothing that can be sampled is timed in full, since further launches may come. After leastFrom
// the rest of the budget is for runs without timing.
const (
	sampleFrom = 0.5
	leastFrom  = 0.75
)

// budget is the host time for the device's run, its start, and its clock.
type budget struct {
	total time.Duration
	from  time.Time
	now   func() time.Time
}

func newBudget(total time.Duration, now func() time.Time) budget {
	if total == 0 { // a checkpoint cannot contain a clock
		return budget{}
	}
	if now == nil {
		now = time.Now
	}
	return budget{total: total, from: now(), now: now}
}

// timingPolicy returns how a launch continues that began at a host time, with these numbers of blocks done and left.
func (b *budget) timingPolicy(began time.Time, done, left uint64) timingPolicy {
	if b.total == 0 {
		return timesSample
	}
	now := b.now()
	spent := float64(now.Sub(b.from)) / float64(b.total)
	switch rest := float64(now.Sub(began)) / float64(b.total) * float64(left) / float64(max(1, done)); {
	case spent >= leastFrom:
		return timesLeast
	case spent >= sampleFrom || done > 0 && spent+rest > leastFrom:
		return timesSample
	}
	return timesAll
}
