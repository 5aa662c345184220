// Package configs is the description of a chip or a board: every parameter that the simulator reads, with its unit, its
// limits and the source of its value.
//
// A configuration is a YAML file. The chips (gk104, gk110, …) and boards (k20, k40, …) that come with the simulator are
// embedded; a board is a small file that extends a chip. Load resolves the chain of extends, applies overrides, and
// checks everything: an unknown key, a value of the wrong type, an impossible value and a missing key are errors that
// name file, line and column.
//
// The Go structs are the schema. A field's tags say all that the loader knows of a key:
//
//	yaml   the key's name
//	unit   the unit of its value (cycles of which clock, bytes, MHz, …)
//	check  what values are possible: min=, max=, pow2, multiple=, oneof=a|b
//	       (enumerations have types, whose words stand in words.go)
//
// Cycles are cycles of the SM clock (clocks.core) wherever the unit does not say otherwise. The package knows no part
// of the simulator and imports none.
package configs
