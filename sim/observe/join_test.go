package observe

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/engine"
)

// counter counts each kind of event.
type counter map[string]int

func (c counter) Issue(Issue)                           { c["issue"]++ }
func (c counter) Stall(Stall)                           { c["stall"]++ }
func (c counter) Access(Access)                         { c["access"]++ }
func (c counter) Request(Request)                       { c["request"]++ }
func (c counter) Replay(Replay)                         { c["replay"]++ }
func (c counter) Lookup(Lookup)                         { c["lookup"]++ }
func (c counter) Answer(Answer)                         { c["answer"]++ }
func (c counter) Flight(Flight)                         { c["flight"]++ }
func (c counter) Burst(Burst)                           { c["burst"]++ }
func (c counter) Barrier(Barrier)                       { c["barrier"]++ }
func (c counter) Block(engine.Cycle, *Block, Stage)     { c["block"]++ }
func (c counter) Grid(engine.Cycle, *Grid, Stage)       { c["grid"]++ }
func (c counter) Command(engine.Cycle, *Command, Stage) { c["command"]++ }

func tell(o Observer) {
	o.Issue(Issue{})
	o.Stall(Stall{})
	o.Access(Access{})
	o.Request(Request{})
	o.Replay(Replay{})
	o.Lookup(Lookup{})
	o.Answer(Answer{})
	o.Flight(Flight{})
	o.Burst(Burst{})
	o.Barrier(Barrier{})
	o.Block(0, nil, Started)
	o.Grid(0, nil, Started)
	o.Command(0, nil, Started)
}

// Joined observers receive every event once each. No observers join to nil, which costs nothing, and a single one is returned as it is.
func TestJoinedObserversHearEveryEvent(t *testing.T) {
	a, b := counter{}, counter{}
	tell(Join(a, nil, Silent{}, b))
	every := counter{"issue": 1, "stall": 1, "access": 1, "request": 1, "replay": 1, "lookup": 1, "answer": 1, "flight": 1, "burst": 1,
		"barrier": 1, "block": 1, "grid": 1, "command": 1}
	assert.Equal(t, every, a)
	assert.Equal(t, every, b)
	assert.Nil(t, Join())
	assert.Nil(t, Join(nil, nil))
	assert.Equal(t, a, Join(nil, a))
}

// Blocks are numbered in x, y, z order.
func TestBlockAt(t *testing.T) {
	g := Grid{Dim: [3]uint32{3, 4, 5}}
	n := uint64(0)
	for z := range uint32(5) {
		for y := range uint32(4) {
			for x := range uint32(3) {
				assert.Equal(t, [3]uint32{x, y, z}, g.BlockAt(n))
				n++
			}
		}
	}
	assert.Equal(t, "block (1,2,3)", BlockName([3]uint32{1, 2, 3}))
}
