package memory

import "fmt"

// nullBytes is how far from 0 an address counts as an access through a null pointer. It is far more than the fields of a struct or a
// block's elements, and far less than the first allocation.
const nullBytes = 64 << 10

// Nearby describes what is nearest to an address: a block of the heap, or an allocation.
func Nearby(g *Global, address uint64) string {
	if known := g.Explain(address); known != "" {
		return known
	}
	a, distance := g.Nearest(address)
	switch {
	case address < nullBytes:
		return fmt.Sprintf("that is %d bytes from a null pointer: an argument perhaps that is 0 and should be a buffer, or what malloc "+
			"returns when the heap is full", address)
	case a.Bytes == 0:
		return "nothing is allocated"
	case distance == 0:
		return fmt.Sprintf("it is in %s, %d bytes at %#x", a.Name, a.Bytes, a.Address)
	case distance < 0:
		return fmt.Sprintf("nearest allocation: %s, %d bytes at %#x, begins %d bytes above", a.Name, a.Bytes, a.Address, -distance)
	case distance == 1:
		return fmt.Sprintf("nearest allocation: %s, %d bytes at %#x, ends right before it", a.Name, a.Bytes, a.Address)
	default:
		return fmt.Sprintf("nearest allocation: %s, %d bytes at %#x, ends %d bytes below", a.Name, a.Bytes, a.Address, distance-1)
	}
}
