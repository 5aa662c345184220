package fuzz

import (
	"cmp"
	"fmt"
	"slices"
)

// Tally sums up the results of running programs. Tallies of different seeds can be added.
type Tally struct {
	Config   string            `json:"config"`
	Language string            `json:"language"`
	Seeds    []Seeds           `json:"seeds"` // in order, merged where adjacent
	Ran      map[string]uint64 `json:"ran"`   // programs by way
	Kinds    map[string]Kind   `json:"kinds"`
	// Differing are the programs with a difference, by seed.
	Differing []Differing `json:"differing"`
}

// Seeds are the seeds from First to Last.
type Seeds struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Kind counts the programs of a kind.
type Kind struct {
	Programs uint64 `json:"programs"`
	Differ   uint64 `json:"differ"`
}

// Differing describes a program's difference.
type Differing struct {
	Seed uint64 `json:"seed"`
	Kind string `json:"kind"`
	Way  string `json:"way"`
	What string `json:"what"`
}

// Programs is the number of programs that ran.
func (t *Tally) Programs() (n uint64) {
	for _, s := range t.Seeds {
		n += s.Last - s.First + 1
	}
	return n
}

// NewTally makes an empty tally.
func NewTally(config, language string) *Tally {
	return &Tally{Config: config, Language: language, Ran: map[string]uint64{}, Kinds: map[string]Kind{}}
}

// Count adds a program with its difference or nil. It rejects a seed that is already counted.
func (t *Tally) Count(p Program, d *Difference) error {
	one := &Tally{Config: t.Config, Language: t.Language, Seeds: []Seeds{{p.Seed, p.Seed}}, Kinds: map[string]Kind{p.Kind: {Programs: 1}}}
	if d != nil {
		one.Kinds[p.Kind] = Kind{1, 1}
		one.Differing = []Differing{{p.Seed, p.Kind, d.Way.Name, d.What}}
	}
	return t.Add(one)
}

// Has tells whether a seed has been counted.
func (t *Tally) Has(seed uint64) bool {
	return slices.ContainsFunc(t.Seeds, func(s Seeds) bool { return s.First <= seed && seed <= s.Last })
}

// Add adds another run's tally. It rejects one of other programs, or with seeds already counted.
func (t *Tally) Add(other *Tally) error {
	if t.Config != other.Config || t.Language != other.Language {
		return fmt.Errorf("programs in %s on %s do not add up with such in %s on %s", t.Language, t.Config, other.Language, other.Config)
	}
	seeds := slices.SortedFunc(slices.Values(slices.Concat(t.Seeds, other.Seeds)),
		func(a, b Seeds) int { return cmp.Compare(a.First, b.First) })
	joined := seeds[:0:0]
	for _, s := range seeds {
		last := len(joined) - 1
		switch {
		case last < 0 || joined[last].Last+1 < s.First:
			joined = append(joined, s)
		case joined[last].Last >= s.First:
			return fmt.Errorf("seed %d is counted already", s.First)
		default:
			joined[last].Last = s.Last
		}
	}
	t.Seeds = joined
	for way, n := range other.Ran {
		t.Ran[way] += n
	}
	for name, k := range other.Kinds {
		t.Kinds[name] = Kind{t.Kinds[name].Programs + k.Programs, t.Kinds[name].Differ + k.Differ}
	}
	t.Differing = append(t.Differing, other.Differing...)
	slices.SortFunc(t.Differing, func(a, b Differing) int { return cmp.Compare(a.Seed, b.Seed) })
	return nil
}
