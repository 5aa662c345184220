// Package advise reports what each limit costs a kernel. It compares the time of a run with runs in which one limit is lifted. A limit is a
// key of the configuration's section ideal.
package advise

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/jsonschema"
	"github.com/keplersim/keplersim/report/glossary"
	"github.com/keplersim/keplersim/sim/stats"
)

// Lift is a limit to lift.
type Lift struct {
	Key, Value string // of the configuration
	Name       string // for people, at most 28 characters
	// Hint is what a programmer can do about the limit.
	Hint string
}

// Override returns the lift in --set's form.
func (l *Lift) Override() string { return l.Key + "=" + l.Value }

// Lifts are the limits, in the order of an access's path through the chip.
var Lifts = []Lift{
	{"ideal.coalescing", "true", "perfect coalescing",
		"have neighbouring lanes access neighbouring words; stage tiles through shared memory; arrays of members, not of structs"},
	{"ideal.load_store", "true", "one slot for a global access",
		"load less often, and keep what is used again in registers or shared memory; wider loads (float2, float4)"},
	{"ideal.no_bank_conflicts", "true", "no bank conflicts",
		"pad rows of shared arrays by a word, or permute columns; 8-byte banks for 8-byte words"},
	{"ideal.no_atomic_conflicts", "true", "no conflicts of atomics",
		"let each block, warp or lane count in a copy of its own, and add the copies up; combine lanes of a warp before the atomic"},
	{"ideal.infinite_registers", "true", "infinite registers",
		"fewer registers (--maxrregcount, __launch_bounds__), or smaller blocks, if occupancy is what lacks"},
	{"ideal.no_spills", "true", "no spills of registers",
		"more registers (a higher --maxrregcount, __launch_bounds__ with fewer blocks), or fewer values that live long: smaller unrolling"},
	{"ideal.no_divergence", "true", "no cost of idle lanes",
		"have the lanes of a warp take the same way; sort or regroup work; give short rows to parts of a warp"},
	{"ideal.l2_hits", "true", "L2 always hits",
		"use what is loaded again soon: smaller tiles, blocks that share data close together in time"},
	{"ideal.bandwidth", "2", "twice the bandwidth of DRAM", "move fewer bytes: smaller types, fused kernels, no needless loads"},
	{"ideal.free_barriers", "true", "zero-latency barriers",
		"fewer barriers: more work between two of them, warp-level exchange by shuffles"},
	{"ideal.dual_issue", "true", "perfect dual issue",
		"more independent operations side by side: unroll, or give each thread several results"},
}

// Gain is the effect of a lift.
type Gain struct {
	Lift
	Cycles uint64
	TimeUS float64
	// Percent is the part of the kernel's time that it saves.
	Percent float64
	// Slower is the stall that grew most if the run became slower; nil if it did not.
	Slower *Wait
}

// Wait is a stall reason with its part of all stalls in percent, before and after the lift.
type Wait struct {
	Reason        string
	Before, After float64
}

// Advice is the effect of all lifts on a kernel.
type Advice struct {
	Kernels  []string
	Config   string // its name
	Launches int
	Cycles   uint64
	TimeUS   float64
	Gains    []Gain // the largest first
	All      Gain   // with all limits lifted at the same time
	stalls   waits  // of the run without lifts
}

// waits are the cycles that warps waited, by reason.
type waits [stats.StallCount]float64

func waited(launches []*stats.Launch) (w waits) {
	for _, l := range launches {
		for reason, cycles := range l.Total.Stalls {
			w[reason] += float64(cycles)
		}
	}
	return w
}

// grown returns the reason whose cycles grew most, nil if none grew.
func (w waits) grown(before waits) *Wait {
	sum := func(w waits) (all float64) {
		for _, cycles := range w {
			all += cycles
		}
		return all
	}
	most := 0
	for reason := range w {
		if w[reason]-before[reason] > w[most]-before[most] {
			most = reason
		}
	}
	if w[most] <= before[most] {
		return nil
	}
	return &Wait{stats.Stall(most).String(), 100 * before[most] / max(sum(before), 1), 100 * w[most] / sum(w)}
}

// total sums the launches' cycles and times.
func total(launches []*stats.Launch) (cycles uint64, us float64) {
	for _, l := range launches {
		cycles += l.Cycles
		us += l.TimeUS
	}
	return cycles, us
}

// Measure runs a kernel unchanged and once with each limit lifted. run takes overrides of the configuration, and returns the launches. The
// caller fills in Config, which it learns from the runs.
func Measure(run func(overrides ...string) ([]*stats.Launch, error)) (*Advice, error) {
	base, err := run()
	if err != nil {
		return nil, err
	}
	a := &Advice{Launches: len(base)}
	a.Cycles, a.TimeUS = total(base)
	a.stalls = waited(base)
	for _, l := range base {
		name := l.DisplayName()
		if !slices.Contains(a.Kernels, name) {
			a.Kernels = append(a.Kernels, name)
		}
	}
	if a.TimeUS == 0 {
		return nil, errors.New("nothing ran: there is no kernel to advise on")
	}
	all := []string{}
	for _, lift := range Lifts {
		g, err := a.gain(lift, run, lift.Override())
		if err != nil {
			return nil, err
		}
		a.Gains = append(a.Gains, g)
		all = append(all, lift.Override())
	}
	slices.SortStableFunc(a.Gains, func(x, y Gain) int { return cmp.Compare(y.Percent, x.Percent) })
	a.All, err = a.gain(Lift{Name: "all of them"}, run, all...)
	return a, err
}

