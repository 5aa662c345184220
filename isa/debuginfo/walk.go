package debuginfo

import "debug/dwarf"

// walk reads all entries of a module, in order. enter reads an entry. within is what enter returned for the entry around it, the zero value
// at the top; addressSize is in bytes. An error from enter ends the walk.
func walk[T any](data *dwarf.Data, enter func(e *dwarf.Entry, within T, addressSize int) (T, error)) error {
	entries := data.Reader()
	var open []T
	for {
		e, err := entries.Next()
		if e == nil || err != nil {
			return err
		}
		if e.Tag == 0 { // the end of an entry's children
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			continue
		}
		var within T
		if len(open) > 0 {
			within = open[len(open)-1]
		}
		within, err = enter(e, within, entries.AddressSize())
		if err != nil {
			return err
		}
		if e.Children {
			open = append(open, within)
		}
	}
}
