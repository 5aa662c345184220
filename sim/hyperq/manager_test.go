package hyperq

import (
	"container/heap"
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// finish is a heap of running commands by their ends.
type finish []*Command

func (f finish) Len() int { return len(f) }
func (f finish) Less(i, k int) bool {
	return f.end(i) < f.end(k) || f.end(i) == f.end(k) && f[i].sequence < f[k].sequence
}
func (f finish) Swap(i, k int) { f[i], f[k] = f[k], f[i] }
func (f *finish) Push(c any)   { *f = append(*f, c.(*Command)) }
func (f *finish) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}
func (f finish) end(i int) Time { return f[i].Start + f[i].Duration }

// play runs all submitted commands, kernels for their Duration, and reports whether all ended.
func play(m *Manager) bool {
	var now Time
	var running finish
	for m.Remaining() > 0 {
		next := m.Next()
		if len(running) > 0 {
			next = min(next, running.end(0))
		}
		if next == Never {
			return false
		}
		now = max(now, next)
		for len(running) > 0 && running.end(0) <= now {
			c := heap.Pop(&running).(*Command)
			m.End(c, c.Start+c.Duration)
		}
		for _, c := range m.Release(now) {
			if !c.Ended() {
				heap.Push(&running, c)
			}
		}
	}
	return true
}

const unit = Time(1_000_000)

// kernels submits chains of kernels, one a stream, and returns how long all take in units of one kernel.
func kernels(t *testing.T, limits Limits, streams, chain int, breadthFirst bool) float64 {
	t.Helper()
	m := NewManager(limits)
	var all []*Stream
	for range streams {
		all = append(all, m.NewStream(Stream{Blocking: true}))
	}
	var list []*Command
	add := func(s int) {
		c := &Command{Kind: Kernel, Stream: all[s], Duration: 1000 * unit, Visible: Time(len(list))}
		list = append(list, c)
		m.Submit(c)
	}
	if breadthFirst {
		for range chain {
			for s := range streams {
				add(s)
			}
		}
	} else {
		for s := range streams {
			for range chain {
				add(s)
			}
		}
	}
	require.True(t, play(m))
	end := Time(0)
	for _, c := range list {
		end = max(end, c.End)
	}
	return float64(end) / float64(1000*unit)
}

// One queue makes false dependencies. Of chains issued depth first, only the end of one overlaps the start of the next (CUDA's sample
// simpleHyperQ: n+1 times a kernel's time). Breadth first, all first kernels run together. With 32 queues the order does not matter.
func TestFalseDependenciesOfOneQueue(t *testing.T) {
	for _, c := range []struct {
		name                string
		connections, grids  int
		streams, chain      int
		depth, breadthFirst float64
	}{
		{"one queue", 1, 32, 32, 2, 33, 2},
		{"one queue, 16 grids", 1, 16, 32, 2, 33, 4},
		{"8 connections", 8, 32, 32, 2, 5, 2},
		{"32 connections", 32, 32, 32, 2, 2, 2},
		{"32 connections, 4 grids", 32, 4, 32, 1, 8, 8},
		{"32 connections, 8 streams of one", 32, 32, 8, 1, 1, 1},
	} {
		limits := Limits{Connections: c.connections, Grids: c.grids, CopyEngines: 1}
		assert.InEpsilon(t, c.depth, kernels(t, limits, c.streams, c.chain, false), 0.001, "%s, depth first", c.name)
		assert.InEpsilon(t, c.breadthFirst, kernels(t, limits, c.streams, c.chain, true), 0.001, "%s, breadth first", c.name)
	}
}

// random is a random program of streams, events, waits, copies and kernels, with the order that CUDA's rules demand.
type random struct {
	list   []*Command
	before [][2]*Command
}

