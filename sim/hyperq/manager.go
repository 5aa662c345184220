package hyperq

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"
)

// Limits describe a device's front end.
type Limits struct {
	// Connections is the number of hardware queues. Streams map to them in turn.
	Connections int
	// Grids is the most grids that run at once. Others wait in the grid management unit.
	Grids int
	// CopyEngines is the number of copy engines.
	CopyEngines int
	// Gap is the time from the end of a command to the start of one that waited for it.
	Gap Time
	// Slice is how long a context keeps the device while others want it, and Switch how long a change takes. A grid is not interrupted.
	Slice, Switch Time
	// Shared: all contexts share the device, as under MPS.
	Shared bool
}

// Manager is the front end of one device. Each connection has a queue of grids and one of copies for each engine, in which commands are in
// the order in which the host issued them. A command that must wait blocks those behind it in the queue, even of other streams. Grids that
// leave their queue wait in the grid management unit while the most grids run. Records, waits and callbacks use no queue.
//
// The owner submits commands with Submit, gets those that can begin from Release, and reports the end of each with End.
type Manager struct {
	limits    Limits
	streams   []*Stream
	compute   []queue   // by connection
	copies    [][]queue // by engine and connection
	free      timed     // armed records, waits and callbacks
	pending   []*Command
	running   int
	busy      []*Command // by copy engine
	nextQueue []int      // for each copy engine, the connection that is asked first

	barriers  []*Command // the last barrier of each context
	contexts  int
	context   int // the context that has the device
	active    int // its commands that have been released and not ended
	since     Time
	sequence  uint64
	remaining int
	dirty     bool
	next      Time
	out       []*Command
}

// queue is a queue of commands, first in first out.
type queue struct {
	list []*Command
	head int
}

func (q *queue) push(c *Command) { q.list = append(q.list, c) }

func (q *queue) first() *Command {
	if q.head == len(q.list) {
		return nil
	}
	return q.list[q.head]
}

func (q *queue) pop() {
	q.list[q.head] = nil
	if q.head++; q.head == len(q.list) {
		q.list, q.head = q.list[:0], 0
	} else if q.head >= 64 && 2*q.head >= len(q.list) {
		n := copy(q.list, q.list[q.head:])
		clear(q.list[n:])
		q.list, q.head = q.list[:n], 0
	}
}

// timed is a heap of commands by their earliest start, then by the order of submission.
type timed []*Command

func (t timed) Len() int           { return len(t) }
func (t timed) Less(i, k int) bool { return before(t[i], t[k]) }
func (t timed) Swap(i, k int)      { t[i], t[k] = t[k], t[i] }
func (t *timed) Push(c any)        { *t = append(*t, c.(*Command)) }
func (t *timed) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

func before(a, b *Command) bool {
	return a.ready < b.ready || a.ready == b.ready && a.sequence < b.sequence
}

// NewManager makes the front end of an idle device.
func NewManager(limits Limits) *Manager {
	m := &Manager{limits: limits, compute: make([]queue, limits.Connections), busy: make([]*Command, limits.CopyEngines),
		nextQueue: make([]int, limits.CopyEngines), next: Never}
	for range limits.CopyEngines {
		m.copies = append(m.copies, make([]queue, limits.Connections))
	}
	return m
}

// Limits returns the front end's limits.
func (m *Manager) Limits() Limits { return m.limits }

// NewStream adds a stream with the next connection in turn.
func (m *Manager) NewStream(s Stream) *Stream {
	made := &s
	made.Queue = len(m.streams) % m.limits.Connections
	m.streams = append(m.streams, made)
	m.contexts = max(m.contexts, made.Context+1)
	if b := m.barrier(made.Context); *b != nil {
		made.last = *b
	}
	return made
}

func (m *Manager) barrier(context int) **Command {
	for len(m.barriers) <= context {
		m.barriers = append(m.barriers, nil)
	}
	return &m.barriers[context]
}

