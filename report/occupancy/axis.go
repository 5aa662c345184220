package occupancy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// Axis is one number of a launch that varies.
type Axis struct {
	// Name is block, registers or shared.
	Name string
	// Values are the values in ascending order.
	Values []int
}

// axisKinds has, for each axis, its title, its default step, and how to get and set its number.
var axisKinds = []struct {
	name, title, unit string
	step              int
	set               func(*smx.Launch, int)
	get               func(smx.Launch) int
}{
	{"block", "threads per block", "threads", 32, func(l *smx.Launch, v int) {
		l.Threads = v
	}, func(l smx.Launch) int { return l.Threads }},
	{"registers", "registers per thread", "registers", 1, func(l *smx.Launch, v int) {
		l.Registers = v
	}, func(l smx.Launch) int { return l.Registers }},
	{"shared", "shared memory per block", "bytes", 1024, func(l *smx.Launch, v int) {
		l.Shared = v
	}, func(l smx.Launch) int { return l.Shared }},
}

func (a Axis) kind() int {
	for i, k := range axisKinds {
		if k.name == a.Name {
			return i
		}
	}
	panic("occupancy: axis " + a.Name)
}

// Title returns the axis's title with its unit.
func (a Axis) Title() string {
	k := axisKinds[a.kind()]
	if k.name == "shared" {
		return k.title + " (bytes)"
	}
	return k.title
}

// apply returns a launch with the axis's number changed.
func (a Axis) apply(l smx.Launch, v int) smx.Launch {
	axisKinds[a.kind()].set(&l, v)
	return l
}

// of returns the axis's number in a launch.
func (a Axis) of(l smx.Launch) int { return axisKinds[a.kind()].get(l) }

// ParseAxis reads block=32..1024:32, registers=16..64, shared=0..48K:1K, or a list as in block=64,128,256. A range includes its end if a
// step reaches it.
func ParseAxis(text string) (Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	var names []string
	for _, k := range axisKinds {
		names = append(names, k.name)
	}
	if !ok {
		return Axis{}, fmt.Errorf("sweep %q: write AXIS=FROM..TO:STEP, as in block=32..1024:32", text)
	}
	kind := slices.Index(names, name)
	if kind < 0 {
		return Axis{}, fmt.Errorf("sweep %q: there is no axis %q: choose one of %s", text, name, strings.Join(names, ", "))
	}
	a := Axis{Name: name}
	refuse := func(problem string) (Axis, error) { return Axis{}, fmt.Errorf("sweep %q: %s", text, problem) }
	from, rest, isRange := strings.Cut(values, "..")
	if !isRange {
		for _, one := range strings.Split(values, ",") {
			v, err := ParseSize(one)
			if err != nil {
				return refuse(err.Error())
			}
			a.Values = append(a.Values, v)
		}
		slices.Sort(a.Values)
		a.Values = slices.Compact(a.Values)
		return a, nil
	}
	to, stepText, hasStep := strings.Cut(rest, ":")
	first, err := ParseSize(from)
	if err != nil {
		return refuse(err.Error())
	}
	last, err := ParseSize(to)
	if err != nil {
		return refuse(err.Error())
	}
	step := axisKinds[kind].step
	if hasStep {
		if step, err = ParseSize(stepText); err != nil {
			return refuse(err.Error())
		}
	}
	switch {
	case step < 1:
		return refuse("the step must be 1 or more")
	case last < first:
		return refuse("the range ends before it begins")
	case (last-first)/step >= maxPoints:
		return refuse("too many points; take a larger step")
	}
	for v := first; v <= last; v += step {
		a.Values = append(a.Values, v)
	}
	return a, nil
}

// ParseSize reads a number that may end in K (1,024).
func ParseSize(text string) (int, error) {
	digits, scale := strings.TrimSpace(text), 1
	if strings.HasSuffix(digits, "K") || strings.HasSuffix(digits, "k") {
		digits, scale = digits[:len(digits)-1], 1024
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1<<40 || n < -1<<40 {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return n * scale, nil
}
