package sim_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

// census counts issues, and records the lives of blocks, grids and commands. Issues and blocks come from several host threads.
type census struct {
	observe.Silent
	sync.Mutex
	issues, slots, stalled  uint64
	flights, bursts, far    uint64
	blocks, grids, commands []observe.Stage
	names                   []string
}

func (c *census) Issue(observe.Issue) {
	c.Lock()
	defer c.Unlock()
	c.issues++
}

func (c *census) Replay(e observe.Replay) {
	c.Lock()
	defer c.Unlock()
	c.slots += uint64(e.Slots)
}

func (c *census) Stall(e observe.Stall) {
	c.Lock()
	defer c.Unlock()
	c.stalled += uint64(e.To - e.From)
}

// Flight checks that a request's stages come one after another.
func (c *census) Flight(e observe.Flight) {
	c.flights++
	if e.Issued <= e.Departed && e.Departed < e.Arrived && e.Arrived <= e.Served && e.Served < e.Ready &&
		(e.Filled == 0 || e.Served < e.Filled && e.Filled < e.Ready) {
		c.far++
	}
}

func (c *census) Burst(e observe.Burst) { c.bursts++ }

func (c *census) Block(_ engine.Cycle, _ *observe.Block, stage observe.Stage) {
	c.Lock()
	defer c.Unlock()
	c.blocks = append(c.blocks, stage)
}

func (c *census) Grid(_ engine.Cycle, _ *observe.Grid, stage observe.Stage) {
	c.grids = append(c.grids, stage)
}

func (c *census) Command(_ engine.Cycle, command *observe.Command, stage observe.Stage) {
	c.commands, c.names = append(c.commands, stage), append(c.names, command.Name)
}

// An observer is notified of every issue, block, grid and command, and changes nothing.
func TestAnObserverChangesNothing(t *testing.T) {
	for name, o := range map[string]sim.Options{
		"one thread": {Threads: 1}, "several": {Threads: 4}, "functional": {Functional: true},
		"checked": {Functional: true, Check: finding.All},
	} {
		t.Run(name, func(t *testing.T) {
			quiet := newDevice(t, "gk110", o)
			want, err := quiet.launch(
				"ordered", 20, 128, quiet.allocate("sum", 4), quiet.allocate("ticket", 4), quiet.allocate("order", 4*20*128),
			)
			require.NoError(t, err)

			c := &census{}
			o.Observer = c
			observed := newDevice(t, "gk110", o)
			got, err := observed.launch(
				"ordered", 20, 128, observed.allocate("sum", 4), observed.allocate("ticket", 4), observed.allocate("order", 4*20*128),
			)
			require.NoError(t, err)
			assert.Equal(t, want.Cycles, got.Cycles)
			assert.Equal(t, want.Total, got.Total)
			assert.Equal(t, want.Memory, got.Memory)
			assert.Equal(t, got.Total.InstExecuted, c.issues)
			if !o.Functional {
				assert.Equal(t, got.Total.InstIssued, c.issues+c.slots, "what replays take")
				assert.Equal(t, got.Total.Stalls.Sum(), c.stalled)
				assert.Positive(t, c.flights)
				assert.Equal(t, got.Memory.Responses, c.flights)
				assert.Equal(t, c.flights, c.far, "stations in order")
				assert.Equal(t, got.Memory.RowHits+got.Memory.RowMisses+got.Memory.RowConflicts, c.bursts)
			}
			assert.Len(t, c.blocks, 40)
			assert.Equal(t, []observe.Stage{observe.Started, observe.Ended}, c.grids)
			assert.Equal(t, []observe.Stage{observe.Started, observe.Ended}, c.commands)
			assert.Equal(t, []string{"ordered", "ordered"}, c.names)
		})
	}
}
