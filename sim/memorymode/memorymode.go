// Package memorymode has the ways in which a launch may use shared memory and L1 that its program chooses. A text or number of a user
// becomes one of its types where it is read, and stays so.
package memorymode

import "fmt"

// BankMode is the width of shared memory's banks in bytes.
type BankMode int

// The bank modes; the zero value leaves it to whatever is asked next: a launch to the device, the device to the chip.
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

// Or returns the mode, or another where it is left open.
func (m BankMode) Or(other BankMode) BankMode {
	if m == BankDefault {
		return other
	}
	return m
}

// GlobalLoads is where global loads without a cache operator go, as nvcc's -Xptxas -dlcm says.
type GlobalLoads uint8

// Where global loads go; the zero value leaves it to whatever is asked next, in the end to the chip.
const (
	LoadsDefault   GlobalLoads = iota
	LoadsThroughL1             // ca: on chips whose L1 takes them
	LoadsToL2                  // cg
)

// loadNames are the names of where global loads go.
var loadNames = map[string]GlobalLoads{"ca": LoadsThroughL1, "cg": LoadsToL2}

// LoadNames returns the names that ParseGlobalLoads takes.
func LoadNames() []string { return []string{"ca", "cg"} }

// ParseGlobalLoads returns where global loads go by its name.
func ParseGlobalLoads(name string) (GlobalLoads, error) {
	if g, ok := loadNames[name]; ok {
		return g, nil
	}
	return LoadsDefault, fmt.Errorf("%s: global loads go through L1 (ca) or to L2 (cg)", name)
}

// Or returns where loads go, or another place where it is left open.
func (g GlobalLoads) Or(other GlobalLoads) GlobalLoads {
	if g == LoadsDefault {
		return other
	}
	return g
}
