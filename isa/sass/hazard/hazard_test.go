package hazard_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass/hazard"
)

// latency is a chip's: 15 cycles for a product, 9 for other operations.
func latency(c isa.Class) int {
	if c == isa.ClassMultiply {
		return 15
	}
	return 9
}

// op writes one register and reads another.
func op(c isa.Class, write, read isa.Register) *isa.MachineOp {
	m := &isa.MachineOp{Class: c}
	if write >= 0 {
		m.Writes = []isa.RegisterRange{{First: write, Count: 1}}
	}
	if read >= 0 {
		m.Reads = []isa.RegisterRange{{First: read, Count: 1}}
	}
	return m
}

// chain returns steps that follow each other. The last one jumps back to step loop, or ends if loop is -1.
func chain(loop int32, ops ...*isa.MachineOp) []hazard.Step {
	steps := make([]hazard.Step, len(ops))
	for n := range ops {
		steps[n] = hazard.Step{Op: ops[n], Wait: 1}
		if n+1 < len(ops) {
			steps[n].Next = []int32{int32(n + 1)}
		}
	}
	if loop >= 0 {
		steps[len(ops)-1].Next = []int32{loop}
	}
	return steps
}

func filled(steps []hazard.Step) (list []int) {
	hazard.Fill(steps, hazard.Chip(latency))
	for n := range steps {
		list = append(list, steps[n].Wait)
	}
	return list
}

// An addition's result takes 9 cycles, a product's 15. The hardware guards a load's.
func TestFill(t *testing.T) {
	for name, c := range map[string]struct {
		steps []hazard.Step
		want  []int
	}{
		"next one":       {chain(-1, op(isa.ClassInteger, 1, -1), op(isa.ClassInteger, 2, 1)), []int{9, 1}},
		"one between":    {chain(-1, op(isa.ClassInteger, 1, -1), op(isa.ClassMove, 5, -1), op(isa.ClassInteger, 2, 1)), []int{1, 8, 1}},
		"product":        {chain(-1, op(isa.ClassMultiply, 1, -1), op(isa.ClassInteger, 2, 1)), []int{15, 1}},
		"load":           {chain(-1, op(isa.ClassGlobal, 1, -1), op(isa.ClassInteger, 2, 1)), []int{1, 1}},
		"around a loop":  {chain(0, op(isa.ClassInteger, 2, 1), op(isa.ClassMultiply, 1, -1)), []int{1, 15}},
		"written anew":   {chain(-1, op(isa.ClassMultiply, 1, -1), op(isa.ClassInteger, 1, -1), op(isa.ClassMove, 2, 1)), []int{1, 9, 1}},
		"nothing needed": {chain(-1, op(isa.ClassMultiply, 1, -1), op(isa.ClassMove, 2, 3)), []int{1, 1}},
	} {
		assert.Equal(t, c.want, filled(c.steps), name)
	}
	pair := chain(-1, op(isa.ClassInteger, 1, -1), op(isa.ClassMove, 5, -1), op(isa.ClassInteger, 2, 1))
	pair[0].Wait = 0 // both issue together: the second has the wait of both
	assert.Equal(t, []int{0, 9, 1}, filled(pair))
}

// A wait that is one cycle too short is a hazard and reported with both operations. Fill leaves none.
func TestCheck(t *testing.T) {
	steps := chain(0, op(isa.ClassMultiply, 1, -1), op(isa.ClassMove, 5, -1), op(isa.ClassInteger, 2, 1))
	hazard.Fill(steps, hazard.Chip(latency))
	assert.Empty(t, hazard.Check(steps, hazard.Chip(latency)))
	steps[1].Wait--
	assert.Equal(t, []hazard.Hazard{{Producer: 0, Consumer: 2, Waited: 14, Needed: 15}},
		hazard.Check(steps, hazard.Chip(latency)))
}
