// Package memorymode has a launch's choices of how to use shared memory and L1. A user's text or number is converted to one of these types
// where it is read.
package memorymode

import "fmt"

// BankMode is the width of shared memory's banks in bytes.
type BankMode int

// The bank modes. The zero value leaves the choice open: a launch then takes the device's mode, the device the chip's.
const (
	BankDefault BankMode = 0
	Bank4       BankMode = 4
	Bank8       BankMode = 8
)

// ParseBankMode returns the bank mode of a width in bytes.
func ParseBankMode(bytes int) (BankMode, error) {
	if m := BankMode(bytes); m == Bank4 || m == Bank8 {
		return m, nil
	}
	return BankDefault, fmt.Errorf("shared memory's banks are 4 or 8 bytes wide, not %d", bytes)
}

// Or returns the mode, or other if it is left open.
func (m BankMode) Or(other BankMode) BankMode {
	if m == BankDefault {
		return other
	}
	return m
}

// GlobalLoads is where global loads without a cache operator go, as nvcc's -Xptxas -dlcm says.
type GlobalLoads uint8

// Where global loads go. The zero value leaves the choice open, in the end to the chip.
const (
	LoadsDefault   GlobalLoads = iota
	LoadsThroughL1             // ca: if the chip's L1 takes them
	LoadsToL2                  // cg
)

// loadNames has the names of the choices.
var loadNames = map[string]GlobalLoads{"ca": LoadsThroughL1, "cg": LoadsToL2}

// LoadNames returns the names that ParseGlobalLoads accepts.
func LoadNames() []string { return []string{"ca", "cg"} }

// ParseGlobalLoads parses the name of a choice.
func ParseGlobalLoads(name string) (GlobalLoads, error) {
	if g, ok := loadNames[name]; ok {
		return g, nil
	}
	return LoadsDefault, fmt.Errorf("%s: global loads go through L1 (ca) or to L2 (cg)", name)
}

// Or returns the choice, or other if it is left open.
func (g GlobalLoads) Or(other GlobalLoads) GlobalLoads {
	if g == LoadsDefault {
		return other
	}
	return g
}
