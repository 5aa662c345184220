package configs

import (
	"fmt"
	"strconv"
	"strings"
)

// ComputeCapability is ten times the major plus the minor number: 35 is compute capability 3.5.
type ComputeCapability int

// The compute capabilities of Kepler.
const (
	Capability30 ComputeCapability = 30 // GK104, GK106, GK107
	Capability32 ComputeCapability = 32 // GK20A
	Capability35 ComputeCapability = 35 // GK110, GK110B, GK208
	Capability37 ComputeCapability = 37 // GK210
)

// capabilities are those that a configuration may have.
var capabilities = []ComputeCapability{Capability30, Capability32, Capability35, Capability37}

// Major returns the first number, 3 of 3.5.
func (c ComputeCapability) Major() int { return int(c) / 10 }

// Minor returns the second number, 5 of 3.5.
func (c ComputeCapability) Minor() int { return int(c) % 10 }

// String returns the capability as it is written, 3.5.
func (c ComputeCapability) String() string { return fmt.Sprintf("%d.%d", c.Major(), c.Minor()) }

// Target returns the PTX target's name, sm_35.
func (c ComputeCapability) Target() string { return fmt.Sprintf("sm_%d", int(c)) }

// parseCapability reads 3.5.
func parseCapability(text string) (ComputeCapability, error) {
	names := make([]string, len(capabilities))
	for i, c := range capabilities {
		if names[i] = c.String(); names[i] == text {
			return c, nil
		}
	}
	return 0, fmt.Errorf("%s is not a compute capability of Kepler: %s", strconv.Quote(text), strings.Join(names, ", "))
}
