package host

import (
	"fmt"

	"github.com/keplersim/keplersim/sim/checkpoint"
)

// Save is when and where the state of a run is saved: once, when the run has come so far.
type Save struct {
	// Cycle is a count of cycles: of the device since the run began, or, where Launch is a launch's number from 1 on, since that began.
	Cycle  int64
	Launch int
	// To is the file.
	To string
}

// String is the moment as the command line has it.
func (s *Save) String() string {
	if s.Launch > 0 {
		return fmt.Sprintf("%d:%d", s.Launch, s.Cycle)
	}
	return fmt.Sprint(s.Cycle)
}

// Saved tells of a checkpoint.
type Saved struct {
	File string
	// Asked is the moment that was asked for, Cycle the device's at which the state was taken: at the end of the epoch of that moment.
	Asked string
	Cycle int64
	// Launches is how many had ended, Kernels are those that ran.
	Launches int
	Kernels  []string
	// State is the size of the state, in bytes, before compression.
	State int64
}

// State is the state of a run in memory, for another run of the same workload in this process.
type State struct {
	data     []byte
	prepared []string
}

// Bytes is its size.
func (s *State) Bytes() int { return len(s.data) }

// InMemory has a run keep its state in memory now and then, and go on from one.
type InMemory struct {
	// Between is called whenever the state could be taken: between two epochs, while the host waits. Take takes it.
	Between func(take func() (*State, error))
	// From is the state to go on from, nil for the beginning.
	From *State
	// Observer is what an observer of the run keeps of it: Save and Load, as of a checkpoint.Twin.
	Observer checkpoint.Twin
}

// memory is what the code of a process keeps of its way for checkpoints: how often it has gone on, and the answers that it has had. By them
// a process gets to the same step in another run, without asking anything of the devices.
type memory struct {
	wentOn  int
	answers [][]byte
	keeps   bool // a checkpoint may be taken
	// again is how often it has still to go on before it is where it was; asked is how many answers it has had on that way.
	again, asked int
}

// past reports that what the process does now it has done before its checkpoint: the devices know of it.
func (m *memory) past() bool { return m.again > 0 }

// ask returns the answer to a question on which the process's way depends.
func (m *memory) ask(question func() ([]byte, error)) ([]byte, error) {
	if m.past() {
		if m.asked == len(m.answers) {
			panic("the steps of a process are not those of its checkpoint")
		}
		m.asked++
		return m.answers[m.asked-1], nil
	}
	answer, err := question()
	if err == nil && m.keeps {
		m.answers = append(m.answers, answer)
	}
	return answer, err
}

// whether is ask for yes or no.
func (m *memory) whether(question func() (bool, error)) (bool, error) {
	answer, err := m.ask(func() ([]byte, error) {
		yes, err := question()
		if yes {
			return []byte{1}, err
		}
		return nil, err
	})
	return len(answer) > 0, err
}

// goOn has the process go on to its next stop.
func (p *process) goOn() (waiting *condition, more bool) {
	p.wentOn++
	return p.resume()
}

// from is the state in memory that a run goes on from, nil for none.
func (o *Options) from() *State {
	if o.InMemory == nil {
		return nil
	}
	return o.InMemory.From
}

// savable says why the state of this run cannot be saved or gone on from, where that is asked for.
func (j *Job) savable() error {
	if j.options.Save == nil && j.options.Resume == "" {
		return nil
	}
	return j.options.Simulator.Savable()
}
