package checkpoint

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
)

// program is a constant object: a tree whose nodes others point into.
type program struct {
	operations []operation
	names      map[string]*operation
	run        func() int
}

type operation struct {
	code int
	next *operation
}

// machine is an object that both processes have.
type machine struct {
	program *program
	workers chan int // kept
	warps   []*warp
	ring    []warp
	waiting map[*warp]string
	policy  policy
	inline  [4]int
	last    *int // into inline
	all     []int
	some    []int // of all
	more    []int // overlaps some
	empty   []int
	none    []int
	listen  func() // must be empty
	device  *device
	at      time.Time
	nothing *struct{}
	self    *machine
	nested  map[string]map[int][]*warp
	same    map[*warp]string // waiting
}

type warp struct {
	op   *operation
	own  [3]uint32
	lane *uint32 // into its own
	peer *warp
	name string
}

type policy interface{ pick() int }

type oldest struct{ turn int }

func (o *oldest) pick() int { return o.turn }

type loose struct{ w *warp }

func (l loose) pick() int { return int(l.w.own[0]) }

// device is saved as another type.
type device struct{ pages [][]byte }

type pages struct{ text []string }

func newProgram() *program {
	p := &program{operations: make([]operation, 5), names: map[string]*operation{}, run: func() int { return 1 }}
	for i := range p.operations {
		p.operations[i] = operation{i * 10, &p.operations[(i+1)%5]}
		p.names[string(rune('a'+i))] = &p.operations[i]
	}
	p.names["far"] = &operation{code: 99}
	return p
}

// newMachine makes a machine in the initial state of every process.
func newMachine() *machine {
	return &machine{program: newProgram(), policy: &oldest{}, device: &device{}, workers: make(chan int)}
}

func worldOf(m *machine) *World {
	return &World{
		Shared: []Named{{"program", m.program}},
		Twins: []Twin{{Named: Named{"machine", m}}, {Named: Named{"device", m.device},
			Save: func() any {
				p := &pages{}
				for _, page := range m.device.pages {
					p.text = append(p.text, string(page))
				}
				return p
			},
			Load: func(state any) error {
				m.device.pages = nil
				for _, text := range state.(*pages).text {
					m.device.pages = append(m.device.pages, []byte(text))
				}
				return nil
			}}},
		Kept:    map[string]string{"checkpoint.machine.workers": "threads"},
		Refused: map[string]string{"checkpoint.machine.listen": "listeners (--listen)"},
		Alike:   []reflect.Type{reflect.TypeFor[program](), reflect.TypeFor[operation]()},
		Types:   []reflect.Type{reflect.TypeFor[loose]()},
	}
}

// busy gives a machine a state with every kind of pointer.
func busy(m *machine) {
	a, b := &warp{op: &m.program.operations[3], name: "a"}, &warp{op: m.program.names["far"], name: "b"}
	a.peer, b.peer = b, a
	a.own, a.lane = [3]uint32{1, 2, 3}, &a.own[1]
	m.ring = make([]warp, 3, 8)
	m.ring[2].name, m.ring[2].peer, m.ring[1].lane = "third", &m.ring[0], &m.ring[2].own[2]
	m.warps = []*warp{a, nil, b, &m.ring[1]}
	m.waiting = map[*warp]string{a: "memory", &m.ring[2]: "barrier"}
	m.same = m.waiting
	m.policy = loose{a}
	m.inline[2], m.last = 7, &m.inline[2]
	m.all = []int{0, 1, 2, 3, 4, 5, 6, 7}
	m.some, m.more = m.all[2:5], m.all[4:7]
	m.all = m.all[:6] // more goes beyond it
	m.empty = []int{}
	m.device.pages = [][]byte{[]byte("page"), nil}
	m.nothing = &struct{}{}
	m.self = m
	m.nested = map[string]map[int][]*warp{"x": {1: {b, b}}, "y": nil}
	m.at = time.Unix(0, 0)
}

