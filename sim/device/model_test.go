package device

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// Recording has the cost of each task of a run. A model takes it to find the time on other numbers of threads: the crew chooses tasks as it
// does in a run, and each takes its recorded cost in the model's time.
type Recording struct {
	Threads int // of the recorded run
	smxs    int
	clock   func() time.Duration
	epochs  []int           // number of parts
	between []time.Duration // for each epoch
	alone   []bool          // for each part: the memory system waits until all SMXs are done
	turns   [][]time.Duration
	steps   []time.Duration // for each part
	ends    []time.Duration // for each part
}

// Record begins a recording of later crews with that many threads. clock reads the calling thread's time.
func Record(threads int, clock func() time.Duration) *Recording {
	r := &Recording{Threads: threads, clock: clock}
	metered = func(c *crew) {
		if len(c.smxs) > 0 && c.smxs[0] != nil {
			c.threads, c.meter = threads, meter{clock: clock, pinned: true, heard: r.hear, since: time.Now()}
			r.smxs = len(c.smxs)
		}
	}
	return r
}

// Stop ends the recording.
func (r *Recording) Stop() { metered = func(*crew) {} }

func (r *Recording) hear(task, from, to int, took time.Duration) {
	switch task {
	case between:
		r.epochs, r.between = append(r.epochs, to-from), append(r.between, took)
		for range to - from {
			r.turns = append(r.turns, make([]time.Duration, r.smxs))
			r.steps, r.ends, r.alone = append(r.steps, 0), append(r.ends, 0), append(r.alone, to-from == 1)
		}
	case atMemory:
		r.steps[from] = took
	case atEnd:
		r.ends[from] = took
	default:
		for part := from; part < to; part++ {
			r.turns[part][task] = took / time.Duration(to-from)
		}
	}
}

// Steady replaces times between epochs that are far from their median, because the host had other work then.
func (r *Recording) Steady() {
	sorted := slices.Sorted(slices.Values(r.between))
	for i := range r.between {
		if median := sorted[len(sorted)/2]; r.between[i] > 20*median {
			r.between[i] = median
		}
	}
}

// Total returns the cost of all tasks, and the parts of it that are the memory system's and the caller's between epochs.
func (r *Recording) Total() (all, memory, serial time.Duration) {
	for part, turns := range r.turns {
		memory += r.steps[part] + r.ends[part]
		for _, took := range turns {
			all += took
		}
	}
	for _, took := range r.between {
		serial += took
	}
	return all + memory + serial, memory, serial
}

// Scaled returns the recording with the memory system's costs multiplied by part.
func (r *Recording) Scaled(part float64) *Recording {
	scaled := func(list []time.Duration) (all []time.Duration) {
		for _, took := range list {
			all = append(all, time.Duration(part*float64(took)))
		}
		return all
	}
	other := *r
	other.steps, other.ends = scaled(r.steps), scaled(r.ends)
	return &other
}

// modelled is a thread of the model.
type modelled struct {
	task, part int // none if it has no work
	early      bool
	until      time.Duration
}

// Time returns the run's time on some threads. To begin a task takes handover.
func (r *Recording) Time(threads int, handover time.Duration) time.Duration {
	c := newCrew(make([]*smx.SMX, r.smxs), nil, threads)
	list := make([]modelled, c.threads)
	for i := range list {
		list[i].task = none
	}
	now, epoch := time.Duration(0), 0
	for {
		for i := range list {
			if list[i].task == none {
				r.begin(c, &list[i], i, &epoch, now, handover)
			}
		}
		until := time.Duration(-1)
		for i := range list {
			if t := &list[i]; t.task != none && (until < 0 || t.until < until) {
				until = t.until
			}
		}
		if until < 0 {
			return now
		}
		now = until
		for i := range list {
			if t := &list[i]; t.task != none && t.until == now {
				r.end(c, t, &epoch)
			}
		}
	}
}