// Barrier separates earlier and later commands in the streams of a context, as the driver does around an allocation: CUDA's "implicit
// synchronization" (d CUDA C Programming Guide 3.2.5.5.4). A context without streams needs none.
func (m *Manager) Barrier(context int, name string, visible Time) {
	var c *Command
	for _, s := range m.streams {
		if s.Context != context {
			continue
		}
		if c == nil {
			c = &Command{Kind: Barrier, Name: name, Stream: s, Visible: visible}
			m.enter(c)
		}
		c.behind(s.last)
		s.last = c
	}
	if c == nil {
		return
	}
	*m.barrier(context) = c
	if c.waits == 0 {
		c.arm()
	}
}

// enter adds a command to the counts.
func (m *Manager) enter(c *Command) {
	c.manager, c.sequence, c.ready, c.state, c.Queue = m, m.sequence, c.Visible, held, c.Stream.Queue
	m.sequence++
	m.remaining++
	m.dirty = true
}

// Streams returns all streams, in the order in which they were made.
func (m *Manager) Streams() []*Stream { return m.streams }

// Submit submits a command to its stream. It waits for the command before it there, for commands of other streams according to CUDA's rules
// for the legacy default stream, and for those of After.
func (m *Manager) Submit(c *Command) {
	s := c.Stream
	m.enter(c)
	for _, other := range m.Before(c) {
		c.behind(other)
	}
	s.last = c
	switch {
	case c.Parent != nil:
	case c.Kind == Kernel, c.Kind == Memset:
		m.compute[c.Queue].push(c)
	case c.Kind == Copy:
		m.copies[c.Engine][c.Queue].push(c)
	}
	if c.waits == 0 {
		c.arm()
	}
}

// Before lists what a command waits for when it is submitted: the last commands of its stream and of those ordered with it, and its After.
// Elements may be nil.
func (m *Manager) Before(c *Command) []*Command {
	s := c.Stream
	list := append([]*Command{s.last}, c.After...)
	if s.Legacy || s.Blocking {
		for _, other := range m.streams {
			if other != s && other.Context == s.Context && (s.Legacy && other.Blocking || s.Blocking && other.Legacy) {
				list = append(list, other.last)
			}
		}
	}
	return list
}

// behind makes a command wait for another, or for the gap after one that has ended.
func (c *Command) behind(other *Command) {
	switch {
	case other == nil || other == c:
	case other.state == ended:
		c.follow(other)
	default:
		other.dependents = append(other.dependents, c)
		c.waits++
	}
}

// follow sets the earliest start after a command that has ended. The gap is the time until the device continues a stream, so it does not
// apply to records and waits.
func (c *Command) follow(other *Command) {
	at := other.End
	if c.Kind <= Memset && other.Kind <= Memset && c.manager != nil {
		at += c.manager.limits.Gap
	}
	c.ready = max(c.ready, at)
}

// arm marks a command that waits for no other.
func (c *Command) arm() {
	c.state = armed
	c.manager.dirty = true
	if c.Kind > Memset || c.Parent != nil {
		heap.Push(&c.manager.free, c)
	}
}

// Release returns the commands that begin by a time, with their starts. The list is valid until the next call. Its records and waits have
// ended; the owner ends the others.
func (m *Manager) Release(now Time) []*Command {
	m.out = m.out[:0]
	for again := m.dirty || m.next <= now; again; again = m.dirty {
		m.dirty = false
		m.releaseFree(now)
		for i := range m.compute {
			for c := m.compute[i].first(); c != nil && m.mayGo(c, now); c = m.compute[i].first() {
				m.compute[i].pop()
				m.admit(c)
				if next := m.compute[i].first(); next != nil {
					next.ready = max(next.ready, c.ready)
				}
			}
		}
		m.startGrids()
		for e := range m.copies {
			m.startCopy(e, now)
		}
		m.changeContext(now)
	}
	if m.next = m.earliest(); m.next <= now {
		m.next = Never // it waits until some command ends
	}
	return m.out
}

