package registers

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// colouring is the physical registers of virtual ones, -1 for none: by virtual register, and by slot.
type colouring struct {
	of        *machine.Slots
	registers []isa.Register
	slots     []int32
}

func newColouring(s *machine.Slots) *colouring {
	c := &colouring{of: s, registers: make([]isa.Register, len(s.First)), slots: make([]int32, s.Count())}
	for r := range c.registers {
		c.registers[r] = -1
	}
	for slot := range c.slots {
		c.slots[slot] = -1
	}
	return c
}

// base returns the class's first register.
func (c *colouring) base(k *class) int {
	return int(c.registers[k.members[0].register]) - int(k.members[0].offset)
}

// put has a class begin at a register.
func (c *colouring) put(k *class, base int) {
	for _, m := range k.members {
		at := int32(base) + m.offset
		c.registers[m.register] = isa.Register(at)
		for slot, end := c.of.Span(m.register, 1); slot < end; slot++ {
			c.slots[slot] = at
			at++
		}
	}
}