// begin starts a thread's next task.
func (r *Recording) begin(c *crew, t *modelled, thread int, epoch *int, now, handover time.Duration) {
	t.task = c.next(thread)
	took := handover
	switch t.task {
	case none:
		if thread > 0 || !c.allRan() || *epoch == len(r.epochs) || c.given > 0 && r.alone[c.given-1] && c.stepped < c.given {
			return
		}
		t.task = between
		took += r.between[*epoch]
	case atMemory:
		c.beginStep(thread)
		if t.part = c.stepped; c.ending {
			t.part--
			took += r.ends[t.part]
		} else {
			took += r.steps[t.part]
		}
	default:
		_, t.early = c.beginTask(thread, t.task)
		for part := c.ran[t.task]; part < c.ends[t.task]; part++ {
			took += r.turns[part][t.task]
		}
	}
	t.until = now + took
}

// end ends a thread's task.
func (r *Recording) end(c *crew, t *modelled, epoch *int) {
	switch t.task {
	case between:
		ends := make([]engine.Cycle, r.epochs[*epoch])
		for i := range ends {
			ends[i] = engine.Cycle(c.given + i)
		}
		c.give(ends, nil)
		*epoch++
	case atMemory:
		c.endStep(r.steps[t.part])
	default:
		took := time.Duration(0)
		for part := c.ran[t.task]; part < c.ends[t.task]; part++ {
			took += r.turns[part][t.task]
		}
		c.endTask(t.task, t.early, took)
	}
	t.task = none
}

// With equal tasks and a small memory system, the model gives results that can be worked out by hand. 15 SMXs on n threads take as long as
// the thread with the most of them. A memory system that takes longer than the SMXs determines the time.
func TestModelOfThreads(t *testing.T) {
	made := func(smx, memory, serial time.Duration) *Recording {
		r := &Recording{smxs: 15}
		for epoch := range 40 {
			r.hear(between, 3*epoch, 3*epoch+3, serial)
			for part := 3 * epoch; part < 3*epoch+3; part++ {
				for i := range 15 {
					r.hear(i, part, part+1, smx)
				}
				r.hear(atMemory, part, part+1, memory)
			}
			r.hear(atEnd, 3*epoch+2, 3*epoch+3, memory)
		}
		return r
	}
	for _, c := range []struct {
		name             string
		recording        *Recording
		threads          int
		fastest, slowest float64 // speed-up over one thread
	}{
		{"nothing but SMXs, one thread", made(time.Millisecond, 0, 0), 1, 1, 1},
		{"nothing but SMXs, 3 threads", made(time.Millisecond, 0, 0), 3, 2.9, 3},
		{"nothing but SMXs, 15 threads", made(time.Millisecond, 0, 0), 15, 14, 15},
		{"more threads than SMXs", made(time.Millisecond, 0, 0), 16, 14, 15},
		{"a memory system of a tenth, 16 threads", made(time.Millisecond, time.Millisecond, 0), 16, 8, 12.5},
		{"a memory system that takes as long as all SMXs", made(time.Millisecond, 15*time.Millisecond, 0), 8, 1.6, 1.81},
		{"a serial half", made(time.Millisecond, 0, 45*time.Millisecond), 8, 1.6, 1.81},
	} {
		all, _, _ := c.recording.Total()
		ratio := float64(all) / float64(c.recording.Time(c.threads, 0))
		assert.GreaterOrEqual(t, ratio, c.fastest-1e-9, c.name)
		assert.LessOrEqual(t, ratio, c.slowest+1e-9, c.name)
	}
	r := made(time.Millisecond, time.Millisecond, time.Millisecond)
	times := []time.Duration{}
	for n := 1; n <= 16; n++ {
		times = append(times, r.Time(n, 0))
	}
	assert.True(t, slices.IsSortedFunc(times, func(a, b time.Duration) int { return int(b - a) }), "%v", times)
}
