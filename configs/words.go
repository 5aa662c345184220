package configs

import "reflect"

// Policy is the name of a registered policy, alone or with parameters: gto, or {name: owl, group: 2}.
type Policy string

// CachePreference is a split of an SMX's on-chip memory between shared memory and L1, named by what it favours.
type CachePreference string

// The splits that a chip may have.
const (
	PreferShared CachePreference = "shared"
	PreferL1     CachePreference = "l1"
	PreferEqual  CachePreference = "equal"
)

// LoadCaching says whether global loads go through L1.
type LoadCaching string

// When global loads go through L1.
const (
	LoadsNever  LoadCaching = "never"
	LoadsOptIn  LoadCaching = "opt-in"
	LoadsAlways LoadCaching = "always"
)

// WritePolicy says what a cache does with a store.
type WritePolicy string

// What a cache does with a store.
const (
	WriteBack    WritePolicy = "write-back"    // the line stays dirty until it is evicted
	WriteThrough WritePolicy = "write-through" // the next level gets the store at once
)

// Scope says which SMXs share a translation buffer.
type Scope string

// The scopes.
const (
	ScopeSMX  Scope = "smx"  // each SMX has its own
	ScopeChip Scope = "chip" // there is one
)

// RowWrites says when L2, evicting a dirty line, also writes the other dirty lines of its DRAM row.
type RowWrites string

// When a row's lines are written together.
const (
	RowWritesNever  RowWrites = "never"         // each line is written when it is evicted itself
	RowWritesQuiet  RowWrites = "between-reads" // unless a read waits for the channel: it would wait for all of them
	RowWritesAlways RowWrites = "always"        // even if reads wait
)

// enumerations are the possible words of keys, by the keys' types.
var enumerations = map[reflect.Type][]string{
	reflect.TypeFor[CachePreference](): {string(PreferShared), string(PreferL1), string(PreferEqual)},
	reflect.TypeFor[LoadCaching]():     {string(LoadsNever), string(LoadsOptIn), string(LoadsAlways)},
	reflect.TypeFor[WritePolicy]():     {string(WriteBack), string(WriteThrough)},
	reflect.TypeFor[Scope]():           {string(ScopeSMX), string(ScopeChip)},
	reflect.TypeFor[RowWrites]():       {string(RowWritesNever), string(RowWritesQuiet), string(RowWritesAlways)},
}