func (a *Advice) gain(lift Lift, run func(...string) ([]*stats.Launch, error), overrides ...string) (g Gain, err error) {
	launches, err := run(overrides...)
	if err != nil {
		return g, fmt.Errorf("with %s: %w", strings.Join(overrides, " "), err)
	}
	g.Lift = lift
	g.Cycles, g.TimeUS = total(launches)
	g.Percent = 100 * (a.TimeUS - g.TimeUS) / a.TimeUS
	if g.Percent < 0 {
		g.Slower = waited(launches).grown(a.stalls)
	}
	return g, nil
}

// minHintGain is the gain in percent from which a lift gets a hint, minReasonLoss the loss from which it gets a reason.
const (
	minHintGain   = 3
	minReasonLoss = 1
)

// columns is the width of the text, in characters.
const columns = 80

// Text writes the advice for people.
func (a *Advice) Text(w io.Writer) error {
	var b strings.Builder
	noun := "launches"
	if a.Launches == 1 {
		noun = "launch"
	}
	fmt.Fprintf(&b, "%s on %s: %.1f us in %d %s\n\n", strings.Join(a.Kernels, ", "), a.Config, a.TimeUS, a.Launches, noun)
	b.WriteString("What each limit costs, by a run without it\n\n")
	fmt.Fprintf(&b, "  %8s  %10s  %-28s  %s\n", "gain", "time", "limit lifted", "key")
	line := func(g *Gain) {
		row := fmt.Sprintf("  %6.1f %%  %7.1f us  %-28s  %s", g.Percent+0, g.TimeUS, g.Name, g.Key)
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	for i := range a.Gains {
		line(&a.Gains[i])
	}
	line(&a.All)
	say := func(sentence string) {
		fmt.Fprintf(&b, "  %s\n", strings.Join(glossary.Wrap(sentence, columns-4), "\n    "))
	}
	first := true
	for i := range a.Gains {
		g := &a.Gains[i]
		if g.Percent < minHintGain {
			continue
		}
		if first {
			b.WriteString("\nWhat to try\n\n")
			first = false
		}
		say(fmt.Sprintf("%s: %s", g.Name, g.Hint))
	}
	if first {
		b.WriteString("\nNo limit among these costs much: the kernel is bound by its operations or by\nlatency.\n")
	}
	first = true
	for i := range a.Gains {
		g := &a.Gains[i]
		if g.Percent > -minReasonLoss || g.Slower == nil {
			continue
		}
		if first {
			b.WriteString("\nSlower without the limit\n\n")
			first = false
		}
		say(fmt.Sprintf("%s: warps wait longer elsewhere, %s %.1f %% → %.1f %% of what they wait. The limit costs nothing here.",
			g.Name, g.Slower.Reason, g.Slower.Before, g.Slower.After))
	}
	b.WriteString("\nA gain is the time saved if the limit were gone. Gains do not add up: after one\nlimit comes the next.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// gainJSON is a gain as JSON.
type gainJSON struct {
	Key     string  `json:"key,omitempty"`
	Value   string  `json:"value,omitempty"`
	Name    string  `json:"name"`
	Cycles  uint64  `json:"cycles"`
	TimeUS  float64 `json:"time_us"`
	Percent float64 `json:"gain_percent"`
	Hint    string  `json:"hint,omitempty"`
	// Slower is the stall reason that grew most, if the run became slower.
	Slower string `json:"slower_by,omitempty"`
}

func (g *Gain) object() gainJSON {
	object := gainJSON{Key: g.Key, Value: g.Value, Name: g.Name, Cycles: g.Cycles, TimeUS: g.TimeUS, Percent: g.Percent, Hint: g.Hint}
	if g.Slower != nil {
		object.Slower = g.Slower.Reason
	}
	return object
}

func init() {
	jsonschema.Publish[adviceJSON]("advice", "What each limit costs, as keplersim advise --format json writes it.", 1)
}

// adviceJSON is advice as JSON.
type adviceJSON struct {
	Kernels  []string   `json:"kernels"`
	Config   string     `json:"config"`
	Launches int        `json:"launches"`
	Cycles   uint64     `json:"cycles"`
	TimeUS   float64    `json:"time_us"`
	Gains    []gainJSON `json:"gains"`
	All      gainJSON   `json:"all"`
}

// JSON writes the advice as JSON.
func (a *Advice) JSON(w io.Writer) error {
	gains := []gainJSON{}
	for i := range a.Gains {
		gains = append(gains, a.Gains[i].object())
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(adviceJSON{a.Kernels, a.Config, a.Launches, a.Cycles, a.TimeUS, gains, a.All.object()})
}