// mayGo reports that a command at the head of its queue can leave it.
func (m *Manager) mayGo(c *Command, now Time) bool {
	if !m.together() && c.Stream.Context == m.context {
		c.ready = max(c.ready, m.since)
	}
	return c.state == armed && c.ready <= now && m.has(c, now)
}

// has reports that a command's context has the device.
func (m *Manager) has(c *Command, now Time) bool {
	return m.together() || c.Stream.Context == m.context && (now < m.since+m.limits.Slice || !m.wanted(now))
}

// together reports that contexts do not take turns: there is only one, or they share the device.
func (m *Manager) together() bool { return m.limits.Shared || m.contexts <= 1 }

// wanted reports that another context could begin a command.
func (m *Manager) wanted(now Time) bool {
	for _, c := range m.heads() {
		if c.Stream.Context != m.context && c.state == armed && c.ready <= now {
			return true
		}
	}
	return false
}

// heads returns the first commands of all queues.
func (m *Manager) heads() (list []*Command) {
	for i := range m.compute {
		if c := m.compute[i].first(); c != nil {
			list = append(list, c)
		}
	}
	for e := range m.copies {
		for i := range m.copies[e] {
			if c := m.copies[e][i].first(); c != nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// changeContext gives the device to the next context that wants it, after the present one's commands have ended.
func (m *Manager) changeContext(now Time) {
	if m.together() || m.active > 0 || now < m.since {
		return
	}
	best := -1
	for _, c := range m.heads() {
		if c.Stream.Context == m.context || c.state != armed || c.ready > now {
			continue
		}
		distance := (c.Stream.Context - m.context + m.contexts) % m.contexts
		if best < 0 || distance < (best-m.context+m.contexts)%m.contexts {
			best = c.Stream.Context
		}
	}
	if best < 0 {
		return
	}
	for _, c := range m.heads() { // the present context goes on until its slice is over
		if c.Stream.Context == m.context && c.state == armed && c.ready <= now && now < m.since+m.limits.Slice {
			return
		}
	}
	m.context, m.since, m.dirty = best, now+m.limits.Switch, true
}

// releaseFree ends the records and waits, and begins the callbacks, that are due.
func (m *Manager) releaseFree(now Time) {
	for len(m.free) > 0 && m.free[0].ready <= now {
		c := heap.Pop(&m.free).(*Command)
		if c.Kind <= Memset {
			m.admit(c)
			continue
		}
		c.Start, c.state = c.ready, released
		m.out = append(m.out, c)
		if c.Kind != Callback {
			m.end(c, c.ready)
		}
	}
}

// admit adds a grid to the pending ones, by priority and then in the order of leaving the queues. A memset needs no SMX and begins.
func (m *Manager) admit(c *Command) {
	c.state = released
	m.active++
	if c.Kind == Memset {
		c.Start = c.ready
		m.out = append(m.out, c)
		return
	}
	at := len(m.pending)
	for at > 0 && m.pending[at-1].Stream.Priority < c.Stream.Priority {
		at--
	}
	m.pending = slices.Insert(m.pending, at, c)
}

// startGrids begins pending grids up to the limit.
func (m *Manager) startGrids() {
	for len(m.pending) > 0 && m.running < m.limits.Grids {
		c := m.pending[0]
		m.pending = slices.Delete(m.pending, 0, 1)
		m.running++
		c.Start = max(c.ready, c.Start)
		m.out = append(m.out, c)
	}
}

// startCopy begins the next copy of a free engine: the earliest at the heads of its queues that can begin, of equals by the connections in
// turn.
func (m *Manager) startCopy(e int, now Time) {
	for queues := m.copies[e]; m.busy[e] == nil; {
		var found *Command
		for i := range queues {
			if c := queues[(m.nextQueue[e]+i)%len(queues)].first(); c != nil && m.mayGo(c, now) && (found == nil || before(c, found)) {
				found = c
			}
		}
		if found == nil {
			return
		}
		queues[found.Queue].pop()
		m.nextQueue[e] = (found.Queue + 1) % len(queues)
		found.state, m.busy[e] = released, found
		found.Start = max(found.ready, found.Start)
		m.active++
		m.out = append(m.out, found)
	}
}

// End reports the end of a command from Release.
func (m *Manager) End(c *Command, at Time) {
	switch c.Kind {
	case Kernel:
		m.Continue(c)
		m.running--
		for _, p := range m.pending {
			p.Start = at // not before there was room
		}
	case Copy:
		m.busy[c.Engine] = nil
		for i := range m.copies[c.Engine] {
			if p := m.copies[c.Engine][i].first(); p != nil {
				p.Start = max(p.Start, at)
			}
		}
	}
	if c.Kind <= Memset {
		m.active--
	}
	m.end(c, at)
}

func (m *Manager) end(c *Command, at Time) {
	c.state, c.End = ended, at
	m.remaining--
	for _, d := range c.dependents {
		d.follow(c)
		if d.waits--; d.waits == 0 && d.state == held {
			d.arm()
		}
	}
	c.dependents, c.After = nil, nil
	m.dirty = true
}

// Yield stops counting a grid that waits for its children as running, so that they can begin.
func (m *Manager) Yield(c *Command) {
	if !c.yielded {
		c.yielded, m.dirty = true, true
		m.running--
	}
}

// Continue counts it again, even if that exceeds the limit.
func (m *Manager) Continue(c *Command) {
	if c.yielded {
		c.yielded = false
		m.running++
	}
}

// NestedStream returns a stream of a kernel, which uses no connection.
func NestedStream(name string, of *Command) *Stream {
	return &Stream{Name: name, Context: of.Stream.Context, Priority: of.Stream.Priority}
}

// Remaining returns the number of commands that have not ended.
func (m *Manager) Remaining() int { return m.remaining }

// Next returns the earliest time at which Release may begin a command; Never if that depends on the end of a command.
func (m *Manager) Next() Time {
	if m.dirty {
		return 0
	}
	return m.next
}

// earliest recomputes Next.
func (m *Manager) earliest() Time {
	next := Never
	if len(m.free) > 0 {
		next = m.free[0].ready
	}
	other := Never // for contexts that do not have the device
	look := func(q *queue) {
		c := q.first()
		switch {
		case c == nil || c.state != armed:
		case m.together():
			next = min(next, c.ready)
		case c.Stream.Context == m.context:
			next = min(next, max(c.ready, m.since))
		case m.active == 0:
			other = min(other, max(c.ready, m.since))
		}
	}
	for i := range m.compute {
		look(&m.compute[i])
	}
	for e := range m.copies {
		if m.busy[e] != nil {
			continue
		}
		for i := range m.copies[e] {
			look(&m.copies[e][i])
		}
	}
	return min(next, other)
}

// Abandon drops every command that has not ended, after an error.
func (m *Manager) Abandon() {
	for _, s := range m.streams {
		s.last = nil
	}
	fresh := NewManager(m.limits)
	m.barriers = nil
	fresh.streams, fresh.contexts, fresh.sequence = m.streams, m.contexts, m.sequence
	*m = *fresh
}

// mostStuck is the most commands that Stuck names.
const mostStuck = 6

// Stuck describes which commands wait for which, if nothing can go on.
func (m *Manager) Stuck() string {
	var lines []string
	for _, s := range m.streams {
		c := s.last
		if c == nil || c.state == ended {
			continue
		}
		for _, other := range c.After {
			if other.state != ended {
				lines = append(lines, fmt.Sprintf("%s waits for %s", c, other))
			}
		}
		if len(c.After) == 0 {
			lines = append(lines, fmt.Sprintf("%s has not begun", c))
		}
	}
	if len(lines) > mostStuck {
		lines = append(lines[:mostStuck], fmt.Sprintf("and %d streams more", len(lines)-mostStuck))
	}
	return strings.Join(lines, "; ")
}
