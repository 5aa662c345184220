package host

import (
	"fmt"

	"github.com/keplersim/keplersim/sim/checkpoint"
)

// Save says when and where to save the state of a run. It is saved once.
type Save struct {
	// Cycle counts the device's cycles from the start of the run, or from the start of launch number Launch (from 1) if that is set.
	Cycle  int64
	Launch int
	// To is the path of the file.
	To string
}

// String is the moment in the command line's syntax.
func (s *Save) String() string {
	if s.Launch > 0 {
		return fmt.Sprintf("%d:%d", s.Launch, s.Cycle)
	}
	return fmt.Sprint(s.Cycle)
}

// Saved describes a checkpoint.
type Saved struct {
	File string
	// Requested is the requested moment. Cycle is the device's cycle of the state: the end of the epoch with that moment.
	Requested string
	Cycle     int64
	// Launches is the number of finished launches, Kernels the names of the running ones.
	Launches int
	Kernels  []string
	// State is the size of the state, in bytes, before compression.
	State int64
}

// State is the state of a run in memory. Another run of the same workload in this process can continue from it.
type State struct {
	data     []byte
	prepared []string
}

// Bytes is the size of the state.
func (s *State) Bytes() int { return len(s.data) }

// InMemory lets a run keep states in memory and continue from one.
type InMemory struct {
	// Between is called between two epochs while the host waits, which is whenever a state can be taken. Calling take takes one.
	Between func(take func() (*State, error))
	// From is the state to continue from; nil starts at the beginning.
	From *State
	// Observer saves and loads what an observer knows of the run, by Save and Load as for any checkpoint.Twin.
	Observer checkpoint.Twin
}

// memory records a process's steps for checkpoints: how often it has continued, and the devices' answers to it. With these, the process can
// be replayed to the same step in another run without asking the devices.
type memory struct {
	wentOn      int
	answers     [][]byte
	isRecording bool // a checkpoint may be taken
	// replaysLeft counts the continuations left in a replay; asked counts the answers it has used.
	replaysLeft, asked int
}

// isReplaying tells whether the process is replaying steps whose effects on the devices already exist.
func (m *memory) isReplaying() bool { return m.replaysLeft > 0 }

// ask returns the answer to a question that decides the process's later steps: the device's, or the recorded one in a replay.
func (m *memory) ask(question func() ([]byte, error)) ([]byte, error) {
	if m.isReplaying() {
		if m.asked == len(m.answers) {
			panic("the steps of a process are not those of its checkpoint")
		}
		m.asked++
		return m.answers[m.asked-1], nil
	}
	answer, err := question()
	if err == nil && m.isRecording {
		m.answers = append(m.answers, answer)
	}
	return answer, err
}

// askBool is ask for a question with the answer yes or no.
func (m *memory) askBool(question func() (bool, error)) (bool, error) {
	answer, err := m.ask(func() ([]byte, error) {
		yes, err := question()
		if yes {
			return []byte{1}, err
		}
		return nil, err
	})
	return len(answer) > 0, err
}

// goOn runs the process to its next stop.
func (p *process) goOn() (waiting *condition, more bool) {
	p.wentOn++
	return p.resume()
}

// from is the state in memory to continue from, nil for none.
func (o *Options) from() *State {
	if o.InMemory == nil {
		return nil
	}
	return o.InMemory.From
}

// savable returns an error if this run should be saved or resumed but its state cannot be saved.
func (j *Job) savable() error {
	if j.options.Save == nil && j.options.Resume == "" {
		return nil
	}
	return j.options.Simulator.Savable()
}
