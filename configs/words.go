package configs

import "reflect"

// Policy is what a package registers by name, with the parameters that the configuration gives it: gto, or {name: owl, group: 2}.
type Policy string

// CachePreference is a split of an SMX's on-chip memory between shared memory and L1, by what it favours.
type CachePreference string

// The splits that a chip may have.
const (
	PreferShared CachePreference = "shared"
	PreferL1     CachePreference = "l1"
	PreferEqual  CachePreference = "equal"
)

// LoadCaching says whether global loads go through L1.
type LoadCaching string

// How a chip treats global loads.
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
	WriteThrough WritePolicy = "write-through" // the next level gets it at once
)

// Scope says who shares a buffer of translations.
type Scope string

// Who shares a buffer.
const (
	ScopeSMX  Scope = "smx"  // each SMX has its own
	ScopeChip Scope = "chip" // there is one
)

// RowWrites says when L2 writes, with a dirty line that it evicts, the others of its row of DRAM's.
type RowWrites string

// When a row's lines are written together.
const (
	RowWritesNever  RowWrites = "never"         // each goes when it is evicted itself
	RowWritesQuiet  RowWrites = "between-reads" // unless a read waits for the channel, which would wait for all of them
	RowWritesAlways RowWrites = "always"        // whatever waits
)

// enumerations are the words that keys of these types take.
var enumerations = map[reflect.Type][]string{
	reflect.TypeFor[CachePreference](): {string(PreferShared), string(PreferL1), string(PreferEqual)},
	reflect.TypeFor[LoadCaching]():     {string(LoadsNever), string(LoadsOptIn), string(LoadsAlways)},
	reflect.TypeFor[WritePolicy]():     {string(WriteBack), string(WriteThrough)},
	reflect.TypeFor[Scope]():           {string(ScopeSMX), string(ScopeChip)},
	reflect.TypeFor[RowWrites]():       {string(RowWritesNever), string(RowWritesQuiet), string(RowWritesAlways)},
}
