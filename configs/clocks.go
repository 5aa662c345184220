package configs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Clocks are the board's clock domains.
type Clocks struct {
	// Core is the SM clock of a run; boards give their base clock.
	Core int `yaml:"core" unit:"MHz" check:"min=1,max=5000"`
	// Memory is the memory clock as nvidia-smi reports it (GDDR5: two transfers a cycle).
	Memory int `yaml:"memory" unit:"MHz" check:"min=1,max=10000"`
	// Base is the base clock, which --clocks base sets.
	Base int `yaml:"base" unit:"MHz" check:"min=1,max=5000"`
	// Supported are the pairs of clocks that the board can be set to, as nvidia-smi lists them.
	Supported []ClockPairs `yaml:"supported"`
}

// ClockPairs are the core clocks that go with a memory clock.
type ClockPairs struct {
	// Memory is a memory clock that can be set.
	Memory int `yaml:"memory" unit:"MHz" check:"min=1,max=10000"`
	// Core is the core clocks that go with it, the highest first.
	Core []int `yaml:"core" unit:"MHz" check:"min=1,max=5000"`
}

// UnsupportedClocks is the error for clocks that a board cannot be set to. Its text lists the clocks that it can be set to.
type UnsupportedClocks struct {
	// Asked is what the user asked for, Config the configuration's name.
	Asked, Config string
	// Supported are the clocks that the board lists.
	Supported []ClockPairs
}

// Error lists the supported clocks.
func (e *UnsupportedClocks) Error() string {
	var lines []string
	for _, p := range e.Supported {
		lines = append(lines, fmt.Sprintf("\n  memory %d MHz with core %s MHz", p.Memory, joined(p.Core)))
	}
	return fmt.Sprintf("clocks %s: %s cannot be set to them; give MEMORY,CORE, max or base. It has%s", e.Asked, e.Config,
		strings.Join(lines, ""))
}

func joined(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

// CoreClocks returns the core clocks that go with a memory clock, the lowest first; nil if the board lists none.
func (c *Clocks) CoreClocks(memory int) []int {
	for _, p := range c.Supported {
		if p.Memory == memory {
			list := slices.Clone(p.Core)
			slices.Sort(list)
			return list
		}
	}
	return nil
}

// AutomaticClocks, as LoadAt's clocks, leaves the board as its driver does: at its highest clock if it boosts by itself, else unchanged.
const AutomaticClocks = "auto"

// Boosts reports whether the board raises its clock by itself: it has autoboost, and no override sets a clock. It then runs at its highest
// clock as long as power and temperature allow (d Tuning Guide 1.4.6: K80, on by default).
func (c *Config) Boosts(overrides []string) bool {
	return c.Boost.Governor == "autoboost" && !slices.ContainsFunc(overrides, func(set string) bool {
		return strings.HasPrefix(set, "clocks.")
	})
}

// LoadAt is Load with other clocks. These are MEMORY,CORE in MHz as nvidia-smi -ac takes them, max for the highest of both, base, or auto
// (see [AutomaticClocks]); "" changes nothing. They win over the other overrides. Clocks that the board does not list give an
// UnsupportedClocks error.
func LoadAt(nameOrPath string, overrides []string, clocks string) (*Config, error) {
	c, err := Load(nameOrPath, overrides)
	if err == nil && clocks == AutomaticClocks {
		if clocks = ""; c.Boosts(overrides) {
			clocks = "max"
		}
	}
	if err != nil || clocks == "" {
		return c, err
	}
	more, err := c.clockOverrides(clocks)
	if err != nil {
		return nil, err
	}
	return Load(nameOrPath, append(slices.Clone(overrides), more...))
}

// clockOverrides returns the overrides that set the clocks that a user asked for.
func (c *Config) clockOverrides(asked string) ([]string, error) {
	memory, core := c.Clocks.Memory, c.Clocks.Base
	switch asked {
	case "base":
	case "max":
		memory, core = 0, 0
		for _, p := range c.Clocks.Supported {
			if p.Memory > memory {
				memory, core = p.Memory, slices.Max(p.Core)
			}
		}
	default:
		var err error
		if memory, core, err = c.clockPair(asked); err != nil {
			return nil, err
		}
	}
	overrides := []string{fmt.Sprintf("clocks.core=%d", core)}
	if memory != c.Clocks.Memory {
		overrides = append(overrides, fmt.Sprintf("clocks.memory=%d", memory))
		overrides = append(overrides, c.DRAM.Timing.at(c.Clocks.Memory, memory)...)
	}
	return overrides, nil
}

// clockPair reads MEMORY,CORE and checks that the board supports the pair.
func (c *Config) clockPair(asked string) (memory, core int, err error) {
	refused := &UnsupportedClocks{Asked: asked, Config: c.Name, Supported: c.Clocks.Supported}
	first, second, both := strings.Cut(asked, ",")
	memory, noMemory := strconv.Atoi(strings.TrimSpace(first))
	core, noCore := strconv.Atoi(strings.TrimSpace(second))
	if !both || noMemory != nil || noCore != nil || !slices.Contains(c.Clocks.CoreClocks(memory), core) {
		return 0, 0, refused
	}
	return memory, core, nil
}

// at returns overrides that adapt the timing to another memory clock. What the standard states in nanoseconds takes proportionally more or
// fewer clocks, rounded up. What it states in clocks stays: bursts, the write latency, read to precharge.
func (t *DRAMTiming) at(from, to int) []string {
	scaled := func(clocks int) int { return max(1, (clocks*to+from-1)/from) }
	rp, ras, cl := scaled(t.RP), scaled(t.RAS), scaled(t.CL)
	list := []struct {
		key   string
		value int
	}{
		{"rcd", scaled(t.RCD)}, {"rp", rp}, {"ras", ras}, {"rc", max(scaled(t.RC), ras+rp)}, {"cl", cl}, {"rrd", scaled(t.RRD)},
		{"faw", max(scaled(t.FAW), scaled(t.RRD))}, {"wtr", scaled(t.WTR)}, {"rtw", max(1, t.RTW-t.CL+cl)}, {"wr", scaled(t.WR)},
		{"refi", scaled(t.REFI)}, {"rfc", scaled(t.RFC)},
	}
	var overrides []string
	for _, item := range list {
		overrides = append(overrides, fmt.Sprintf("dram.timing.%s=%d", item.key, item.value))
	}
	return overrides
}
