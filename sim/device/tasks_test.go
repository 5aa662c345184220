package device

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/smx"
)

// at returns a crew of two threads and six SMXs, the first three the caller's, in an epoch of parts 3 to 5. Argument ran has the parts that
// each has run and will have run; stepped is the number of parts that the memory system has run.
func at(stepped int, ending bool, ran ...int) *crew {
	c := newCrew(make([]*smx.SMX, len(ran)), nil, 2)
	c.begun, c.given, c.stepped, c.ending = 3, 6, stepped, ending
	copy(c.ran, ran)
	copy(c.ends, ran)
	for i := range 3 {
		p := &c.parts[3+i]
		for _, n := range ran {
			if n <= 3+i {
				p.left++
			}
		}
	}
	return c
}

func TestNextTurn(t *testing.T) {
	for name, c := range map[string]struct {
		crew   *crew
		thread int
		task   int
		end    int
		alter  func(*crew)
	}{
		"the memory system comes first":          {crew: at(2, false, 3, 3, 3, 3, 3, 3), thread: 1, task: atMemory},
		"the caller leaves it to others":         {crew: at(2, false, 3, 3, 3, 3, 3, 3), task: 0, end: 4},
		"but does it when nothing else is left":  {crew: at(3, false, 6, 6, 6, 6, 6, 6), task: atMemory},
		"an SMX of one's own":                    {crew: at(2, false, 3, 3, 3, 3, 3, 3), thread: 1, task: 3, end: 4, alter: stepping(0)},
		"the one that is behind":                 {crew: at(3, true, 4, 3, 4, 3, 3, 3), task: 1, end: 5, alter: stepping(1)},
		"also of who is at the memory system":    {crew: at(3, true, 4, 4, 4, 4, 3, 4), task: 4, end: 5, alter: stepping(1)},
		"not of who is at an SMX":                {crew: at(3, false, 4, 4, 4, 4, 3, 3), task: 0, end: 5, alter: busy(5)},
		"all of the epoch once a step has ended": {crew: at(3, false, 3, 5, 5, 5, 5, 3), task: 0, end: 6},
		"but for the last part of some":          {crew: at(3, false, 3, 3, 3, 3, 3, 5), task: 0, end: 5},
		"of more where the memory system has more to do": {crew: at(3, false, 3, 5, 5, 5, 5, 3), task: 0, end: 5,
			alter: func(c *crew) { c.costs.part, c.costs.steps = time.Millisecond, 5*time.Millisecond }},
		"the last part":                         {crew: at(4, false, 5, 5, 5, 5, 5, 5), task: 0, end: 6, alter: stepping(1)},
		"nothing where responses are not known": {crew: at(1, false, 3, 3, 3, 3, 3, 3), task: none, alter: stepping(1)},
		"nobody begins a turn of the memory system's beside memory that has gone back": {
			crew: at(3, false, 6, 6, 6, 6, 6, 5), thread: 1, task: none, alter: func(c *crew) { c.rewound, c.busy[5] = true, true }},
		"nor beside a turn that it could store into": {
			crew: at(3, false, 6, 6, 6, 6, 6, 5), thread: 1, task: none, alter: func(c *crew) { c.early, c.busy[5] = 1, true }},
	} {
		t.Run(name, func(t *testing.T) {
			if c.alter != nil {
				c.alter(c.crew)
			}
			task := c.crew.next(c.thread)
			assert.Equal(t, c.task, task)
			if task >= 0 {
				assert.Equal(t, c.end, c.crew.end(task))
			}
		})
	}
}

func stepping(thread int) func(*crew) { return func(c *crew) { c.stepping, c.stepper = true, thread } }

func busy(smx int) func(*crew) { return func(c *crew) { c.busy[smx] = true } }

// A task for the last part is early while another SMX has not run the first, because that one's stores may take effect meanwhile.
func TestEarlyTurn(t *testing.T) {
	c := at(3, false, 5, 4, 5, 3)
	assert.False(t, c.isEarly(0), "nobody asks what memory held")
	c.remembers = true
	assert.True(t, c.isEarly(0))
	assert.False(t, c.isEarly(1))
	c.parts[3].left = 0
	assert.False(t, c.isEarly(0))
}
