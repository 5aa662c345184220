package registers

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// colouring maps virtual registers to physical ones.
type colouring struct {
	of        *machine.Slots
	registers []isa.Register // by virtual register; -1 for none
	slots     []slotPlace
}

// slotPlace is a slot's physical register, -1 for none, and its class's number, -1 if nothing touches it.
type slotPlace struct{ at, class int32 }

// newColouring returns a colouring in which nothing has a register.
func (c *classes) newColouring() *colouring {
	n := &colouring{of: c.slots, registers: make([]isa.Register, len(c.of)), slots: make([]slotPlace, c.slots.Count())}
	for r := range n.registers {
		n.registers[r] = -1
	}
	for slot, r := range c.slots.Owner {
		n.slots[slot] = slotPlace{-1, -1}
		if k := c.of[r]; k != nil {
			n.slots[slot].class = k.number
		}
	}
	return n
}

// base returns the class's first register.
func (c *colouring) base(k *class) int {
	return int(c.registers[k.members[0].register]) - int(k.members[0].offset)
}

// put places a class at a register.
func (c *colouring) put(k *class, base int) {
	for _, m := range k.members {
		at := int32(base) + m.offset
		c.registers[m.register] = isa.Register(at)
		for slot, end := c.of.Span(m.register, 1); slot < end; slot++ {
			c.slots[slot].at = at
			at++
		}
	}
}
