package check

// Commands is the order of a host's commands: vector clocks with an element for each stream. Streams and commands are identified by any
// comparable values.
type Commands struct {
	streams map[any]int
	waiting map[any]submitted
	begun   map[any]moment
	hosts   map[int]vector // for each process, the commands that it knows to have ended
}

// vector has for each stream the number of commands that have happened before.
type vector []uint64

// moment is a command's place in the order.
type moment struct {
	past   vector
	stream int
	number uint64 // its number in the stream, from 1
}

// submitted is a command that has not begun.
type submitted struct {
	stream int
	behind []any
	past   vector
}

// NewCommands returns the order of a host without commands.
func NewCommands() *Commands {
	return &Commands{streams: map[any]int{}, waiting: map[any]submitted{}, begun: map[any]moment{}, hosts: map[int]vector{}}
}

// after reports whether another command ends before this one begins.
func (m moment) after(other moment) bool { return m.past.has(other) }

func (v vector) has(m moment) bool { return m.stream < len(v) && v[m.stream] >= m.number }

// join returns the past of an event after both.
func (v vector) join(other vector) vector {
	joint := make(vector, max(len(v), len(other)))
	copy(joint, v)
	for i, n := range other {
		joint[i] = max(joint[i], n)
	}
	return joint
}

// Submit reports a command that a process has submitted to a stream, and the commands that it waits for.
func (c *Commands) Submit(command, stream any, process int, behind []any) {
	n, ok := c.streams[stream]
	if !ok {
		n = len(c.streams)
		c.streams[stream] = n
	}
	c.waiting[command] = submitted{n, behind, c.hosts[process]}
}

// Begin reports a command that begins. Those that it waited for have begun before.
func (c *Commands) Begin(command any) {
	s := c.waiting[command]
	delete(c.waiting, command)
	past := s.past
	for _, other := range s.behind {
		past = past.join(c.begun[other].itself())
	}
	m := moment{past: past, stream: s.stream, number: 1}
	if s.stream < len(past) {
		m.number = past[s.stream] + 1
	}
	c.begun[command] = m
}

// itself returns the past of an event after the command.
func (m moment) itself() vector {
	if m.number == 0 {
		return nil
	}
	v := m.past.join(make(vector, m.stream+1))
	v[m.stream] = max(v[m.stream], m.number)
	return v
}

// Wait reports that a process has waited for the end of commands.
func (c *Commands) Wait(process int, commands ...any) {
	for _, command := range commands {
		c.hosts[process] = c.hosts[process].join(c.begun[command].itself())
	}
	c.drop()
}

// drop forgets commands that all hosts have waited for. An unknown command counts as one of these.
func (c *Commands) drop() {
	for command, m := range c.begun {
		past := true
		for _, v := range c.hosts {
			past = past && v.has(m)
		}
		if past {
			delete(c.begun, command)
		}
	}
}
