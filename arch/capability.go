package arch

import (
	"fmt"
	"strconv"
	"strings"
)

// Capability is a compute capability, ten times the major plus the minor number: 35 is 3.5.
type Capability int

// Major returns the first number, 3 of 3.5.
func (c Capability) Major() int { return int(c) / 10 }

// Minor returns the second number, 5 of 3.5.
func (c Capability) Minor() int { return int(c) % 10 }

// String returns the capability as people write it: 3.5.
func (c Capability) String() string { return fmt.Sprintf("%d.%d", c.Major(), c.Minor()) }

// Target returns the name of the PTX target: sm_35.
func (c Capability) Target() string { return fmt.Sprintf("sm_%d", int(c)) }

// Generation returns the generation that has the capability, or nil if none has it.
func (c Capability) Generation() *Generation {
	g, _ := c.find()
	return g
}

// Abilities returns what the capability's chips can do, or the zero value if no generation has the capability.
func (c Capability) Abilities() Abilities {
	_, a := c.find()
	return a
}

func (c Capability) find() (*Generation, Abilities) {
	for _, g := range generations {
		for _, a := range g.Abilities {
			if a.Capability == c {
				return g, a
			}
		}
	}
	return nil, Abilities{}
}

// ParseCapability reads a capability such as 3.5. Its error lists the known ones.
func ParseCapability(text string) (Capability, error) {
	var names []string
	for _, g := range generations {
		for _, a := range g.Abilities {
			if a.Capability.String() == text {
				return a.Capability, nil
			}
			names = append(names, a.Capability.String())
		}
	}
	return 0, fmt.Errorf("%s is not a compute capability that can be simulated: %s", strconv.Quote(text), strings.Join(names, ", "))
}

// Encoded lists the PTX targets whose machine code the simulator can read: sm_30, sm_35 and sm_37.
func Encoded() string {
	var names []string
	for _, g := range generations {
		for _, a := range g.Abilities {
			if a.MachineCode {
				names = append(names, a.Capability.Target())
			}
		}
	}
	return strings.Replace(strings.Join(names, ", "), ", "+names[len(names)-1], " and "+names[len(names)-1], 1)
}
