// Package profile writes launches as a profile by source line for go tool pprof: warp cycles, stalls by reason, sectors and instructions,
// with the calls that inlining replaced.
package profile

import (
	"cmp"
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	"github.com/keplersim/keplersim/sim/stats"
)

// sampleType is a kind of value of each line.
type sampleType struct {
	name, unit string
	of         func(*stats.OperationCount) uint64
}

// sampleTypes returns the kinds of values; pprof shows the first by default.
func sampleTypes() []sampleType {
	list := []sampleType{
		{"warp_cycles", "cycles", func(o *stats.OperationCount) uint64 { return o.Stalled() + o.Executed }},
		{"instructions", "count", func(o *stats.OperationCount) uint64 { return o.Executed }},
		{"lane_instructions", "count", func(o *stats.OperationCount) uint64 { return o.Lanes }},
		{"sectors", "count", func(o *stats.OperationCount) uint64 { return o.Memory.Sectors }},
		{"replays", "count", func(o *stats.OperationCount) uint64 { return o.Memory.Replays }},
	}
	for reason := range stats.StallCount {
		list = append(list, sampleType{"stall_" + reason.String(), "cycles",
			func(o *stats.OperationCount) uint64 { return o.Stalls[reason] }})
	}
	return list
}

// builder makes a profile. Launches share functions and locations.
type builder struct {
	profile   *profile.Profile
	functions map[[2]string]*profile.Function // by name and file
	locations map[string]*profile.Location    // by their lines
	samples   map[string]*profile.Sample
	types     []sampleType
}

// Write writes the profile of some launches, compressed by gzip.
func Write(w io.Writer, launches []*stats.Launch) error {
	p, err := New(launches)
	if err != nil {
		return err
	}
	return p.Write(w)
}

// New makes the profile of some launches.
func New(launches []*stats.Launch) (*profile.Profile, error) {
	b := &builder{
		profile: &profile.Profile{}, functions: map[[2]string]*profile.Function{}, locations: map[string]*profile.Location{},
		samples: map[string]*profile.Sample{}, types: sampleTypes(),
	}
	for _, t := range b.types {
		b.profile.SampleType = append(b.profile.SampleType, &profile.ValueType{Type: t.name, Unit: t.unit})
	}
	b.profile.DefaultSampleType = b.types[0].name
	b.profile.PeriodType, b.profile.Period = &profile.ValueType{Type: "warp_cycles", Unit: "cycles"}, 1
	duration := 0.0
	for _, l := range launches {
		duration += l.TimeUS
		b.launch(l)
	}
	b.profile.DurationNanos = int64(duration * 1e3)
	if err := b.profile.CheckValid(); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return b.profile, nil
}

// title returns a function's name for people.
func title(f *stats.FunctionCount) string { return cmp.Or(f.Name, f.Symbol) }

// launch adds the lines of a launch.
func (b *builder) launch(l *stats.Launch) {
	kernel := l.DisplayName()
	owners := owners(l)
	for i := range l.Source {
		s := &l.Source[i]
		function := title(&l.Functions[s.Function])
		lines := []frame{{function, s.Place}}
		for n, call := range s.InlinedAt {
			caller, ok := owners[placed{call, len(s.InlinedAt) - n - 1}]
			if !ok {
				caller = kernel
			}
			lines = append(lines, frame{caller, call})
		}
		stack := []*profile.Location{b.location(lines)}
		if last := lines[len(lines)-1].function; last != kernel {
			// The kernel called it, from an unknown line.
			stack = append(stack, b.location([]frame{{kernel, stats.Place{File: s.File}}}))
		}
		b.sample(kernel, stack, &s.OperationCount)
	}
}

// frame is a line of a function.
type frame struct {
	function string
	stats.Place
}

// placed is a line at a depth of inlining.
type placed struct {
	stats.Place
	depth int
}

// owners returns the functions that lines belong to, by line and depth of inlining. An inlined call is at a line of its caller.
func owners(l *stats.Launch) map[placed]string {
	all := map[placed]string{}
	for i := range l.Source {
		s := &l.Source[i]
		all[placed{s.Place, len(s.InlinedAt)}] = title(&l.Functions[s.Function])
	}
	return all
}

// location returns the location for inlined lines, the innermost first, and makes it the first time.
func (b *builder) location(lines []frame) *profile.Location {
	key := ""
	for _, l := range lines {
		key += fmt.Sprintf("%s\x00%s\x00%d\x00", l.function, l.File, l.Line)
	}
	if at := b.locations[key]; at != nil {
		return at
	}
	at := &profile.Location{ID: uint64(len(b.profile.Location) + 1)}
	for _, l := range lines {
		at.Line = append(at.Line, profile.Line{Function: b.function(l.function, l.File), Line: int64(l.Line)})
	}
	b.locations[key] = at
	b.profile.Location = append(b.profile.Location, at)
	return at
}

func (b *builder) function(name, file string) *profile.Function {
	key := [2]string{name, file}
	if f := b.functions[key]; f != nil {
		return f
	}
	f := &profile.Function{ID: uint64(len(b.profile.Function) + 1), Name: name, SystemName: name, Filename: file}
	b.functions[key] = f
	b.profile.Function = append(b.profile.Function, f)
	return f
}

// sample adds a line's counts to the sample with the same stack.
func (b *builder) sample(kernel string, stack []*profile.Location, o *stats.OperationCount) {
	key := kernel
	for _, at := range stack {
		key += fmt.Sprintf(" %d", at.ID)
	}
	s := b.samples[key]
	if s == nil {
		s = &profile.Sample{Location: stack, Value: make([]int64, len(b.types)), Label: map[string][]string{"kernel": {kernel}}}
		b.samples[key] = s
		b.profile.Sample = append(b.profile.Sample, s)
	}
	for i, t := range b.types {
		s.Value[i] += int64(t.of(o))
	}
}