func makeRandom(r *rand.Rand, m *Manager, contexts int) *random {
	p := &random{}
	var streams []*Stream
	for c := range contexts {
		streams = append(streams, m.NewStream(Stream{Name: fmt.Sprint(c, ".0"), Context: c, Legacy: true}))
		for n := range 1 + r.Intn(6) {
			streams = append(streams, m.NewStream(
				Stream{Name: fmt.Sprint(c, ".", n+1), Context: c, Blocking: r.Intn(4) > 0, Priority: r.Intn(2)},
			))
		}
	}
	events := map[int]*Command{}
	at := Time(0)
	fences := make([]int, contexts) // commands before the last barrier
	for i := range 5 + r.Intn(40) {
		if context := r.Intn(20); context < contexts {
			m.Barrier(context, "allocation", at)
			fences[context] = len(p.list)
		}
		if r.Intn(8) == 0 { // its commands wait for the barriers before it, too
			streams = append(streams, m.NewStream(
				Stream{Name: fmt.Sprint("late ", i), Context: r.Intn(contexts), Blocking: r.Intn(4) > 0}))
		}
		s := streams[r.Intn(len(streams))]
		at += Time(r.Intn(20)) * unit
		c := &Command{Stream: s, Visible: at, Duration: Time(r.Intn(100)) * unit, Name: fmt.Sprint(i)}
		switch c.Kind = Kind(r.Intn(6)); c.Kind {
		case Copy:
			c.Engine = r.Intn(m.limits.CopyEngines)
		case Record:
			events[r.Intn(4)] = c
		case Wait:
			if e := events[r.Intn(4)]; e != nil && e.Stream.Context == s.Context {
				c.After = []*Command{e}
				p.before = append(p.before, [2]*Command{e, c})
			}
		}
		// Required predecessors: the same stream's commands, and between the legacy stream and the blocking ones of its context.
		for n, earlier := range p.list {
			o := earlier.Stream
			ordered := n < fences[s.Context] || o.Legacy && s.Blocking || s.Legacy && o.Blocking
			if o == s || o.Context == s.Context && ordered {
				p.before = append(p.before, [2]*Command{earlier, c})
			}
		}
		p.list = append(p.list, c)
		m.Submit(c)
	}
	return p
}

// In every timeline of random programs, a command begins after its predecessors have ended, an engine runs one copy at a time, and no more
// grids run than allowed. Processes do not overlap unless they share the device.
func TestHappensBeforeHoldsInRandomPrograms(t *testing.T) {
	const programs = 10_000
	for seed := range programs {
		r := rand.New(rand.NewSource(int64(seed)))
		limits := Limits{Connections: 1 + r.Intn(8), Grids: 1 + r.Intn(5), CopyEngines: 1 + r.Intn(2), Gap: Time(r.Intn(3)) * unit,
			Slice: 200 * unit, Switch: 5 * unit, Shared: r.Intn(2) == 0}
		contexts := 1 + r.Intn(3)
		m := NewManager(limits)
		p := makeRandom(r, m, contexts)
		require.True(t, play(m), "seed %d ends: %s", seed, m.Stuck())
		for _, pair := range p.before {
			require.LessOrEqual(t, pair[0].End, pair[1].Start, "seed %d: %s before %s", seed, pair[0], pair[1])
		}
		overlap := func(a, b *Command) bool { return a.Start < b.End && b.Start < a.End }
		for i, c := range p.list {
			require.LessOrEqual(t, c.Visible, c.Start, "seed %d: %s", seed, c)
			together := 1
			for k, o := range p.list {
				if k == i || !overlap(c, o) {
					continue
				}
				if c.Kind == Copy && o.Kind == Copy {
					require.NotEqual(t, c.Engine, o.Engine, "seed %d: %s and %s", seed, c, o)
				}
				if !limits.Shared && c.Kind <= Memset && o.Kind <= Memset {
					require.Equal(t, c.Stream.Context, o.Stream.Context, "seed %d: %s and %s", seed, c, o)
				}
				if c.Kind == Kernel && o.Kind == Kernel && o.Start <= c.Start && c.Start < o.End {
					together++
				}
			}
			if c.Kind == Kernel {
				require.LessOrEqual(t, together, limits.Grids, "seed %d: %s", seed, c)
			}
		}
	}
}

// A cycle of waits is found and reported.
func TestACycleOfWaitsIsFound(t *testing.T) {
	m := NewManager(Limits{Connections: 8, Grids: 32, CopyEngines: 2})
	a, b := m.NewStream(Stream{Name: "a"}), m.NewStream(Stream{Name: "b"})
	first, second := &Command{Kind: Record, Event: "first", Stream: a}, &Command{Kind: Record, Event: "second", Stream: b}
	m.Submit(&Command{Kind: Wait, Event: "second", Stream: a, After: []*Command{second}})
	m.Submit(first)
	m.Submit(&Command{Kind: Wait, Event: "first", Stream: b, After: []*Command{first}})
	m.Submit(second)
	assert.False(t, play(m))
	assert.Contains(t, m.Stuck(), "stream a")
	assert.Contains(t, m.Stuck(), "stream b")
}
