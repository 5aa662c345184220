package debug

import (
	"slices"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim/checkpoint"
	"github.com/keplersim/keplersim/sim/observe"
)

// Steps back run the program again from the last state before them. States are kept at intervals of operations. Above mostStates, every
// second state is dropped and the interval doubles. So there are between half and all of mostStates in a run of any length.
const (
	mostStates      = 16
	firstOperations = 50_000
)

// state is a run's state between two epochs, after number operations.
type state struct {
	number uint64
	*host.State
}

// stateList are the states of a program, in order.
type stateList struct {
	list     []*state
	interval uint64 // between states, in operations; 0 for firstOperations
	disabled bool   // states of this program cannot be taken
	restores uint64 // runs that started from a state
}

// forget drops all states.
func (k *stateList) forget() { k.list = nil }

// before returns the last state before an operation, nil for none.
func (k *stateList) before(number uint64) *state {
	for _, s := range slices.Backward(k.list) {
		if s.number < number {
			return s
		}
	}
	return nil
}

// last returns the last state, nil for none.
func (k *stateList) last() *state {
	if len(k.list) == 0 {
		return nil
	}
	return k.list[len(k.list)-1]
}

// due tells whether to take a state after number operations.
func (k *stateList) due(number uint64) bool {
	if k.interval == 0 {
		k.interval = firstOperations
	}
	since := uint64(0)
	if last := k.last(); last != nil {
		since = last.number
	}
	return !k.disabled && number >= since+k.interval
}

// add keeps a state.
func (k *stateList) add(s *state) {
	if k.list = append(k.list, s); len(k.list) < mostStates {
		return
	}
	for i := range mostStates / 2 {
		k.list[i] = k.list[2*i+1]
	}
	clear(k.list[mostStates/2:])
	k.list, k.interval = k.list[:mostStates/2], 2*k.interval
}

// watched is a watcher's part of a state.
type watched struct {
	number   uint64
	requests map[requestKey]observe.Request
}

// inMemory lets a run keep states and start from one.
func (r *run) inMemory(from *state) *host.InMemory {
	w := &r.watcher
	m := &host.InMemory{
		Between: func(take func() (*host.State, error)) {
			k := &w.session.states
			if w.aim.quit || !k.due(w.number) {
				return
			}
			taken, err := take()
			if err != nil {
				k.disabled = true // going back is slower then
				return
			}
			k.add(&state{w.number, taken})
		},
		Observer: checkpoint.Twin{
			Named: checkpoint.Named{Name: "the debugger", Object: w},
			Save:  func() any { return &watched{w.number, w.requests} },
			Load: func(saved any) error {
				was := saved.(*watched)
				w.number, w.requests, w.loaded = was.number, was.requests, true
				return nil
			},
		},
	}
	if from != nil {
		m.From = from.State
	}
	return m
}
