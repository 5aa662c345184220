package finding

import (
	"fmt"
	"strings"
)

// Set is a set of checks.
type Set uint8

// The checks.
const (
	Memory Set = 1 << iota
	Races
	Init
	Sync

	All  = Memory | Races | Init | Sync
	None = Set(0)
)

// names has the names of the checks for users, in the order of the bits.
var names = []string{"memory", "races", "init", "sync"}

// Names lists the names that ParseSet accepts.
func Names() []string { return append([]string{"all"}, names...) }

// ParseSet parses all, or names with commas between them; "" is no check.
func ParseSet(text string) (s Set, err error) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		found := false
		for i, name := range names {
			if word == name {
				s, found = s|1<<i, true
			}
		}
		switch {
		case word == "all":
			s = All
		case !found:
			return 0, fmt.Errorf("there is no check %q; choose from %s", word, strings.Join(Names(), ", "))
		}
	}
	return s, nil
}

// Has reports whether one of the checks is on.
func (s Set) Has(of Set) bool { return s&of != 0 }

// String lists the checks in the form of ParseSet.
func (s Set) String() string {
	if s == All {
		return "all"
	}
	var list []string
	for i, name := range names {
		if s&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}

// lookedFor describes what each check finds, a line each.
var lookedFor = map[Set][]string{
	Memory: {
		"accesses outside every allocation, misaligned, or to freed memory, in every memory space",
		"memory that is freed twice or never",
	},
	Races: {"two accesses of one byte of shared or global memory, at least one a write, that no barrier, fence with a flag, atomic, " +
		"stream or event orders"},
	Init: {"reads of registers, local, shared and global memory that were never written"},
	Sync: {
		"barriers that only a part of a warp's lanes reaches, or that warps reach in different ways",
		"data that threads of a warp exchange without __syncwarp() (warnings)",
	},
}

// LookedFor returns what the checks of the set find, a line each.
func (s Set) LookedFor() (lines []string) {
	for i := range names {
		if bit := Set(1) << i; s&bit != 0 {
			lines = append(lines, lookedFor[bit]...)
		}
	}
	return lines
}
