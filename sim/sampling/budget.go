package sampling

import (
	"time"
)

// haste is how much timing a budget of host time lets be left out.
type haste uint8

const (
	timesAll    haste = iota // everything is timed
	timesSample              // what is like what was timed is left out, where the interval is narrow
	timesLeast               // whatever can be estimated is left out, however wide the interval
)

// Parts of a budget. Behind sampleFrom nothing is timed as a whole that can be sampled, since further launches may come; behind leastFrom
// what is left of the budget is for running without timing.
const (
	sampleFrom = 0.5
	leastFrom  = 0.75
)

// budget is the host time that the device's run shall take, from when on, by a clock.
type budget struct {
	total time.Duration
	from  time.Time
	now   func() time.Time
}

func newBudget(total time.Duration, now func() time.Time) budget {
	if total == 0 { // a checkpoint cannot hold a clock
		return budget{}
	}
	if now == nil {
		now = time.Now
	}
	return budget{total: total, from: now(), now: now}
}

// haste returns how a launch goes on that began at a time of the host, of whose blocks so many are done and left.
func (b *budget) haste(began time.Time, done, left uint64) haste {
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