func TestAGraphKeepsItsShape(t *testing.T) {
	from, to := newMachine(), newMachine()
	busy(from)
	state, err := worldOf(from).Save()
	require.NoError(t, err)
	workers := to.workers
	to.none, to.warps = []int{1}, []*warp{{}} // the present contents must vanish
	require.NoError(t, worldOf(to).Load(state))

	a, b := to.warps[0], to.warps[2]
	assert.Equal(t, [3]uint32{1, 2, 3}, a.own)
	assert.Equal(t, []string{"a", "b"}, []string{a.name, b.name})
	assert.Same(t, b, a.peer)
	assert.Same(t, a, b.peer)
	assert.Nil(t, to.warps[1])
	assert.Same(t, &to.program.operations[3], a.op, "into what never changes, by an element")
	assert.Same(t, to.program.names["far"], b.op, "into what never changes, behind a map")
	assert.Same(t, &a.own[1], a.lane, "into itself")
	assert.Same(t, &to.ring[1], to.warps[3], "into a slice")
	assert.Same(t, &to.ring[0], to.ring[2].peer)
	assert.Same(t, &to.ring[2].own[2], to.ring[1].lane)
	assert.Len(t, to.ring, 3)
	assert.Equal(t, map[*warp]string{a: "memory", &to.ring[2]: "barrier"}, to.waiting)
	to.same[a] = "changed"
	assert.Equal(t, "changed", to.waiting[a], "one map")
	assert.Equal(t, loose{a}, to.policy)
	assert.Same(t, &to.inline[2], to.last)
	assert.Equal(t, 7, *to.last)
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, to.all)
	assert.Equal(t, []int{4, 5, 6}, to.more)
	to.some[2] = 44
	assert.Equal(t, []int{44, 44}, []int{to.all[4], to.more[0]}, "slices of one array")
	assert.True(t, to.empty != nil && len(to.empty) == 0 && to.none == nil)
	assert.Equal(t, [][]byte{[]byte("page"), {}}, to.device.pages)
	assert.NotNil(t, to.nothing)
	assert.Same(t, to, to.self)
	assert.Equal(t, map[string]map[int][]*warp{"x": {1: {b, b}}, "y": nil}, to.nested)
	assert.Equal(t, workers, to.workers, "kept")
	assert.WithinDuration(t, time.Now(), to.at, time.Minute)
}

func TestWhatCannotBeSavedIsRefusedByName(t *testing.T) {
	m := newMachine()
	m.listen = func() {}
	_, err := worldOf(m).Save()
	assert.EqualError(t, err, "a checkpoint cannot hold listeners (--listen)")

	m = newMachine()
	w := worldOf(m)
	w.Kept = nil
	_, err = w.Save()
	assert.EqualError(t, err,
		"a checkpoint cannot hold what checkpoint.machine.workers has: a function, a channel or an address of this process")

	m = newMachine()
	m.warps = []*warp{{op: &operation{}}}
	_, err = worldOf(m).Save()
	assert.EqualError(t, err, "simulator bug: a checkpoint met a checkpoint.operation that is not among what is shared")
}

// A new field is found anywhere, if it cannot be saved or is an interface, whose contents are unknown.
func TestNewFieldsAreFound(t *testing.T) {
	w := worldOf(newMachine())
	known := map[string]string{"checkpoint.machine.policy": ""}
	assert.Empty(t, w.Problems(known, reflect.TypeFor[machine]()))
	w.Kept, w.Alike = nil, nil
	assert.Equal(t, []string{"checkpoint.machine.policy is an interface, checkpoint.policy",
		"checkpoint.machine.workers is of type chan int",
		"checkpoint.program.run is of type func() int"}, w.Problems(nil, reflect.TypeFor[machine]()))
}

func TestAnotherProgramIsRefused(t *testing.T) {
	from, to := newMachine(), newMachine()
	state, err := worldOf(from).Save()
	require.NoError(t, err)
	to.program.operations = append(to.program.operations, operation{})
	assert.ErrorIs(t, worldOf(to).Load(state), ErrOther)
}

// FuzzLoad loads damaged states, which checksums would find before. Each fails or loads, and nothing is allocated that is larger than
// possible.
func FuzzLoad(f *testing.F) {
	from := newMachine()
	busy(from)
	state, err := worldOf(from).Save()
	require.NoError(f, err)
	f.Add(state)
	for i := range state {
		damaged := append([]byte(nil), state...)
		damaged[i] ^= 0xff
		f.Add(damaged)
		f.Add(append([]byte(nil), state[:i]...))
	}
	executions.Fuzz(f, func(t *testing.T, state []byte) {
		_ = worldOf(newMachine()).Load(state) // an error or none
	})
}

// A twin's state is a whole saved object. An offset within one without a value of that type is an error.
func TestATwinsStateIsAWholeObject(t *testing.T) {
	from := newMachine()
	busy(from)
	state, err := worldOf(from).Save()
	require.NoError(t, err)
	require.Equal(t, byte(0), state[len(state)-1], "the last pointer is that of the last twin, to the beginning of its state")
	for offset := byte(1); offset < 24; offset++ {
		state[len(state)-1] = offset
		assert.ErrorContains(t, worldOf(newMachine()).Load(state), "a twin without its state")
	}
	state[len(state)-1] = 0
	assert.NoError(t, worldOf(newMachine()).Load(state))
}
