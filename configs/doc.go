// Package configs describes chips and boards: every parameter that the simulator reads, with its unit, its limits and the source of its
// value.
//
// A configuration is a YAML file. The chips (gk104, gk110, …) and boards (k20, k40, …) that come with the simulator are embedded; a board
// is a small file that extends a chip. Load resolves the chain of extends, applies overrides, and checks everything. Its errors name file,
// line and column: an unknown key, a missing key, a value of the wrong type or out of range, and values that are impossible together.
//
// The Go structs are the schema. A field's tags say everything that the loader knows about a key:
//
//	yaml   the key's name
//	unit   the unit of its value (cycles of which clock, bytes, MHz, …)
//	check  which values are possible: min=, max=, pow2, multiple=, oneof=a|b
//	       (enumerations have types; their words are in words.go)
//
// Cycles are cycles of the SM clock (clocks.core) unless the unit says otherwise. The package imports no part of the simulator.
package configs
